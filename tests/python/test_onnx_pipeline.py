"""Pipelines in ONNX, by skl2onnx."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from budgetrs import OnlineKernelClassifier, OnlineKernelRegressor, to_onnx
from budgetrs import onnx as budgetrs_onnx
from budgetrs.estimators import BPAClassifier

onnxruntime = pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = np.where(X[:, 0] * X[:, 1] > 0, "u", "v")
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "k": np.where(X[:, 2] > 0, "p", "q")})


def scores_of(pipeline, X):
    """Return the probabilities, or a column of scores for each class."""
    if hasattr(pipeline, "predict_proba"):
        return pipeline.predict_proba(X)
    scores = pipeline.decision_function(X)
    return np.c_[-scores, scores] if scores.ndim == 1 else scores


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2], ["no", "yes"], [False, True], [1.0, 2.0]], ids=str)
@pytest.mark.parametrize("last", [OnlineKernelClassifier, BPAClassifier])
def test_a_pipeline_of_a_classifier_predicts_the_same(last, labels, dtype):
    X = RNG.normal(size=(400, 4)).astype(dtype)
    y = np.array(labels)[np.digitize(X[:, 0] * X[:, 1], [0, 0.5][: len(labels) - 1])]
    pipeline = make_pipeline(StandardScaler(), last(budget=30, random_state=0)).fit(X, y)
    session = onnxruntime.InferenceSession(to_onnx(pipeline).SerializeToString())
    label, found = session.run(None, {"X": X})
    assert np.mean(label == pipeline.predict(X)) > 0.99
    assert label.dtype == (object if y.dtype.kind == "U" else y.dtype)
    np.testing.assert_allclose(found, scores_of(pipeline, X), rtol=0, atol=2e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_pipeline_of_a_regressor_predicts_the_same(dtype):
    X = RNG.normal(size=(400, 4)).astype(dtype)
    pipeline = make_pipeline(MinMaxScaler(), OnlineKernelRegressor(budget=30)).fit(X, X[:, 0] * X[:, 1])
    (found,) = onnxruntime.InferenceSession(to_onnx(pipeline).SerializeToString()).run(None, {"X": X})
    np.testing.assert_allclose(found[:, 0], pipeline.predict(X), rtol=0, atol=1e-3)


def last(**params):
    return OnlineKernelClassifier(budget=10, random_state=0, **params)


def loaded(graph):
    return onnxruntime.InferenceSession(graph.SerializeToString())


@pytest.mark.parametrize(
    "pipeline",
    [
        make_pipeline("passthrough", last()),
        make_pipeline(None, StandardScaler(), "passthrough", last()),
        make_pipeline(make_pipeline(StandardScaler()), make_pipeline(MinMaxScaler(), last())),
        make_pipeline(make_pipeline(make_pipeline("passthrough", last()))),
        make_pipeline(make_column_transformer((StandardScaler(), [0]), remainder="passthrough"), last()),
        make_pipeline(Binarizer(), PCA(2), last()),
    ],
)
def test_steps_of_many_kinds_are_converted(pipeline):
    pipeline.fit(X, Y)
    label, found = loaded(to_onnx(pipeline)).run(None, {"X": X})
    assert (label == pipeline.predict(X)).all()
    np.testing.assert_allclose(found, pipeline.predict_proba(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "first", [SimpleImputer(), make_pipeline(PolynomialFeatures(), PCA(2)), PolynomialFeatures()]
)
def test_steps_that_onnxruntime_has_only_in_float32(first):
    rows = np.where(X > 1.5, np.nan, X) if isinstance(first, SimpleImputer) else X
    pipeline = make_pipeline(first, last()).fit(rows, Y)
    with pytest.raises(ValueError, match=r"cannot be converted in float64: .*fit it on float32"):
        to_onnx(pipeline)
    rows = rows.astype(np.float32)
    pipeline.fit(rows, Y)
    assert (loaded(to_onnx(pipeline)).run(None, {"X": rows})[0] == pipeline.predict(rows)).mean() > 0.99


@pytest.mark.parametrize(
    ("pipeline", "X", "message"),
    [
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            X,
            "is an estimator of budgetrs, got Logistic",
        ),
        (make_pipeline(StandardScaler(), "passthrough"), X, "of budgetrs, got 'passthrough'"),
        (
            make_pipeline(make_column_transformer((StandardScaler(), ["a", "b"])), last()),
            FRAME,
            r"ColumnTransformer selects columns by name \('a'\): call .*register_skl2onnx\(\)",
        ),
        (
            make_pipeline(CountVectorizer(), last()),
            ["uu vv", "vv ww", "xx"] * 100,
            "CountVectorizer does not",
        ),
        (Pipeline([("last", last())]), FRAME, r"no categorical columns: .* model\[-1\]"),
        (make_pipeline(FunctionTransformer(np.exp), last()), X, "replace the step that skl2onnx"),
        (make_pipeline(StandardScaler(), last(hash_features=8)), X, "model must have hash_features=None"),
    ],
)
def test_what_cannot_be_converted_says_so(pipeline, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        to_onnx(pipeline.fit(X, Y))


def test_a_pipeline_must_be_fitted():
    with pytest.raises(ValueError, match="a fitted pipeline: call fit"):
        to_onnx(make_pipeline(StandardScaler(), last()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("target_opset", [None, 17, 18])
@pytest.mark.parametrize("estimator", [last(), BPAClassifier(budget=10, kernel="laplacian")])
def test_skl2onnx_itself_converts_with_any_options(estimator, target_opset, dtype):
    budgetrs_onnx.register_skl2onnx()
    rows = X.astype(dtype)
    pipeline = make_pipeline(StandardScaler(), estimator).fit(rows, Y)
    expected = scores_of(pipeline, rows)
    for zipmap in (True, False, "columns"):
        options = {"zipmap": zipmap}
        graph = skl2onnx.to_onnx(pipeline, rows[:1], target_opset=target_opset, options=options)
        label, *found = loaded(graph).run(None, {"X": rows})
        assert np.mean(label == pipeline.predict(rows)) > 0.99
        if zipmap is True:
            found = [[list(row.values()) for row in found[0]]]
        np.testing.assert_allclose(
            np.column_stack(found) if zipmap == "columns" else found[0], expected, rtol=0, atol=2e-3
        )


def test_skl2onnx_converts_named_columns():
    budgetrs_onnx.register_skl2onnx()
    columns = make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(), ["k"]))
    pipeline = make_pipeline(columns, last()).fit(FRAME, Y)
    given = {name: FRAME[[name]].to_numpy() for name in FRAME}
    label, _ = loaded(skl2onnx.to_onnx(pipeline, FRAME[:1])).run(None, given)
    assert (label == pipeline.predict(FRAME)).all()


def test_an_input_may_have_any_name():
    budgetrs_onnx.register_skl2onnx()
    frame = FRAME[["a", "b"]].rename(columns={"a": "loop_sums", "b": "loop_feature"})
    columns = make_column_transformer((StandardScaler(), frame.columns.tolist()))
    pipeline = make_pipeline(columns, BPAClassifier(budget=10, kernel="laplacian")).fit(frame, Y)
    label, _ = loaded(skl2onnx.to_onnx(pipeline, frame[:1], options={"zipmap": False})).run(
        None, {name: frame[[name]].to_numpy() for name in frame}
    )
    assert (label == pipeline.predict(frame)).all()


def test_steps_that_skl2onnx_converts_to_other_columns_raise():
    X = RNG.normal(size=(90, 1)).astype(np.float32)
    X[::4] = np.nan
    pipeline = make_pipeline(SimpleImputer(add_indicator=True), OnlineKernelClassifier(budget=20))
    with pytest.raises(ValueError, match="give 2 columns in scikit-learn, but 1 in skl2onnx"):
        to_onnx(pipeline.fit(X, np.isnan(X[:, 0])))
