"""The baselines of progressive errors, compared with slow Python over randomly cut streams."""

import numpy as np
import pytest

from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor

NAMES = {
    Classifier: ("no_change_error_", "majority_error_"),
    Regressor: ("no_change_error_", "constant_error_"),
}


def errors_of_classes(labels):
    no_change, majority, counts, most_frequent = 0, 0, {}, None
    for at, label in enumerate(labels):
        if at > 0:
            no_change += label != labels[at - 1]
            majority += label != most_frequent
        counts[label] = counts.get(label, 0) + 1
        if counts[label] > counts.get(most_frequent, 0):
            most_frequent = label
    return no_change / len(labels), majority / len(labels)


def errors_of_values(targets):
    no_change, constant, total = 0.0, 0.0, 0.0
    for at, y in enumerate(targets):
        if at > 0:
            no_change += (y - targets[at - 1]) * (y - targets[at - 1])
            constant += (y - total / at) * (y - total / at)
        total += y
    return no_change / len(targets), constant / len(targets)


def found(model):
    return tuple(getattr(model, name) for name in NAMES[type(model)])


def stream(rng, kind, rows):
    X = rng.normal(size=(rows, 2))
    if kind is Regressor:
        return X, rng.normal(3, 1e3, rows), errors_of_values
    # Some classes appear late, and most labels repeat.
    labels = np.minimum(rng.integers(0, 6, rows), np.arange(rows) // 40).astype(str)
    same = rng.random(rows) < 0.5
    for at in range(1, rows):
        labels[at] = labels[at - 1] if same[at] else labels[at]
    return X, labels, errors_of_classes


@pytest.mark.parametrize("algorithm", ["online-kernel", "pa-merge"])
@pytest.mark.parametrize("kind", NAMES)
def test_baselines_equal_slow_ones_however_a_stream_is_cut(kind, algorithm):
    rng = np.random.default_rng(5)
    X, y, expected = stream(rng, kind, 300)
    weight = rng.choice([0.0, 0.5, 2.0], len(X))
    model, at = kind(algorithm, budget=5), 0
    while at < len(X):
        part = slice(at, at + rng.choice([1, 3, 40]))
        if rng.random() < 0.5 and part.stop == at + 1:
            model.learn_one(X[at], y[at].item(), sample_weight=weight[at])
        else:
            model.learn(X[part], y[part], sample_weight=weight[part])
        at = part.stop
        learned = y[:at][weight[:at] > 0].tolist()
        if learned:
            assert found(model) == expected(learned)
        if rng.random() < 0.2:
            model = kind.from_bytes(model.to_bytes())
        if rng.random() < 0.2:
            # A repeated pass changes no progressive figure.
            model.learn(X[:at], y[:at], sample_weight=weight[:at], repeated=True)
    whole = kind(algorithm, budget=5).learn(X, y, sample_weight=weight)
    assert found(whole) == found(model)


@pytest.mark.parametrize("kind", NAMES)
def test_the_first_row_is_no_error(kind):
    model = kind()
    assert not any(hasattr(model, name) for name in NAMES[kind])
    assert found(model.learn([[1.0]], [7])) == (0.0, 0.0)


@pytest.mark.parametrize("exponent", [-40, 1, 30])
def test_power_of_two_units_of_the_target_change_no_digit(exponent):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    unit = 2.0**exponent
    own, scaled = found(Regressor(budget=5).learn(X, y)), found(Regressor(budget=5).learn(X, y * unit))
    assert scaled == tuple(error * unit**2 for error in own)


def test_estimators_show_the_baselines_of_the_first_pass():
    rng = np.random.default_rng(7)
    X, labels, _ = stream(rng, Classifier, 200)
    estimator = OnlineKernelClassifier(budget=5, shuffle=False, max_iter=2).fit(X, labels)
    expected = errors_of_classes(labels.tolist())
    assert (estimator.no_change_error_, estimator.majority_error_) == expected
    y = rng.normal(size=200)
    estimator = OnlineKernelRegressor(budget=5, shuffle=False, max_iter=2).fit(X, y)
    assert (estimator.no_change_error_, estimator.constant_error_) == errors_of_values(y.tolist())
