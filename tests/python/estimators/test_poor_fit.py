"""The warning of a model that is not better than a constant."""

import lzma
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_svmlight_file

from budgetrs import (
    BPAClassifier,
    BPARegressor,
    BSGDClassifier,
    BSGDRegressor,
    BudgetMIRA,
    BudgetPerceptron,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    PoorFitWarning,
)
from conftest import board, but_nightly
from kinds import orders_of

CLASSIFIERS = [BSGDClassifier, BPAClassifier, BudgetMIRA, BudgetPerceptron, OnlineKernelClassifier]
REGRESSORS = [BSGDRegressor, BPARegressor, OnlineKernelRegressor]


def noise(rows, share, seed=0):
    """Labels of which the features say nothing; a share of them is 1."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 4)), (rng.random(rows) < share).astype(int)


def offset(rows, seed=0):
    """Targets that the steps of a passive-aggressive model do not reach."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, 2))
    return X, 1e6 + 1e5 * X[:, 0]


def batches(X, y, size=100):
    return [(X[start : start + size], y[start : start + size]) for start in range(0, len(y), size)]


def said(call, *args):
    """The warnings of a call; they name this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*args)
    assert all(warning.category is PoorFitWarning for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


def stream(estimator, X, y, **first):
    def run():
        for batch in batches(X, y):
            estimator.partial_fit(*batch, **first)

    return run


def test_classes_that_are_predicted_worse_than_the_most_frequent_one():
    X, y = noise(4000, 0.1)
    estimator = BudgetMIRA(maintenance="margin", budget=20, random_state=0)
    (text,) = said(lambda: estimator.fit(X, y))
    seed = int(np.random.RandomState(0).randint(0, 2**64, dtype=np.uint64))
    (rows,) = orders_of(estimator._new_model(seed, gamma=estimator.gamma_, classes=[0, 1]), X, y)
    first = rows[:2000]
    half = estimator._new_model(seed, gamma=estimator.gamma_, classes=[0, 1]).learn(X[first], y[first])
    wrong, rare = estimator.n_mistakes_ - half.n_mistakes_, y[rows[2000:]].sum()
    assert text == (
        "BudgetMIRA is not better than always predicting the most frequent class: it predicted "
        f"{wrong:,} of the last 2,000 rows wrongly just before it learned them, and the most frequent class "
        f'is wrong on {rare}: try scaling="online", other '
        "parameters or OnlineKernelClassifier, which needs no tuning"
    )
    (text,) = said(lambda: estimator.set_params(scaling="online").fit(X, y))
    assert text.endswith(": try other parameters or OnlineKernelClassifier, which needs no tuning")
    # The passes before the last one do not count.
    (text,) = said(lambda: estimator.set_params(max_iter=3).fit(X, y))
    assert " of the last 4,000 rows wrongly " in text


def test_targets_that_are_predicted_worse_than_by_their_mean():
    X, y = offset(4000)
    estimator = BPARegressor(random_state=0)
    (text,) = said(lambda: estimator.fit(X, y))
    assert text.startswith(
        "BPARegressor is not better than always predicting the mean: it predicted the last 2,000 rows, "
    )
    assert text.endswith(
        'try scaling="online", targets of mean 0 and standard deviation 1 or OnlineKernelRegressor, which '
        "needs no tuning"
    )
    assert said(lambda: estimator.fit(X, (y - y.mean()) / y.std())) == []
    assert said(lambda: OnlineKernelRegressor(random_state=0).fit(X, y)) == []


def test_a_stream_is_told_once():
    X, y = noise(8000, 0.1)
    estimator = BudgetMIRA(maintenance="margin", budget=20, random_state=0)
    (text,) = said(stream(estimator, X, y, classes=[0, 1]))
    assert " of the last 1,000 rows wrongly " in text
    assert said(stream(estimator, X, y)) == []
    # A fit is another one.
    assert len(said(lambda: estimator.fit(X, y))) == 1

    (text,) = said(stream(BPARegressor(), *offset(8000)))
    assert text.startswith(
        "BPARegressor is not better than always predicting the mean: it predicted the last 1,"
    )


def test_the_first_steps_of_a_stream_do_not_count():
    """Those of SGD are of the length 1 / alpha: what is wrong by so much at first may soon be right."""
    X, _ = offset(12_000)
    estimator = BSGDRegressor(alpha=1e-3, gamma=1.0, random_state=0)
    assert said(stream(estimator, X, X[:, 0])) == []
    assert estimator.mean_squared_error_ > X[:, 0].var()
    assert estimator.score(X, X[:, 0]) > 0.9


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS])
def test_good_fits_and_few_rows_are_no_reason(estimator):
    X, y = board(4000, dtype=np.float64)
    target = (y + 0.1 * X[:, 0]) if estimator in REGRESSORS else y
    more = {} if estimator is OnlineKernelClassifier or estimator is OnlineKernelRegressor else {"gamma": 4.0}
    assert said(lambda: estimator(random_state=0, **more).fit(X, target)) == []
    rows = 499
    X, y = offset(rows) if estimator in REGRESSORS else noise(rows, 0.1)
    assert said(lambda: estimator(random_state=0).fit(X, y)) == []
    assert said(stream(estimator(), X, y, **({} if estimator in REGRESSORS else {"classes": [0, 1]}))) == []


@pytest.mark.parametrize("rows", [500, 2000])
def test_chance_level_is_a_reason(rows):
    for seed, share in enumerate([0.5, 0.5, 0.4, 0.35]):
        X, y = noise(rows, share, seed)
        (text,) = said(OnlineKernelClassifier(budget=20, random_state=0).fit, X, y)
        assert "is not better than always predicting the most frequent class" in text
        targets = np.random.default_rng(seed).normal(size=rows)
        for y in (targets, np.exp(targets)):
            (text,) = said(OnlineKernelRegressor(budget=20, random_state=0).fit, X, y)
            assert "is not better than always predicting the m" in text


def test_weak_relations_are_no_reason():
    for seed in range(3):
        X, y = noise(5000, 0.5, seed)
        weak = np.where(np.random.default_rng(seed).random(5000) < 0.2, X[:, 0] > 0, y)
        assert said(OnlineKernelClassifier(budget=20, random_state=0, max_iter=1).fit, X, weak) == []
        targets = X[:, 0] / 4 + np.random.default_rng(seed + 10).normal(size=5000)
        assert said(OnlineKernelRegressor(budget=20, random_state=0, max_iter=1).fit, X, targets) == []


def test_a_rare_class_that_can_be_found_is_no_reason():
    X, y = noise(3000, 0.02)
    X[:, 0] += 4 * y
    assert said(BSGDClassifier(budget=50, random_state=0, scaling="online").fit, X, y) == []


def test_other_aims_are_no_reason():
    X, y = noise(4000, 0.1)
    estimator = BudgetMIRA(maintenance="margin", budget=20, random_state=0)
    assert len(said(lambda: clone(estimator).fit(X, y))) == 1
    assert said(lambda: clone(estimator).set_params(class_weight="balanced").fit(X, y)) == []
    assert said(lambda: clone(estimator).fit(X, y, sample_weight=np.full(4000, 0.5))) == []
    balanced = clone(estimator).set_params(class_weight="balanced")
    assert said(stream(balanced, X, y, classes=[0, 1])) == []
    assert len(said(stream(clone(estimator), X, y, classes=[0, 1]))) == 1
    # A stream of rows in the order of their classes: what is the most frequent one so far is wrong.
    order = np.argsort(y, kind="stable")
    with pytest.warns(UserWarning, match="sorted by label") as caught:
        stream(BSGDClassifier(gamma=1.0), X[order], y[order], classes=[0, 1])()
    assert len(caught) == 1

    X, y = offset(4000)
    skewed = np.exp(2 * X[:, 0] + np.random.default_rng(1).normal(size=4000))
    for loss, params in (("quantile", {"quantile": 0.95}), ("absolute_error", {})):
        estimator = BSGDRegressor(loss=loss, alpha=1e-2, random_state=0, **params)
        assert said(estimator.fit, X, skewed) == [], loss
    averaged = BSGDRegressor(average=True, random_state=0)
    assert said(lambda: averaged.fit(X, y)) == []


def test_as_an_error_it_leaves_the_fitted_model():
    X, y = offset(4000)
    estimator = BPARegressor(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PoorFitWarning):
            estimator.fit(X, y)
    assert estimator.n_samples_seen_ == 4000


@pytest.mark.parametrize("name", but_nightly(["a9a", "letter", "ijcnn1"], often=["ijcnn1"]))
def test_real_classes(name, real_data):
    with lzma.open(real_data(f"{name}.train.libsvm.xz")) as file:
        X, y = load_svmlight_file(file)
    X, y = X[:10_000], y[:10_000]
    for kind in CLASSIFIERS:
        assert said(kind(random_state=0).fit, X.toarray(), y) == [], kind
    cache = said(lambda: BudgetMIRA(maintenance="margin", random_state=0).fit(X, y))
    assert len(cache) == (1 if name == "a9a" else 0)
