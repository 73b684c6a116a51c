"""Hashed columns, `hash_features`; their scaling and limits: src/learner/tests/hashing.rs."""

import numpy as np
import pytest
import scipy.sparse as sp

import budgetrs
from budgetrs import Classifier, OnlineKernelClassifier, Regressor, compare_budgets, to_onnx
from conftest import run

N = 16
MIXED = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def number_of(state):
    """A number of SplitMix64."""
    z = (state + STEP) & MIXED
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MIXED
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MIXED
    return z ^ (z >> 31)


def hashed(X, seed=0, features=N):
    """The rows hashed by hand, as the documentation says."""
    key = number_of(seed ^ 0xD1B54A32D192ED03)
    out = np.zeros((X.shape[0], features), X.dtype)
    for j in range(X.shape[1]):
        number = number_of((key + j * STEP) & MIXED)
        out[:, (number >> 32) * features >> 32] += -X[:, j] if number & 1 else X[:, j]
    return out


def texts(rows, columns=300, seed=0, dtype=np.float32):
    """Rows of small whole numbers, most of them 0, so that sums are exact; three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    likely = np.random.default_rng(99).random((3, columns)) ** 8 * 0.4
    return (rng.random((rows, columns)) < likely[y]).astype(dtype) * rng.integers(1, 4, (rows, columns)), y


@pytest.mark.parametrize("algorithm", ["bsgd-merge", "online-kernel", "bpa-nn"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_a_model_of_rows_hashed_by_hand(algorithm, dtype):
    X, y = texts(400)
    X = X.astype(dtype)
    params = {"budget": 30, "seed": 5}
    model = Classifier(algorithm, hash_features=N, **params).learn(X, y)
    plain = Classifier(algorithm, **params).learn(hashed(X, 5), y)
    np.testing.assert_array_equal(model.support_vectors_, plain.support_vectors_)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(hashed(X, 5)))
    assert model.n_features_in_ == 300
    assert model.support_vectors_.shape[1] == N


@pytest.mark.parametrize(
    "learn",
    [
        *(kind(hash_features=N).learn for kind in (Classifier, Regressor)),
        Classifier("bsgd-merge", hash_features=N).learn,
        OnlineKernelClassifier(hash_features=N).fit,
    ],
)
def test_a_missing_value_raises_by_row_and_column(learn):
    X, y = texts(50)
    X[7, 11] = np.nan
    with pytest.raises(ValueError, match="NaN at row 7, column 11"):
        learn(X, y)


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("name", ["OnlineKernelClassifier", "BSGDRegressor", "BudgetPerceptron"])
@pytest.mark.parametrize("sparse", [False, True])
def test_estimators(name, sparse, tmp_path):
    X, y = texts(600, dtype=np.float64)
    X = sp.csr_matrix(X) if sparse else X
    kind = getattr(budgetrs, name)
    params = {"budget": 40, "hash_features": 64, "random_state": 0}
    estimator = kind(**params).fit(X, y / 3 if "Regressor" in name else y)
    assert estimator.n_features_in_ == 300
    assert estimator.support_vectors_.shape[1] == 64
    with pytest.raises(ValueError, match="300 features"):
        estimator.predict(X[:, :200])
    estimator.save(tmp_path / "model")
    loaded = kind.load(tmp_path / "model")
    assert loaded.n_features_in_ == 300
    assert loaded.hash_features == 64
    np.testing.assert_array_equal(loaded.predict(X), estimator.predict(X))
    if hasattr(estimator, "classes_"):
        assert estimator.score(X, y) > 0.6
    if name == "OnlineKernelClassifier":
        assert not estimator.__sklearn_tags__().input_tags.allow_nan


@pytest.mark.parametrize("gamma", ["scale", "standardized"])
def test_gamma_of_estimators_is_about_the_gamma_of_hashed_rows(gamma):
    X, y = texts(500, dtype=np.float64)
    kind = budgetrs.BSGDClassifier
    model = kind(gamma=gamma, hash_features=256, random_state=0).fit(X, y)
    # The seed is drawn from the random state.
    plain = kind(gamma=gamma, random_state=0).fit(hashed(X, model._model.params["seed"], 256), y)
    assert model.gamma_ == pytest.approx(plain.gamma_, rel=0.2)


def test_comparisons_learn_it():
    X, y = texts(400)
    found = compare_budgets(X, y, budgets=[5, 20], algorithm="bsgd-merge", hash_features=N)
    model = Classifier("bsgd-merge", budget=20, hash_features=N).learn(X, y)
    assert found.models[20].n_mistakes_ == model.n_mistakes_


def test_it_has_no_onnx_graph():
    pytest.importorskip("onnx")
    X, y = texts(100)
    with pytest.raises(ValueError, match="hash_features=16"):
        to_onnx(Classifier(hash_features=N).learn(X, y))


def test_a_plot_shows_the_hashed_features():
    pytest.importorskip("matplotlib").use("agg")
    X, y = texts(900)
    model = OnlineKernelClassifier(budget=30, hash_features=N).fit(X, y)
    labels = [label.get_text() for label in model.plot().get_yticklabels()]
    assert sorted(labels) == sorted(f"feature {number}" for number in range(N))
    two = Classifier("bsgd-merge", hash_features=N).learn(X[:, :2], y)
    budgetrs.plot_model(two)
    with pytest.raises(ValueError, match="folded"):
        budgetrs.plot_model(two, X=X[:, :2])


def write_rows(path, X, y):
    """Write sparse rows as LIBSVM text."""
    rows = [" ".join(f"{j + 1}:{x[j]:g}" for j in np.flatnonzero(x)) for x in X]
    path.write_text("".join(f"{c} {row}\n" for c, row in zip(y, rows, strict=True)))
    return path


@pytest.mark.parametrize("algorithm", ["bsgd-merge", "online-kernel"])
@pytest.mark.parametrize("gamma", [[], ["--set", "gamma=auto"]])
def test_files_with_new_columns(algorithm, gamma, tmp_path, capsys):
    X, y = texts(600)
    X[:300, 200:] = 0
    # The first labels are in one order.
    y[:3] = y[300:303] = [0, 1, 2]
    whole = write_rows(tmp_path / "all.svm", X, y)
    first = write_rows(tmp_path / "first.svm", X[:300], y[:300])
    second = write_rows(tmp_path / "second.svm", X[300:], y[300:])
    options = ["--algorithm", algorithm, "--set", f"hash_features={N}", "--budget", "30", *gamma, "-q"]
    once, twice = tmp_path / "once", tmp_path / "twice"
    assert run(capsys, "train", whole, "-o", once, *options)[0] == 0
    assert run(capsys, "train", first, "-o", twice, *options)[0] == 0
    assert Classifier.load(twice).n_features_in_ <= 200
    assert run(capsys, "evaluate", twice, second)[0] == 0
    assert run(capsys, "train", second, "--resume", twice, "-o", twice, "-q")[0] == 0
    a, b = (Classifier.load(path).decision_function(sp.csr_matrix(X)) for path in (once, twice))
    np.testing.assert_array_equal(a, b)
    code, out, _ = run(capsys, "evaluate", twice, whole)
    assert (code, "accuracy" in out.lower()) == (0, True)
    assert f"hash_features: {N}" in run(capsys, "info", twice)[1]


def test_files_of_wide_rows(tmp_path, capsys):
    data, model = tmp_path / "data.svm", tmp_path / "model"
    data.write_text("".join(f"{i % 2} {i % 2 + 1}:1 {1_000_000 + i % 7}:0.5\n" for i in range(200)))
    options = ["--algorithm", "bsgd-merge", "--set", "hash_features=64", "-q"]
    assert run(capsys, "train", data, "-o", model, *options)[0] == 0
    assert run(capsys, "evaluate", model, data)[0] == 0
    assert model.stat().st_size < 1 << 20
