"""Pipelines in ONNX, by skl2onnx."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from budgetrs import OnlineKernelClassifier, OnlineKernelRegressor, to_onnx
from budgetrs.estimators import BPAClassifier

onnxruntime = pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("labels", [2, 3, "text"])
@pytest.mark.parametrize("last", [OnlineKernelClassifier, BPAClassifier])
def test_a_pipeline_of_a_classifier_predicts_the_same(last, labels, dtype):
    X = RNG.normal(size=(400, 4)).astype(dtype)
    y = np.digitize(X[:, 0] * X[:, 1], [0, 0.5][: 2 if labels == 3 else 1])
    y = np.array(["no", "yes"])[y] if labels == "text" else y
    pipeline = make_pipeline(StandardScaler(), last(budget=30, random_state=0)).fit(X, y)
    session = onnxruntime.InferenceSession(to_onnx(pipeline).SerializeToString())
    label, found = session.run(None, {"X": X})
    assert np.mean(label == pipeline.predict(X)) > 0.99
    expected = (
        pipeline.predict_proba(X) if hasattr(pipeline, "predict_proba") else pipeline.decision_function(X)
    )
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=0, atol=2e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_pipeline_of_a_regressor_predicts_the_same(dtype):
    X = RNG.normal(size=(400, 4)).astype(dtype)
    pipeline = make_pipeline(MinMaxScaler(), OnlineKernelRegressor(budget=30)).fit(X, X[:, 0] * X[:, 1])
    (found,) = onnxruntime.InferenceSession(to_onnx(pipeline).SerializeToString()).run(None, {"X": X})
    np.testing.assert_allclose(found[:, 0], pipeline.predict(X), rtol=0, atol=1e-3)
