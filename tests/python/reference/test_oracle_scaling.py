"""Online scaling of faulty streams against its oracle, row by row, with and without forgetting."""

import numpy as np
import pytest

from budgetrs import Classifier
from oracle_scaling import RobustScaling
from recorded import recorded
from streams import faulty

ROWS = 3000
COMPARED = [rows for rows in range(1, ROWS + 1) if rows % 49 == 0 or rows % 1000 == 0]
MEMORIES = [None, 200]


@recorded([(forget,) for forget in MEMORIES])
def expected_of(forget):
    """Some rows as they are scaled after the rows of `COMPARED`."""
    X = faulty()
    oracle = RobustScaling(X.shape[1], np.inf if forget is None else forget)
    steps = []
    for n, row in enumerate(X, start=1):
        oracle.take(row)
        if n in COMPARED:
            steps.append({"scaled": oracle(X[::37]), "restarts": oracle.restarts})
    assert oracle.restarts > 0
    return steps


def assert_agrees(model, scaled, X):
    """Compare the rows as the model's linear kernel sees them, without features that are 0 in all vectors."""
    vectors = model.support_vectors_
    seen = np.abs(vectors).max(axis=0) > 0
    vectors = vectors[:, seen]
    # By einsum, as threads of BLAS wait long where tests run side by side.
    squares = np.einsum("ni,nj->ij", vectors, vectors)
    found = np.linalg.solve(squares, np.einsum("ni,mn->im", vectors, model._kernel_values(X))).T
    np.testing.assert_allclose(found, scaled[:, seen], rtol=0, atol=1e-7 - 2**-44)


@pytest.mark.filterwarnings("ignore:values that repeat")
@pytest.mark.parametrize("forget", MEMORIES)
@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_every_row_is_scaled_as_by_the_oracle(forget, batch):
    X = faulty()
    y = np.arange(ROWS) % 2
    options = {
        "metric_learning": "none",
        "linear_weight": None,
        "kernel": "linear",
        "maintenance": "none",
        "budget": None,
    }
    model = Classifier("online-kernel", classes=[0, 1], forget=forget, **options)
    expected = dict(zip(COMPARED, expected_of(forget), strict=True))
    for i in range(0, ROWS, batch):
        model.learn(X[i : i + batch], y[i : i + batch])
        step = expected.get(min(i + batch, ROWS))
        if step is not None and model.n_support_vectors_ >= 40:
            assert_agrees(model, step.scaled, X[::37])
    assert model.n_scaling_restarts_ == step.restarts
    repeated = {feature for feature, value, _ in model._repeated_outliers() if value == -999.0}
    assert repeated == {0, 2}
