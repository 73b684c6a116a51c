"""The weights of the online kernel machine act as rows."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from budgetrs import OnlineKernelClassifier


def overlapping(rows, seed=0):
    """Two classes that overlap; a tenth of the rows is positive."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    return X, (rng.random(rows) < 1 / (1 + np.exp(3 - 1.5 * X[:, 0]))).astype(int)


def test_the_recall_of_a_class_rises_with_its_weight():
    (X, y), (T, t) = overlapping(4000), overlapping(4000, seed=1)

    def recall(weight):
        estimator = OnlineKernelClassifier(class_weight={0: 1, 1: weight}, random_state=0)
        return estimator.fit(X, y).predict(T)[t == 1].mean()

    recalls = [recall(weight) for weight in (1, 3, 10, 30, 100)]
    assert all(after > before - 0.015 for before, after in pairwise(recalls))
    assert recalls[0] < 0.25 < 0.6 < recalls[-1]


def of_five_classes(rows, seed=0):
    """Five classes that overlap; four fifths of the rows are of the first."""
    rng = np.random.default_rng(seed)
    y = rng.choice(5, rows, p=[0.8, 0.05, 0.05, 0.05, 0.05])
    return np.vstack([np.zeros(4), 1.2 * np.eye(4)])[y] + rng.normal(size=(rows, 4)), y


@pytest.mark.parametrize(("passes", "seed"), [(1, 0), (1, 1), (3, 0), (3, 1)])
def test_one_class_of_several_has_the_recall_of_logistic_regression(passes, seed):
    (X, y), (T, t) = of_five_classes(6000), of_five_classes(6000, seed=1)
    recalls = []
    for weight in (4, 8, 16, 30, 100):
        weights = {1: weight}
        estimator = OnlineKernelClassifier(class_weight=weights, max_iter=passes, random_state=seed)
        ours, theirs = (
            (model.fit(X, y).predict(T)[t == 1] == 1).mean()
            for model in (estimator, LogisticRegression(class_weight=weights))
        )
        assert ours > theirs - 0.1
        recalls.append(ours)
    assert recalls == sorted(recalls)
