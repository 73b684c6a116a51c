"""Targets times a power of two: predictions times the same power, bit for bit."""

import pickle
from functools import partial

import numpy as np
import pytest

from budgetrs import OnlineKernelRegressor, Regressor, combine

POWERS = (-60, -33, 1)


def _stream(draw: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and targets with an offset, zeros, a change of size and outliers, all at random."""
    X = draw.normal(size=(rows, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + draw.choice([0.0, 1.0, 1e3])
    y[: draw.integers(3)] = 0.0
    y[rows // 2 :] *= draw.choice([1.0, 1.0, 1e4, 1e-4])
    y[draw.integers(rows, size=3)] *= draw.choice([1.0, 1e6])
    return X, y


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(4))
def test_native_predictions_have_the_units_of_the_targets(seed: int, dtype: str) -> None:
    draw = np.random.default_rng(seed)
    X, y = _stream(draw, 700)
    X = X.astype(dtype)
    cut = int(draw.integers(700))
    budget = int(draw.choice([5, 30, 64]))

    def learned(unit: float) -> Regressor:
        model = Regressor(budget=budget).learn(X[:cut], y[:cut] * unit)
        model = Regressor.from_bytes(model.to_bytes())
        return combine([model.learn(X[cut:], y[cut:] * unit), model]).learn(X[:50], y[:50] * unit)

    expected = learned(1.0)
    for unit in (2.0**power for power in POWERS):
        model = learned(unit)
        for values in (
            partial(Regressor.predict, X=X),
            partial(Regressor.predict_interval, X=X),
            lambda model: np.array(model.dual_coef_),
            lambda model: np.array(model.mean_absolute_error_),
        ):
            np.testing.assert_array_equal(values(model), values(expected) * unit)
        assert model.constant_error_ == expected.constant_error_ * unit**2
        assert model.no_change_error_ == expected.no_change_error_ * unit**2


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fitted_predictions_have_the_units_of_the_targets(dtype: str) -> None:
    X, y = _stream(np.random.default_rng(7), 900)
    X = X.astype(dtype)
    y *= 800.0 / np.abs(y).max()  # times 2^40 below the limit of 1e15
    fit = partial(OnlineKernelRegressor(budget=30, random_state=0).fit, X)
    expected = fit(y).predict(X)
    for power in (*POWERS, 40):
        np.testing.assert_array_equal(fit(y * 2.0**power).predict(X), expected * 2.0**power)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("power", [-48, 0, 10])
def test_merging_does_not_depend_on_the_size_of_coefficients(dtype: str, power: int) -> None:
    X, y = np.array([[0.0], [5.0], [0.7]], dtype), np.array([1.0, 3.0, 2.0]) * 2.0**power
    model = Regressor("pa-merge", budget=2, gamma=1.0, epsilon=0.0, C=1e6).learn(X, y)
    assert model.support_vectors_[1, 0] == pytest.approx(0.42437, abs=1e-4)


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("budget", [7, 8, 24])
def test_fitted_and_combined_models_continue_like_their_copies(budget: int, dtype: str) -> None:
    X, y = _stream(np.random.default_rng(budget), 400)
    X = X.astype(dtype)
    fitted = OnlineKernelRegressor(budget=budget, random_state=0, max_iter=1).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    for model in (fitted, copy):
        model.partial_fit(X[:200], -y[:200])
    np.testing.assert_array_equal(fitted.predict(X), copy.predict(X))
    combined = combine([Regressor(budget=budget).learn(X, y)])
    copy = Regressor.from_bytes(combined.to_bytes())
    for model in (combined, copy):
        model.learn(X[:200], -y[:200])
    assert combined.to_bytes() == copy.to_bytes()


def test_combined_regressors_pool_what_they_know_of_targets() -> None:
    X = np.random.default_rng(0).uniform(-1, 1, (4000, 2))
    first = Regressor(budget=50).learn(X[:1000], X[:1000, 0])
    near = Regressor(budget=50, feature_space=first).learn(X[:2000], X[:2000, 0])
    far = Regressor(budget=50, feature_space=first).learn(X[2000:], X[2000:, 0] + 100)
    expected = (near.predict(X[:99]) + far.predict(X[:99])) / 2
    for models in ([near, far], [far, near]):
        combined = combine(models)
        np.testing.assert_allclose(combined.predict(X[:99]), expected, atol=1e-6)
        errors = [np.mean(np.diff(model.predict_interval(X[:99]))) for model in (combined, *models)]
        assert 0.9 * min(errors[1:]) <= errors[0] <= 1.1 * max(errors[1:])
