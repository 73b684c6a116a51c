"""The recent error, computed in plain Python from predictions made before each row is learned."""

import numpy as np
import pytest

import budgetrs.river
from budgetrs import (
    BSGDClassifier,
    BSGDRegressor,
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
)

WINDOW = 1000


def recent(errors):
    """The mean of the first 1,000 errors; each later error replaces a thousandth of it."""
    first, later = errors[:WINDOW], errors[WINDOW:]
    kept = (1 - 1 / WINDOW) ** len(later)
    ages = np.arange(len(later))[::-1]
    return kept * np.mean(first) + np.sum(later * (1 - 1 / WINDOW) ** ages) / WINDOW


def stream(kind, rows=2600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    if kind is Regressor:
        return X, 1 + X[:, 0] * X[:, 1] + np.where(np.arange(rows) > 1800, 3.0, 0.0)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    # The third class appears late, and then the labels change.
    late = np.arange(rows) > 1800
    return X, np.where(late, (y + 1) % 3, np.minimum(y, np.where(np.arange(rows) < 700, 1, 2)))


def counted(model):
    """The sum of all errors that the model has counted."""
    if not hasattr(model, "n_features_in_"):
        return 0.0
    return model._counters[2][2] if isinstance(model, Regressor) else model.n_mistakes_


def error_before(model, x, y):
    if not hasattr(model, "n_features_in_"):
        # Regressors start from 0, and the first class cannot be predicted.
        return abs(y) if isinstance(model, Regressor) else 0.0
    found = model.predict_one(x)
    return abs(found - y) if isinstance(model, Regressor) else float(found != y)


CASES = [
    (Classifier, "online-kernel", {}),
    (Classifier, "online-kernel", {"forget": None, "average": False}),
    (Classifier, "pa-merge", {"gamma": 0.5}),
    (Classifier, "bsgd-merge", {"gamma": 0.5}),
    (Classifier, "budget-perceptron-distill", {"gamma": 0.5}),
    (Classifier, "budget-mira", {"gamma": 0.5}),
    (Regressor, "online-kernel", {}),
    (Regressor, "pa-merge", {"gamma": 0.5}),
    (Regressor, "bsgd-merge", {"gamma": 0.5}),
]


@pytest.mark.parametrize(("kind", "algorithm", "params"), CASES)
def test_it_is_the_weighted_mean_of_errors_before_learning(kind, algorithm, params):
    X, y = stream(kind)
    model, errors, total = kind(algorithm, budget=20, **params), [], 0.0
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True), 1):
        errors.append(error_before(model, x, label))
        model.learn_one(x, label)
        if algorithm == "online-kernel":
            # It scales a row by statistics with the row itself, so its prediction differs a little.
            total, before = counted(model), total
            errors[-1] = total - before
        if t in (1, 2, 701, 999, 1000, 1001, 2600):
            assert model.recent_error_ == pytest.approx(recent(np.array(errors)), rel=1e-9), t
    whole = kind(algorithm, budget=20, **params).learn(X, y)
    assert whole.recent_error_ == model.recent_error_
    assert np.sum(errors) == pytest.approx(counted(whole))
    if algorithm == "online-kernel" and not params:
        # Since the change the error is another one.
        assert whole.recent_error_ != pytest.approx(np.mean(errors), rel=0.01)


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_the_first_rows_have_the_progressive_error(kind):
    X, y = stream(kind, rows=1000)
    model = kind(budget=20).learn(X, y)
    overall = model.progressive_error_ if kind is Classifier else model.mean_absolute_error_
    assert model.recent_error_ == pytest.approx(overall, rel=1e-12)


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_repeated_rows_and_rows_of_weight_0_do_not_count_and_files_keep_it(kind):
    X, y = stream(kind, rows=1500)
    weight = np.where(np.arange(1500) % 3 == 0, 0.0, 1.0)
    model = kind(budget=20).learn(X, y, sample_weight=weight)
    alone = kind(budget=20).learn(X[weight > 0], y[weight > 0])
    assert model.recent_error_ == alone.recent_error_ > 0
    before = model.recent_error_
    assert model.learn(X, y, repeated=True).recent_error_ == before
    assert kind.from_bytes(model.to_bytes()).recent_error_ == before


def test_a_repeated_row_of_a_new_class_does_not_count():
    model = Classifier(budget=20).learn([[0.0], [1.0], [0.2]], ["a", "b", "b"])
    before = model.recent_error_, model.n_mistakes_
    model.learn([[2.0]], ["c"], repeated=True)
    assert (model.recent_error_, model.n_mistakes_) == before
    model.learn([[3.0]], ["d"])
    assert model.n_mistakes_ == before[1] + 1
    assert model.recent_error_ == pytest.approx((before[0] * 3 + 1) / 4)


def test_a_model_without_rows_has_none():
    for kind in (Classifier, Regressor):
        with pytest.raises(ValueError, match="has not learned any rows"):
            kind().recent_error_  # noqa: B018


@pytest.mark.parametrize(
    ("estimator", "kind"),
    [
        (OnlineKernelClassifier, Classifier),
        (BSGDClassifier, Classifier),
        (OnlineKernelRegressor, Regressor),
        (BSGDRegressor, Regressor),
    ],
)
def test_estimators_have_it_after_fit_and_partial_fit(estimator, kind):
    X, y = stream(kind, rows=1500)
    model = estimator(budget=20).fit(X, y)
    assert model.recent_error_ == model._model.recent_error_ > 0
    parts = estimator(budget=20).partial_fit(X[:1200], y[:1200]).partial_fit(X[1200:], y[1200:])
    assert parts.recent_error_ == parts._model.recent_error_ > 0
    with pytest.raises(ValueError, match="is not fitted"):
        estimator().recent_error_  # noqa: B018


@pytest.mark.parametrize(("name", "kind"), [("Classifier", Classifier), ("Regressor", Regressor)])
def test_river_models_have_it(name, kind):
    X, y = stream(kind, rows=1200)
    model, native = getattr(budgetrs.river, name)(budget=20), kind(budget=20)
    for x, label in zip(X, y.tolist(), strict=True):
        model.learn_one(dict(enumerate(x.tolist())), label)
        native.learn_one(x, label)
    assert model.recent_error_ == native.recent_error_ > 0
