"""predict_proba and predict_log_proba: who has them, and what the others say."""

import numpy as np
import pytest

from budgetrs import BPAClassifier, BSGDClassifier, BudgetMIRA, BudgetPerceptron, OnlineKernelClassifier
from conftest import blobs, board

METHODS = ("predict_proba", "predict_log_proba")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "kind", [OnlineKernelClassifier, lambda **given: BSGDClassifier(loss="log_loss", **given)]
)
def test_logarithms_are_those_of_the_probabilities(kind, n_classes):
    X, y = blobs(300, n_classes)
    estimator = kind(budget=15, random_state=0).fit(X, y)
    expected = np.log(estimator.predict_proba(X))
    assert np.isfinite(expected).all()
    np.testing.assert_array_equal(estimator.predict_log_proba(X), expected)
    assert estimator.predict_log_proba(X).shape == (300, n_classes)


def test_the_logarithm_of_zero_is_no_warning(monkeypatch):
    X, y = board(100)
    estimator = OnlineKernelClassifier(random_state=0).fit(X, y)
    monkeypatch.setattr(OnlineKernelClassifier, "predict_proba", lambda self, X: np.array([[0.0, 1.0]]))
    assert estimator.predict_log_proba(X[:1]).tolist() == [[-np.inf, 0.0]]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (BSGDClassifier(), 'it needs loss="log_loss", got "hinge"; or use OnlineKernelClassifier'),
        (BPAClassifier(), r'use OnlineKernelClassifier or BSGDClassifier\(loss="log_loss"\)'),
        (BudgetMIRA(), "use OnlineKernelClassifier or BSGDClassifier"),
        (BudgetPerceptron(), "use OnlineKernelClassifier or BSGDClassifier"),
    ],
    ids=str,
)
def test_others_say_what_has_probabilities(estimator, reason, method):
    estimator.fit(*board(50))
    assert not hasattr(estimator, method)
    with pytest.raises(
        AttributeError, match=f"this {type(estimator).__name__} has no {method}: {reason}"
    ) as caught:
        getattr(estimator, method)
    assert caught.value.name == method


@pytest.mark.parametrize("method", METHODS)
def test_the_loss_decides(method):
    estimator = BSGDClassifier(loss="log_loss")
    assert hasattr(estimator, method)
    assert not hasattr(estimator.set_params(loss="hinge"), method)
    assert hasattr(OnlineKernelClassifier(), method)
    assert getattr(BSGDClassifier, method).__doc__.startswith("Compute the ")
