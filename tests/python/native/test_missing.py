"""Missing values: NaN, and `missing_values`, numbers that are treated as NaN. Interfaces: test_doors.py."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from budgetrs import (
    Classifier,
    KeyedModels,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    ParameterError,
    Regressor,
)
from conftest import blobs, board, csv, run

X, Y = blobs(600, dtype=np.float64)
MARKED = X.copy()
MARKED[np.random.default_rng(1).random(X.shape) < 0.2] = -999
MARKED[np.random.default_rng(2).random(X.shape) < 0.1] = 77.7
HOLED = np.where(np.isin(MARKED, [-999, 77.7]), np.nan, MARKED)
VALUES = [-999, 77.7]
SMALL = {"budget": 20, "classes": [0, 1, 2]}


def same(model, expected, rows=MARKED, holes=HOLED):
    """Tell whether two models score marked rows and rows with NaN equally."""
    scores = expected.decision_function(holes)
    return np.array_equal(model.decision_function(rows), scores) and np.array_equal(
        model.decision_function(holes), scores
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, sp.csr_matrix])
def test_numbers_are_treated_as_nan(make, dtype):
    marked, holed = make(MARKED.astype(dtype)), make(HOLED.astype(dtype))
    model = Classifier(missing_values=VALUES, **SMALL).learn(marked, Y)
    assert same(model, Classifier(**SMALL).learn(holed, Y), marked, holed)
    assert model.params["missing_values"] == [-999.0, 77.7]
    loaded = Classifier.from_bytes(model.to_bytes())
    assert loaded.params == model.params
    assert loaded.learn(marked[:50], Y[:50]).to_bytes() == model.learn(marked[:50], Y[:50]).to_bytes()
    rows = MARKED.astype(dtype)
    assert model.predict_one(rows[3]) == model.predict(rows[3:4])[0]
    assert np.array_equal(model.predict_proba(marked), model.predict_proba(holed))


def test_single_rows_regression_and_zero():
    whole, single = (Regressor(budget=20, missing_values=0) for _ in range(2))
    rounded = np.round(X)
    holed = np.where(rounded == 0, np.nan, rounded)
    whole.learn(rounded, X[:, 0])
    for row, target in zip(rounded, X[:, 0], strict=True):
        single.learn_one(row, target)
    expected = Regressor(budget=20).learn(holed, X[:, 0])
    assert np.array_equal(whole.predict(rounded), expected.predict(holed))
    assert np.array_equal(single.predict(-rounded), expected.predict(-holed))
    # The zeros that sparse rows leave out are missing too.
    sparse = Regressor(budget=20, missing_values=[0]).learn(sp.csr_matrix(rounded), X[:, 0])
    assert np.array_equal(sparse.predict(sp.csr_matrix(rounded)), expected.predict(holed))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_categories(kind):
    columns = {f"x{j}": MARKED[:, j] for j in range(3)} | {"word": np.array(["1", "-999", "b"])[Y]}
    holes = {f"x{j}": HOLED[:, j] for j in range(3)} | {"word": columns["word"]}
    model = Classifier(missing_values=[*VALUES, 0, 1], **SMALL).learn(kind(columns), Y)
    assert {*model.get_feature_names_out()} == {"x0", "x1", "x2", "word=1", "word=-999", "word=b"}
    assert same(model, Classifier(**SMALL).learn(kind(holes), Y), kind(columns), kind(holes))


@pytest.mark.parametrize("kind", [OnlineKernelClassifier, OnlineKernelRegressor])
def test_estimators(kind):
    model = clone(kind(missing_values=tuple(VALUES), random_state=0)).fit(MARKED, Y)
    expected = kind(random_state=0).fit(HOLED, Y)
    assert np.array_equal(model.predict(MARKED), expected.predict(HOLED))
    with pytest.raises(ParameterError, match="missing_values must be None with hash_features, got -1"):
        kind(missing_values=-1, hash_features=8).fit(X, Y)


def test_models_by_key():
    keyed, plain = (KeyedModels(Classifier(budget=5, **more)) for more in ({"missing_values": VALUES}, {}))
    keyed.learn(MARKED, Y, Y % 2)
    plain.learn(HOLED, Y, Y % 2)
    assert np.array_equal(keyed.predict(MARKED, Y % 2), plain.predict(HOLED, Y % 2))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *[(make([-999, -1]), [-999.0, -1.0]) for make in (np.array, np.float32, pd.Series, tuple)],
        (range(-999, 0, 998), [-999.0, -1.0]),
        *[(one, -999.0) for one in (np.array([-999]), np.array(-999), {-999}, np.int64(-999))],
    ],
)
def test_any_collection_of_numbers_is_valid(given, expected):
    assert Classifier(missing_values=given).params["missing_values"] == expected
    fitted = OnlineKernelClassifier(missing_values=given, budget=5).fit(X, Y)
    assert fitted._model.params["missing_values"] == expected


def test_other_parameters_may_be_arrays_of_one_number():
    assert Classifier(budget=np.array(7), gamma=np.float32(0.5)).params["budget"] == 7
    with pytest.raises(ParameterError, match=r"budget must be an integer .*, got an object of type ndarray"):
        Classifier(budget=np.array([1, 2]))


def test_a_model_without_missing_values_names_the_value_and_the_row():
    model = Classifier(missing="error", missing_values=-999)
    message = (
        r'X contains -999, a missing value \(missing_values\) at row 2, co.*set missing = "mean" to accept'
    )
    with pytest.raises(ParameterError, match=message):
        model.learn([[1.0], [2.0], [-999.0]], [0, 1, 0])


INVALID = ["x", ["x"], [], np.nan, [np.inf], True, [None], [[1.0]], [*range(101)], b"ab", {1: 2}, iter([1])]


@pytest.mark.parametrize("value", INVALID, ids=range(len(INVALID)))
def test_invalid_values_raise(value):
    with pytest.raises(ParameterError, match="missing_values must be a finite number, a list of 1 to 100"):
        Classifier(missing_values=value)


@pytest.mark.parametrize("params", [{"scaling": "none"}, {"hash_features": 8}])
def test_other_models_have_no_missing_values(params):
    with pytest.raises(ParameterError, match="missing_values does not apply"):
        Classifier(**params, missing_values=-1)


def test_a_value_beyond_float32_equals_no_number():
    model = Classifier(missing_values=[1e300, *VALUES], **SMALL).learn(MARKED.astype(np.float32), Y)
    with pytest.raises(ParameterError, match="infinity"):
        model.predict(np.full((1, X.shape[1]), np.inf, np.float32))


def test_the_command_line(tmp_path, capsys):
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(MARKED, columns=names).assign(y=Y)
    marked = csv(tmp_path / "marked.csv", frame)
    holed = csv(tmp_path / "holed.csv", pd.DataFrame(HOLED, columns=names).assign(y=Y))
    words = csv(tmp_path / "words.csv", frame.assign(e=np.array(["u", "-999", "v"])[Y])[[*names, "e", "y"]])
    model = tmp_path / "model"
    given = ["--missing-values", "-999,77.7,unknown"]
    small = ["-o", model, "--budget", "20", "-q"]
    assert run(capsys, "train", holed, *small)[0] == 0
    expected = run(capsys, "predict", model, holed)[1]
    assert run(capsys, "train", marked, *small, *given)[0] == 0
    assert run(capsys, "predict", model, marked)[1] == expected
    assert run(capsys, "predict", model, marked, *given)[1] == expected
    assert "missing_values: [-999.0, 77.7]" in run(capsys, "info", model)[1]
    assert run(capsys, "train", marked, "--resume", model, *small[:2], "-q", *given)[0] == 0
    code, _, err = run(capsys, "predict", model, marked, "--missing-values", "5")
    assert (code, "expected the numbers of the model, [-999.0, 77.7], got 5" in err) == (2, True)
    for more in (["--algorithm", "bsgd-merge"], ["--set", "hash_features=8"]):
        code, _, err = run(capsys, "train", marked, *small, *given, *more)
        assert (code, "--missing-values does not apply" in err) == (2, True), err
    code, _, err = run(capsys, "train", marked, *small, "--set", "missing_values=-999")
    assert (code, "use --missing-values -999" in err) == (2, True), err
    assert run(capsys, "train", words, *small, *given)[0] == 0
    assert {*Classifier.load(model).get_feature_names_out()} == {*names, "e=u", "e=v"}
    assert run(capsys, "compare", marked, "--budget", "5,10", "-q", *given)[0] == 0


def holed(rows, share=0.2, seed=0):
    """Rows of a checkerboard in odd units beside two copies of its features, with holes."""
    X, y = board(rows, seed, dtype=np.float64)
    X = np.hstack([X, X + 0.01]) * [1e5, 1.0, 1e-4, 30.0] + [7e5, 0.0, 3.0, -20.0]
    X[np.random.default_rng(seed + 1).random(X.shape) < share] = np.nan
    return X, y


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


@pytest.mark.parametrize("kind", [OnlineKernelClassifier, OnlineKernelRegressor])
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
