"""Columns that are folded: `hash_features`."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import budgetrs
from budgetrs import Classifier, OnlineKernelClassifier, ParameterError, Regressor, compare_budgets, to_onnx
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


def folded(X, seed=0, features=N):
    """The rows folded by hand, as the documentation says."""
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
def test_it_is_a_model_of_rows_folded_by_hand(algorithm, dtype):
    X, y = texts(400)
    X = X.astype(dtype)
    params = {"budget": 30, "seed": 5}
    model = Classifier(algorithm, hash_features=N, **params).learn(X, y)
    plain = Classifier(algorithm, **params).learn(folded(X, 5), y)
    np.testing.assert_array_equal(model.support_vectors_, plain.support_vectors_)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(folded(X, 5)))
    assert model.n_features_in_ == 300
    assert model.support_vectors_.shape[1] == N


@pytest.mark.parametrize("algorithm", ["bsgd-merge", "online-kernel"])
def test_sparse_rows_of_any_width_and_files(algorithm, tmp_path):
    X, y = texts(300)
    rows = sp.csr_matrix(X)
    classes = [0, 1, 2]
    whole = Classifier(algorithm, budget=25, hash_features=N, classes=classes).learn(rows, y)
    parts = Classifier(algorithm, budget=25, hash_features=N, classes=classes)
    wide = sp.csr_matrix((rows.data, rows.indices, rows.indptr), (300, 1 << 18))
    narrow = rows[100:200]
    width = int(narrow.indices.max()) + 1
    narrow = sp.csr_matrix((narrow.data, narrow.indices, narrow.indptr), (100, width))
    for part, labels in ((rows[:100], y[:100]), (narrow, y[100:200]), (rows[200:], y[200:])):
        parts.learn(part, labels)
        parts.save(tmp_path / "model")
        parts = pickle.loads(pickle.dumps(Classifier.load(tmp_path / "model")))
    assert parts.to_bytes() == whole.to_bytes()
    np.testing.assert_array_equal(whole.decision_function(wide), whole.decision_function(rows))
    np.testing.assert_allclose(whole.decision_function(X), whole.decision_function(rows), atol=1e-3)
    assert whole.n_features_in_ == 300
    assert whole.learn(wide, y).n_features_in_ == 1 << 18


def test_wide_rows_take_little_memory():
    X, y = texts(300)
    rows = sp.csr_matrix(X)
    wide = sp.csr_matrix((rows.data, (rows.indices * 797) % (1 << 18), rows.indptr), (300, 1 << 18))
    model = Classifier("bsgd-merge", hash_features=256).learn(wide, y)
    assert len(model.to_bytes()) < 1 << 20


def test_missing_values_are_refused_by_row_and_column():
    X, y = texts(50)
    X[7, 11] = np.nan
    for model in (
        Classifier(hash_features=N),
        Regressor(hash_features=N),
        Classifier("bsgd-merge", hash_features=N),
        OnlineKernelClassifier(hash_features=N),
    ):
        learn = getattr(model, "learn", None) or model.fit
        with pytest.raises(ValueError, match="NaN at row 7, column 11"):
            learn(X, y)
    with pytest.raises(ParameterError, match="missing does not apply") as caught:
        Classifier(hash_features=N, missing="mean")
    assert "hash_features = None" in str(caught.value)
    assert "missing" not in Classifier(hash_features=N).params


@pytest.mark.parametrize("bad", [0, 1, -3, 2.5, True, "16", (1 << 20) + 1])
def test_illegal_numbers_are_refused(bad):
    with pytest.raises(ParameterError, match="hash_features must be an integer from 2 to 1048576, or None"):
        Classifier(hash_features=bad)


def test_a_given_scaling_is_that_of_the_folded_rows():
    X, y = texts(200, dtype=np.float64)
    model = Classifier("bpa-nn", budget=20, hash_features=N, gamma=0.1)
    with pytest.raises(ValueError, match="mean must have 16 entries, got 300"):
        model.set_scaling(np.zeros(300), np.ones(300))
    deviation = np.linspace(0.5, 2, N)
    model.set_scaling(np.zeros(N), deviation)
    plain = Classifier("bpa-nn", budget=20, gamma=0.1)
    plain.set_scaling(np.zeros(N), deviation)
    model.learn(X, y)
    plain.learn(folded(X), y)
    np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)


def test_only_what_the_model_was_told_of_its_width_changes_by_widening():
    X, y = texts(200)
    model = Classifier("bsgd-merge", hash_features=N, gamma="auto").learn(X, y)
    before = model.decision_function(X)
    model.add_features(500)
    assert model.n_features_in_ == 500
    np.testing.assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="at least 500"):
        model.add_features(499)


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("name", budgetrs._ESTIMATORS)
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


def test_gamma_of_estimators_is_about_that_of_the_folded_rows():
    X, y = texts(500, dtype=np.float64)
    for gamma in ("scale", "standardized"):
        kind = budgetrs.BSGDClassifier
        hashed = kind(gamma=gamma, hash_features=256, random_state=0).fit(X, y)
        # Drawn from the random state.
        plain = kind(gamma=gamma, random_state=0).fit(folded(X, hashed._model.params["seed"], 256), y)
        assert hashed.gamma_ == pytest.approx(plain.gamma_, rel=0.2)


@pytest.mark.parametrize("algorithm", ["bsgd-merge", "online-kernel"])
def test_comparisons_learn_it(algorithm):
    X, y = texts(400)
    found = compare_budgets(X, y, budgets=[5, 20], algorithm=algorithm, hash_features=N)
    model = Classifier(algorithm, budget=20, hash_features=N).learn(X, y)
    assert found.models[20].n_mistakes_ == model.n_mistakes_


def test_a_graph_is_refused():
    pytest.importorskip("onnx")
    X, y = texts(100)
    with pytest.raises(ValueError, match="hash_features=16"):
        to_onnx(Classifier(hash_features=N).learn(X, y))


def test_a_picture_shows_the_folded_features():
    pytest.importorskip("matplotlib").use("agg")
    X, y = texts(900)
    model = OnlineKernelClassifier(budget=30, hash_features=N).fit(X, y)
    labels = [label.get_text() for label in model.plot().get_yticklabels()]
    assert sorted(labels) == sorted(f"feature {number}" for number in range(N))
    two = Classifier("bsgd-merge", hash_features=N).learn(X[:, :2], y)
    budgetrs.plot_model(two)
    with pytest.raises(ValueError, match="folded"):
        budgetrs.plot_model(two, X=X[:, :2])


@pytest.fixture
def files(tmp_path):
    """LIBSVM rows whose second half has columns that the first has not."""
    X, y = texts(600)
    X[:300, 200:] = 0
    paths = [tmp_path / name for name in ("all.svm", "first.svm", "second.svm")]
    for path, part in zip(paths, (slice(None), slice(300), slice(300, None)), strict=True):
        lines = []
        for x, c in zip(X[part], y[part], strict=True):
            entries = " ".join(f"{j + 1}:{x[j]:g}" for j in np.flatnonzero(x))
            lines.append(f"{c} {entries}\n")
        path.write_text("".join(lines))
    return [X, *paths]


@pytest.mark.parametrize("algorithm", ["bsgd-merge", "online-kernel"])
@pytest.mark.parametrize("gamma", [[], ["--set", "gamma=auto"]])
def test_files_with_late_columns(algorithm, gamma, files, tmp_path, capsys):
    X, whole, first, second = files
    options = ["--algorithm", algorithm, "--set", f"hash_features={N}", "--budget", "30", *gamma, "-q"]
    once, twice = tmp_path / "once", tmp_path / "twice"
    assert run(capsys, "train", whole, "-o", once, *options)[0] == 0
    assert run(capsys, "train", first, "-o", twice, *options)[0] == 0
    assert Classifier.load(twice).n_features_in_ <= 200
    assert run(capsys, "evaluate", twice, second)[0] == 0
    assert run(capsys, "train", second, "--resume", twice, "-o", twice, "-q")[0] == 0
    rows = sp.csr_matrix(X)
    a, b = Classifier.load(once), Classifier.load(twice)
    order = [a.classes_.tolist().index(c) for c in b.classes_.tolist()]
    if order == [0, 1, 2]:
        np.testing.assert_array_equal(a.decision_function(rows), b.decision_function(rows))
    code, out, _ = run(capsys, "evaluate", twice, whole)
    assert code == 0
    assert "accuracy" in out.lower()
    code, out, _ = run(capsys, "info", twice)
    assert "hash_features" in out
    assert str(N) in out


def test_wide_rows_can_be_read_and_predicted(tmp_path, capsys):
    data, model = tmp_path / "data.svm", tmp_path / "model"
    data.write_text("".join(f"{i % 2} {i % 2 + 1}:1 {1_000_000 + i % 7}:0.5\n" for i in range(200)))
    options = ["--algorithm", "bsgd-merge", "--set", "hash_features=64", "-q"]
    assert run(capsys, "train", data, "-o", model, *options)[0] == 0
    assert run(capsys, "evaluate", model, data)[0] == 0
    assert model.stat().st_size < 1 << 20
