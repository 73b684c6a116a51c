"""Columns of many categories: their features get a smaller weight, however a stream is cut."""

import numpy as np
import pandas as pd
import pytest

import budgetrs
from budgetrs import Classifier, ParameterError, Regressor


def stream(rows, seed=0):
    """Two numbers, and a column of 40 categories that appear one after another; the label depends on all."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, np.minimum(2 + np.arange(rows) // 5, 40))
    frame = pd.DataFrame(
        {"a": rng.normal(5, 2, rows), "town": [f"t{i}" for i in town], "b": rng.normal(size=rows)}
    )
    return frame, (frame.b.to_numpy() + rng.normal(0, 0.3, rows) + (town % 3 == 0) > 0.5).astype(int)


@pytest.mark.parametrize("sizes", [[1], [7, 31], [100, 5]])
def test_cuts_change_nothing(sizes):
    X, y = stream(600)
    # Steps of metric and linear term depend on the number of features known so far.
    fixed = {"budget": 30, "classes": [0, 1], "gamma": 0.2, "metric_learning": "none", "linear_weight": None}
    whole = Classifier(**fixed).learn(X, y)
    cut, first, number = Classifier(**fixed), 0, 0
    while first < 600:
        rows = slice(first, first + sizes[number % len(sizes)])
        cut.learn(X[rows], y[rows])
        if number % 20 == 0:
            cut = Classifier.from_bytes(cut.to_bytes())
        first, number = rows.stop, number + 1
    np.testing.assert_array_equal(cut.decision_function(X), whole.decision_function(X))


def test_rare_categories_say_less():
    """A column of few categories is learned like indicators; a column of many has smaller inputs."""
    X, y = stream(900)
    few = X.assign(town=[f"t{int(town[1:]) % 10}" for town in X.town])
    plain = pd.get_dummies(few, columns=["town"], dtype=float)
    fixed = {"budget": 30, "gamma": 0.2, "metric_learning": "none", "linear_weight": None}
    order = ["a", "b", *(f"town_{town}" for town in dict.fromkeys(few.town))]
    by_columns, by_hand = (
        Classifier(**fixed).learn(few, y),
        Classifier(**fixed).learn(plain[order].to_numpy(), y),
    )
    np.testing.assert_array_equal(
        by_columns.decision_function(few), by_hand.decision_function(plain[order].to_numpy())
    )
    many = pd.get_dummies(X, columns=["town"], dtype=float)
    by_hand = Classifier(**fixed).learn(many.to_numpy(), y)
    by_columns = Classifier(**fixed).learn(X, y)
    assert np.abs(by_columns.decision_function(X) - by_hand.decision_function(many.to_numpy())).max() > 0.01


def test_onnx_has_the_factors():
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = stream(900)
    model = Classifier(budget=30).learn(X, y)
    session = onnxruntime.InferenceSession(budgetrs.to_onnx(model).SerializeToString())
    inputs = {name: X[[name]].to_numpy(object if name == "town" else float) for name in X}
    scores = dict(
        zip([output.name for output in session.get_outputs()], session.run(None, inputs), strict=True)
    )
    np.testing.assert_allclose(scores["scores"], model.decision_function(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", [Classifier, Regressor])
def test_a_first_batch_of_text_with_weight_0_is_skipped(model: type) -> None:
    frame = pd.DataFrame({"text": ["a", "b"], "more": ["c", "c"]})
    skipped = model().learn(frame, [0, 1], sample_weight=[0.0, 0.0])
    assert skipped.n_samples_seen_ == 0
    skipped.learn_one({"text": "a", "more": "c"}, 1, sample_weight=0.0)
    expected = model().learn(frame, [0, 1])
    assert skipped.learn(frame, [0, 1]).to_bytes() == expected.to_bytes()
    with pytest.raises(ParameterError, match="sample_weight"):
        model().learn(frame, [0, 1], sample_weight=[0.0, -1.0])
