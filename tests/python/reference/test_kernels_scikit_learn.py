"""Kernel values against scikit-learn's Gaussian process kernels, which have them in double precision."""

import numpy as np
import pytest

from budgetrs import Classifier

pytest.importorskip("sklearn")
from sklearn.gaussian_process import kernels

# A length scale l is gamma = 1 / (2 l^2) in all of them.
GAMMAS = [0.02, 0.5, 30.0]
CASES = {
    "rbf": [({}, lambda scale: kernels.RBF(scale))],
    "matern32": [({}, lambda scale: kernels.Matern(scale, nu=1.5))],
    "matern52": [({}, lambda scale: kernels.Matern(scale, nu=2.5))],
    "rational-quadratic": [
        ({"alpha_rq": alpha}, lambda scale, alpha=alpha: kernels.RationalQuadratic(scale, alpha))
        for alpha in (1e-3, 0.3, 1.0, 2.0, 50.0, 1e3)
    ],
}


def kernel_row(kernel, gamma, parameters, stored, X):
    """Return k(stored, x) of each row: the score of a Perceptron that has made one mistake."""
    model = Classifier("perceptron", kernel=kernel, gamma=gamma, classes=[0, 1], **parameters)
    return model.learn(stored[None], [1]).decision_function(X)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-12)])
@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("kernel", CASES)
def test_kernels_agree_with_scikit_learn(kernel, gamma, dtype, tolerance):
    rng = np.random.default_rng(3)
    for features in (1, 5, 40):
        stored = rng.normal(size=features).astype(dtype)
        distances = 10 ** rng.uniform(-4, 2, (300, 1))
        X = (stored + distances * rng.normal(size=(300, features))).astype(dtype)
        X[0] = stored
        for parameters, reference in CASES[kernel]:
            exact = reference((2 * gamma) ** -0.5)(np.float64(stored)[None], np.float64(X))[0]
            found = kernel_row(kernel, gamma, parameters, stored, X)
            assert found.dtype == dtype
            assert found[0] == 1
            np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance, err_msg=str(parameters))
