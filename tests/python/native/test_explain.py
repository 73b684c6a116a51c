"""`explain_one`: terms that sum to the score of a row."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, Regressor
from conftest import moving_clusters


def rows(classes=2, count=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 3))
    if classes == 0:
        return X, 50 + 10 * X[:, 0] * X[:, 1] + 5 * X[:, 2]
    return X, ((X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 0.5) * (classes > 2)).astype(str)


def score_of(model, x):
    """The scores or the prediction of the model."""
    if isinstance(model, Regressor):
        return model.predict([x]).astype(float)
    return np.atleast_1d(model.decision_function([x])[0]).astype(float)


def assert_sums(model, x, found, rtol):
    terms = [found.contributions.sum(axis=0), found.rest, found.linear.sum(axis=0), found.intercept]
    size = 1 + np.abs(found.contributions).sum() + np.abs(terms).sum()
    score = score_of(model, x)
    np.testing.assert_allclose(found.scores, score, rtol=1e-6 if model.dtype == np.float32 else 1e-12)
    np.testing.assert_allclose(np.sum(terms, axis=0) + found.limit, score, rtol=0, atol=rtol * size)


PLAIN = {"metric_learning": "none", "linear_weight": None}
CASES = [
    ("online-kernel", 2, {}),
    ("online-kernel", 2, {"average": 0.3, "forget": None}),
    ("online-kernel", 2, {"average": "random", "forget": None, **PLAIN}),
    ("online-kernel", 3, {}),
    ("online-kernel", 3, {"linear_weight": None}),
    ("online-kernel", 0, {}),
    ("online-kernel", 0, {"scaling": "none"}),
    ("online-kernel", 2, {"hash_features": 8}),
    ("pa-merge", 2, {}),
    ("bsgd-project", 3, {"kernel": "laplacian"}),
    ("bsgd-merge", 2, {"gamma": 0.5, "average": True}),
    ("bsgd-smallest", 3, {"kernel": "poly", "gamma": 0.2}),
    ("budget-mira", 3, {}),
    ("pa-merge", 0, {}),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("algorithm", "classes", "params"), CASES)
def test_the_terms_sum_to_the_score(algorithm, classes, params, dtype):
    X, y = rows(classes)
    model = (Classifier if classes else Regressor)(algorithm, budget=30, **params)
    model.learn(X.astype(dtype), y)
    outputs = max(1, classes * (classes > 2))
    for n, x in zip((1, 10, 1000), X[:3].astype(dtype), strict=True):
        found = model.explain_one(x, n=n)
        count = min(n, model.n_support_vectors_)
        assert found.contributions.shape == (count, outputs)
        assert found.scores.shape == found.rest.shape == found.intercept.shape == (outputs,)
        assert found.linear.shape == (8 if "hash_features" in params else 3, outputs)
        assert_sums(model, x, found, 1e-4 if dtype == np.float32 else 1e-10)
        if count == model.n_support_vectors_:
            assert not found.rest.any()


@pytest.mark.parametrize(("algorithm", "classes", "params"), CASES)
def test_a_contribution_is_the_coefficient_times_the_similarity(algorithm, classes, params):
    X, y = rows(classes)
    model = (Classifier if classes else Regressor)(algorithm, budget=30, **params).learn(X, y)
    found = model.explain_one(X[0], n=5)
    similarities, coefficients = model._kernel_values(X[:1])[0], model.dual_coef_.T
    np.testing.assert_array_equal(found.similarities, similarities[found.indices])
    np.testing.assert_array_equal(found.vectors, model.support_vectors_[found.indices])
    every = coefficients * similarities[:, None]
    np.testing.assert_allclose(found.contributions, every[found.indices], rtol=1e-12)
    # The largest terms of the predicted class come first.
    of_predicted = np.abs(every[:, np.argmax(found.scores) if classes > 2 else 0])
    assert np.abs(of_predicted[found.indices]).tolist() == np.sort(of_predicted)[::-1][:5].tolist()
    if hasattr(model, "coef_"):
        np.testing.assert_allclose(found.intercept, model.intercept_)


def test_without_merging_the_labels_are_the_labels_of_the_rows():
    X, y = rows(3, count=200)
    model = Classifier("pa-random", budget=30, gamma=0.5).learn(X, y)
    found = model.explain_one(X[0], n=30)
    of_rows = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
    assert found.labels.tolist() == [of_rows[vector.tobytes()] for vector in found.vectors]
    assert len(set(found.labels)) == 3
    assert Regressor(budget=5).learn(X, X[:, 0]).explain_one(X[0]).labels is None


def test_the_vote_of_recent_rows_is_explained_where_it_predicts():
    X, y = moving_clusters(6000, dtype=np.float64)
    model = Classifier(budget=50).learn(X, y)
    assert model.n_support_vectors_ == 512  # the vote
    found = model.explain_one(X[-1], n=20)
    assert_sums(model, X[-1], found, 1e-10)
    assert not found.linear.any()
    assert not found.intercept.any()


def test_columns_have_names_and_categories_of_a_column_are_one_sum():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"town": rng.choice(["Oslo", "Rome", "Bern"], 900), "age": rng.normal(40, 9, 900)})
    y = np.where((frame.town == "Oslo") ^ (frame.age > 40), "yes", "no")
    model = Classifier(budget=30).learn(frame, y)
    row = frame.iloc[3].to_dict()
    found = model.explain_one(row)
    assert found.columns.tolist() == ["town", "age"]
    assert found.linear.shape == (2, 1)
    score = model.decision_function(frame[3:4])
    total = found.contributions.sum() + found.rest + found.linear.sum() + found.intercept + found.limit
    np.testing.assert_allclose(total, score, rtol=1e-9)
    np.testing.assert_allclose(found.scores, score)
    numbers = Classifier(budget=30).learn(frame[["age"]].to_numpy(), y)
    assert numbers.explain_one([40.0]).columns is None


def test_a_prediction_at_the_end_of_the_range_of_the_targets_is_limited():
    X = np.linspace(-1, 1, 400)[:, None]
    y = np.clip(X[:, 0] * 3, -1, 1)
    order = np.random.default_rng(0).permutation(400)
    model = Regressor(budget=20).learn(X[order], y[order])
    far = np.array([1.6])
    found = model.explain_one(far)
    assert found.scores[0] == y.max()
    assert found.limit[0] < 0
    assert_sums(model, far, found, 1e-10)


def test_a_list_equals_an_array():
    X, y = rows()
    model = Classifier(budget=30).learn(X, y)
    from_array, from_list = (dataclasses.asdict(model.explain_one(x)) for x in (X[0], X[0].tolist()))
    np.testing.assert_equal(from_array, from_list)
    names = "scores indices vectors labels similarities contributions rest columns linear intercept limit"
    assert set(from_array) == set(names.split())


@pytest.mark.parametrize(
    ("x", "n", "error", "message"),
    [
        ([0.0, 1.0], 5, ValueError, "features"),
        ([0.0] * 3, 0, ValueError, "n must be an integer >= 1, got 0"),
        ([0.0] * 3, 2.5, TypeError, r"n must be an integer >= 1, got 2\.5"),
    ],
)
def test_invalid_arguments_raise(x, n, error, message):
    model = Classifier(budget=30).learn(*rows(count=100))
    with pytest.raises(error, match=message):
        model.explain_one(x, n=n)


def test_a_model_without_rows_raises():
    with pytest.raises(ValueError, match="has not learned any rows"):
        Classifier().explain_one([0.0])


@pytest.mark.parametrize(("kind", "y"), [(Classifier, ["a", "a"]), (Regressor, [3.0, 3.0])])
def test_models_of_one_class_or_one_target(kind, y):
    model = kind(budget=5).learn([[0.0], [1.0]], y)
    found = model.explain_one([0.5])
    assert found.contributions.shape == (len(found.indices), 1)
    assert_sums(model, [0.5], found, 1e-12)
