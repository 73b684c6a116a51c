"""fit with warm_start goes on from the fitted model."""

import copy
from unittest.mock import patch

import numpy as np
import pytest

from budgetrs import BPARegressor, BSGDClassifier, OnlineKernelClassifier
from conftest import blobs, board
from kinds import KINDS, data_for, orders_of, small


def state(estimator):
    return estimator._model.to_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_it_goes_on(kind):
    X, y = data_for(kind)
    warm, cold, expected = (
        small(kind, shuffle=False, warm_start=warm, max_iter=1) for warm in (True, False, False)
    )
    warm.fit(X, y)
    expected.fit(X, y)
    assert state(warm) == state(expected)
    warm.fit(X[:100], y[:100])
    assert state(warm) == state(expected.partial_fit(X[:100], y[:100]))
    assert warm.n_samples_seen_ == 400
    assert state(cold.fit(X, y).fit(X[:100], y[:100])) != state(warm)
    assert cold.n_samples_seen_ == 100


def test_rows_are_shuffled_and_passes_counted():
    X, y = board(300)
    warm = small(BSGDClassifier, warm_start=True).fit(X, y).set_params(max_iter=2).fit(X, y)
    expected = small(BSGDClassifier).fit(X, y)
    for rows in orders_of(copy.copy(expected._model), X, y, passes=2):
        expected.partial_fit(X[rows], y[rows])
    assert state(warm) == state(expected)
    assert warm.n_iter_ == 2


def test_it_goes_on_from_partial_fit():
    X, y = board(300)
    warm = small(OnlineKernelClassifier, shuffle=False, warm_start=True, max_iter=1)
    expected = small(OnlineKernelClassifier)
    assert state(warm.partial_fit(X, y).fit(X, y)) == state(expected.partial_fit(X, y).partial_fit(X, y))


def test_balanced_classes_are_balanced_once():
    X, y = board(300)
    y[:200] = 1
    for warm in (False, True):
        stream = small(BSGDClassifier, class_weight="balanced").partial_fit(X, y, classes=[0, 1])
        if warm:
            stream.set_params(warm_start=True, shuffle=False).fit(X, y)
        else:
            expected = state(stream.partial_fit(X, y))
    assert state(stream) == expected


@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2, 3], [1, 2, 3]])
def test_other_classes_raise(labels):
    X, y = blobs(300)
    estimator = small(BSGDClassifier, warm_start=True).fit(X, y)
    before = state(estimator)
    with pytest.raises(
        ValueError, match=r"y must have the classes of the fitted model, \[0, 1, 2\], got \[.*partial_fit"
    ):
        estimator.fit(X, np.resize(labels, 300))
    assert state(estimator) == before


@pytest.mark.parametrize("kind", KINDS)
def test_other_features_raise(kind):
    X, y = data_for(kind)
    estimator = small(kind, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2 features"):
        estimator.fit(X[:, :1], y)
    assert estimator.set_params(warm_start=False).fit(X[:, :1], y).n_features_in_ == 1


def test_it_must_be_a_bool():
    with pytest.raises(TypeError, match='warm_start must be True or False, got "yes"'):
        small(BPARegressor, warm_start="yes").fit(*data_for(BPARegressor))


def test_a_stopped_fit_leaves_the_model():
    X, y = board(300)
    estimator = small(BSGDClassifier, warm_start=True, max_iter=3).fit(X, y)
    before, ended = state(estimator), []

    def stop(progress, number, passes, counters, n_support, *, repeated):
        ended.append(counters)
        raise KeyboardInterrupt

    with patch("budgetrs.estimators._progress.Progress.pass_ended", stop), pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert ended[0][0] == 1200  # rows
    assert state(estimator) == before


def test_parameters_that_have_no_effect_on_the_fitted_model_warn():
    X, y = board(300)
    stream = small(OnlineKernelClassifier, budget=20, warm_start=True).fit(X, y)
    expected = "continues its fitted model with budget=20: for budget=50 call fit with warm_start=False"
    for train in (stream.partial_fit, stream.fit):
        stream.set_params(budget=30).set_params(budget=50)
        with pytest.warns(UserWarning, match=expected):
            train(X, y)
        stream.set_params(budget=20, n_jobs=2)
        train(X, y)
    stream.set_params(warm_start=False, budget=50).fit(X, y).partial_fit(X, y)
    assert stream.n_support_vectors_ > 20


def test_parameters_that_are_set_before_the_first_row_do_not_warn():
    X, y = board(300)
    stream = small(BSGDClassifier).set_params(budget=7).partial_fit(X, y, classes=[0, 1])
    stream.set_params(class_weight={0: 2.0, 1: 1.0}, max_iter=3, verbose=0).partial_fit(X, y)
    assert stream.n_support_vectors_ == 7
