"""The losses of gradient descent, as estimators show them: quantiles, and what may diverge."""

import warnings

import numpy as np
import pytest

from budgetrs import BSGDClassifier, BSGDRegressor, PoorFitWarning, Regressor


def wave(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 1))
    return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_the_quantile_loss_covers_its_share(quantile):
    X, y = wave(20_000)
    model = BSGDRegressor(
        budget=40, gamma=1.0, alpha=1e-3, loss="quantile", quantile=quantile, random_state=0
    )
    X_test, y_test = wave(5000, seed=1)
    assert abs((y_test <= model.fit(X, y).predict(X_test)).mean() - quantile) < 0.06


def test_a_squared_loss_that_may_diverge_warns_and_stays_finite():
    X, y = wave(2000)
    with (
        pytest.warns(UserWarning, match='loss="squared_error" can diverge without project_to_ball=True'),
        pytest.warns(PoorFitWarning, match="is not better than always predicting the mean"),
    ):
        model = BSGDRegressor(loss="squared_error", alpha=1e-6, budget=20, random_state=0).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BSGDRegressor(loss="squared_error", project_to_ball=True, budget=20, random_state=0).fit(X, y)
    native = Regressor("bsgd-merge", loss="squared_error", alpha=1e-20, budget=20)
    assert np.isfinite(native.learn(X.astype(np.float32), y).dual_coef_).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"loss": "hinge"}, "cannot be combined with regression"),
        ({"loss": "quantile", "quantile": 1.0}, "quantile must be a number between 0 and 1"),
        ({"maintenance": "margin"}, "maintenance.*epsilon_insensitive"),
    ],
    ids=str,
)
def test_invalid_combinations_raise(params, message):
    with pytest.raises(ValueError, match=message):
        BSGDRegressor(**params).fit(*wave(50))


def test_probabilities_are_calibrated():
    # P(y = 1) = 1/(1 + e^{-2 x}): among rows of one predicted probability that is the share of ones.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 1))
    y = (rng.uniform(size=20_000) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    model = BSGDClassifier(budget=50, loss="log_loss", alpha=1e-3, gamma=0.5, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert ((p[:, 1] > 0.5) == (model.predict(X) == 1)).all()
    for low in np.arange(0.1, 0.9, 0.2):
        rows = (p[:, 1] >= low) & (p[:, 1] < low + 0.2)
        assert rows.sum() > 500
        assert abs(y[rows].mean() - p[rows, 1].mean()) < 0.08
