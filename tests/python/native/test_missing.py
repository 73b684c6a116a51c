"""Missing values: NaN in rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from budgetrs import (
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    ParameterError,
    Regressor,
)
from budgetrs._core import Reader
from budgetrs.cli import main
from conftest import board

FRONT_DOOR = [OnlineKernelClassifier, OnlineKernelRegressor]


def holed(rows, share=0.2, seed=0):
    """Rows of a checkerboard in odd units beside two copies of its features, with holes."""
    X, y = board(rows, seed, dtype=np.float64)
    X = np.hstack([X, X + 0.01]) * [1e5, 1.0, 1e-4, 30.0] + [7e5, 0.0, 3.0, -20.0]
    X[np.random.default_rng(seed + 1).random(X.shape) < share] = np.nan
    return X, y


def counted(values):
    """The values as they count: after n none is farther than 2 sqrt(n) deviations from their mean."""
    known = values[:1]
    for value in values[1:]:
        farthest = 2 * np.sqrt(len(known)) * known.std() or np.inf
        known = np.append(known, np.clip(value, known.mean() - farthest, known.mean() + farthest))
    return known


def scaled_by_hand(X, at):
    """Row `at`, scaled by the values up to it that are there; a hole is 0."""
    seen = X[: at + 1]
    z = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        known = counted(seen[~np.isnan(seen[:, j]), j])
        if not np.isnan(X[at, j]):
            deviation = known.std() if len(known) > 1 and known.std() > 0 else 1.0
            z[j] = np.clip((X[at, j] - known.mean()) / deviation, -3, 3)
    return z


def test_a_hole_is_the_mean_of_the_values_so_far():
    X, y = holed(120)
    params = {"budget": 10, "gamma": 0.5, "classes": [0, 1]}
    model = Classifier("bpa-nn", scaling="online", missing="mean", **params).learn(X, y)
    by_hand = np.array([scaled_by_hand(X, i) for i in range(len(X))])
    expected = Classifier("bpa-nn", **params).learn(by_hand, y)
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, atol=1e-6)
    np.testing.assert_allclose(model.support_vectors_, expected.support_vectors_, atol=1e-9)


@pytest.mark.filterwarnings("ignore:values that repeat")
@pytest.mark.parametrize("native", [Classifier, Regressor])
def test_sparse_rows_change_nothing(native):
    X, y = holed(200)
    y = y.astype(np.int64 if native is Classifier else np.float64)
    X[:40] = np.nan_to_num(X[:40])  # holes come late
    whole = native("online-kernel", budget=20).learn(X, y)
    stored = sp.csr_matrix(X[100:])
    assert np.isnan(stored.data).any()
    cut = native("online-kernel", budget=20).learn(X[:100], y[:100]).learn(stored, y[100:])
    assert cut.to_bytes() == whole.to_bytes()
    assert np.array_equal(cut.predict(sp.csr_matrix(X)), whole.predict(X))
    assert cut.predict_one(X[-1]) == whole.predict(X[-1:])[0]


def test_what_is_not_missing_is_refused():
    X, y = holed(50)
    infinite = np.where(np.isnan(X), np.inf, X)
    model = Classifier("online-kernel", budget=10).learn(X, y)
    before = model.to_bytes()
    for call in (lambda: model.learn(infinite, y), lambda: model.predict(infinite)):
        with pytest.raises(ValueError, match="X contains infinity"):
            call()
    assert model.to_bytes() == before
    for params in ({"missing": "error"}, {"scaling": "none"}):
        with pytest.raises(ValueError, match="X contains NaN"):
            Classifier("online-kernel", **params).learn(X, y)
    with pytest.raises(
        ParameterError, match=r'missing does not apply.* missing applies to scaling = "online"'
    ):
        Classifier("bsgd-merge", missing="mean")
    with pytest.raises(ValueError, match="X contains NaN"):
        Classifier("bsgd-merge", scaling="online").learn(X, y)


def test_holes_cost_little_accuracy():
    X, y = holed(6000)
    X_test, y_test = holed(2000, seed=2)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    filled_test = np.where(np.isnan(X_test), np.nanmean(X, axis=0), X_test)
    with_holes = OnlineKernelClassifier(budget=100, random_state=0).fit(X, y).score(X_test, y_test)
    with_means = OnlineKernelClassifier(budget=100, random_state=0).fit(filled, y).score(filled_test, y_test)
    assert with_means > 0.8
    assert abs(with_holes - with_means) < 0.03


@pytest.mark.parametrize("kind", FRONT_DOOR)
def test_estimators_take_holes_unless_told_otherwise(kind):
    X, y = holed(200)
    estimator = kind(budget=20, random_state=0)
    assert estimator.__sklearn_tags__().input_tags.allow_nan
    assert np.isfinite(estimator.fit(X, y).predict(X)).all()
    assert np.isfinite(estimator.partial_fit(X, y).predict(sp.csr_matrix(X))).all()
    with pytest.raises(ValueError, match="infinity"):
        estimator.predict(np.full((1, 4), np.inf))
    strict = kind(budget=20, missing="error")
    assert not strict.__sklearn_tags__().input_tags.allow_nan
    for call in (strict.fit, strict.partial_fit):
        with pytest.raises(ValueError, match="NaN"):
            call(X, y)
    with pytest.raises(ValueError, match='missing must be one of "error", "mean"'):
        kind(missing="median").fit(X, y)


def test_the_reader_returns_missing_values_as_nan():
    reader = Reader("csv", kinds="nnt")
    reader.feed(b"1,,a\n?,nan,b\n")
    assert np.array_equal(np.isnan(reader.take()[0]), [[False, True], [True, True]])
    reader = Reader("libsvm")
    reader.feed(b"1 2:nan\n")
    assert np.isnan(reader.take()[0]).tolist() == [True]


def csv_of(X, y):
    """Text with every way to write a hole."""
    words = ["", "?", "NA", "nan"]
    lines = [
        ",".join(
            [*(words[(i + j) % 4] if np.isnan(x) else repr(float(x)) for j, x in enumerate(row)), str(label)]
        )
        for i, (row, label) in enumerate(zip(X, y, strict=True))
    ]
    return "\n".join(lines) + "\n"


def test_files_with_holes(tmp_path, capsys):
    X, y = holed(300)
    X[0] = 1.0
    (tmp_path / "rows.csv").write_text(csv_of(X, y))
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))
    named = np.nan_to_num(X, nan=12345.0)
    text = "".join(
        f"{label} " + " ".join(f"{j}:{x!r}" for j, x in enumerate(row.tolist(), 1)) + "\n"
        for row, label in zip(named, y, strict=True)
    )
    (tmp_path / "rows.libsvm").write_text(text.replace("12345.0", "nan"))
    options = ["--budget", "20", "--dtype", "float64", "--quiet"]
    models = []
    for suffix in ("csv", "npy", "libsvm"):
        path, model = str(tmp_path / f"rows.{suffix}"), str(tmp_path / suffix)
        assert main(["train", path, "--algorithm", "online-kernel", "-o", model, *options]) == 0
        assert main(["evaluate", model, path]) == 0
        assert main(["predict", model, path, "-o", str(tmp_path / f"{suffix}.txt")]) == 0
        models.append(Classifier.load(model).dual_coef_.tolist())
        scaled = ["--algorithm", "bsgd-merge", "--scaling", "online"]
        assert main(["train", path, *scaled, "-o", model, *options]) == 1
        assert "expected" in capsys.readouterr().err
        assert main(["train", path, *scaled, "--set", "missing=mean", "-o", model, *options]) == 0
    assert models[0] == models[1] == models[2]
    path = str(tmp_path / "rows.csv")
    assert main(["compare", path, "--algorithm", "online-kernel", "--budget", "5,10", "--quiet"]) == 0
    capsys.readouterr()
    exact = ["--algorithm", "bsgd-merge", "--set", "missing=mean"]
    assert main(["train", path, *exact, "-o", str(tmp_path / "m")]) == 2
    assert 'missing applies to scaling = "online"' in capsys.readouterr().err
