"""The scikit-learn estimator."""

import pickle
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.svm import SVC

from budgetrs import BSGDClassifier, Classifier
from budgetrs._core import scale_gamma
from conftest import blobs, board


def small(**params):
    return BSGDClassifier(**{"budget": 20, "gamma": 2.0, "random_state": 0, **params})


def state(estimator):
    return estimator._model.to_bytes()


def test_partial_fit_goes_on_after_fit():
    X, y = board(300)
    estimator = small(max_iter=2).fit(X, y)
    estimator.partial_fit(X, y)
    assert estimator.n_samples_seen_ == 900
    assert estimator.n_iter_ == 2


def test_classes_of_partial_fit():
    X, y = board(100)
    assert small().partial_fit(X, y).classes_.tolist() == [0, 1]
    assert small().partial_fit(X, y).n_iter_ == 1
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        small().partial_fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="greater than one"):
        small().partial_fit(X, y, classes=[1])
    estimator = small().partial_fit(X[:1], y[:1], classes=["0", "1"][:0] or [0, 1])
    before = state(estimator)
    with pytest.raises(ValueError, match=r"classes must be \[0, 1\]"):
        estimator.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="y"):
        estimator.partial_fit(X, y + 1)
    assert state(estimator) == before


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="number of classes has to be greater than one; got 1 class"):
        small().fit([[1.0], [2.0]], [3, 3])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_scale_is_that_of_svc(dtype):
    X, y = blobs(500, dtype=dtype)
    for data in (X, sp.csr_array(X), sp.csr_array(np.where(np.abs(X) < 1, 0, X)), X + dtype(1000)):
        dense = data.toarray() if sp.issparse(data) else data
        expected = SVC(gamma="scale").fit(dense.astype(np.float64), y)._gamma
        assert small(gamma="scale").fit(data, y).gamma_ == pytest.approx(expected, rel=1e-9)
    assert small(gamma="auto").fit(X, y).gamma_ == 0.25
    assert small(gamma="scale").fit(np.ones((20, 4)), y[:20]).gamma_ == 0.25


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
def test_gamma_standardized_is_that_of_all_rows(kernel):
    X, y = board(300, dtype=np.float64)
    parameters = {"budget": 20, "kernel": kernel, "gamma": "standardized", "maintenance": "random"}
    dense = BSGDClassifier(**parameters, random_state=0).fit(X, y)
    assert dense.gamma_ == pytest.approx(8 / np.mean((X**2).sum(axis=1)))
    sparse = BSGDClassifier(**parameters, random_state=0).fit(sp.csr_matrix(X), y)
    assert sparse.gamma_ == pytest.approx(dense.gamma_)
    scaled = BSGDClassifier(**parameters, scaling="online", random_state=0).fit(X * [1e6, 1e-6], y)
    assert scaled.gamma_ == 4.0


@pytest.mark.filterwarnings("ignore:.* all kernel values")
def test_gamma_scale_is_legal_whatever_the_data_are():
    X, y = blobs(200, dtype=np.float64)
    for factor, gamma in ((1e-160, 1e30), (1e160, 1e-30)):
        assert scale_gamma(X * factor) == gamma
    assert small(gamma="scale").fit(X * 1e-100, y).gamma_ == 1e30
    with pytest.raises(ValueError, match=r"X is too large at row 0: expected \|x\|\^2 <= 1e\+?140"):
        small(gamma="scale").fit(X * 1e160, y)
    # Small deviations from a large mean, against exact whole numbers.
    whole = np.random.default_rng(1).integers(0, 9, (200, 4))
    exact = 1 / (4 * whole.astype(np.longdouble).var())
    assert scale_gamma(whole + 1.7e9) == pytest.approx(float(exact), rel=1e-6)
    assert small(gamma="scale").fit(whole + 1.7e9, y).gamma_ == scale_gamma(whole + 1.7e9)


def test_gamma_scale_has_the_same_bits_sparse_and_dense():
    X, _ = blobs(500, dtype=np.float64)
    X = np.where(np.abs(X) < 1, 0, X) * 1.1
    for data in (sp.csr_array(X), sp.csc_array(X), sp.coo_array(X), np.asfortranarray(X), X[::-1][::-1]):
        assert scale_gamma(data) == scale_gamma(X)
    assert scale_gamma(X.astype(np.float32)) == scale_gamma(sp.csr_array(X.astype(np.float32)))
    for bad in ([], [[]], [[np.nan]], [1.0, 2.0]):
        with pytest.raises(ValueError, match="X"):
            scale_gamma(bad)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1e90, "X is too large at row 37"),
        (np.nan, "X contains NaN at row 37, column 2"),
        (np.inf, "X contains infinity at row 37, column 2"),
    ],
)
def test_the_row_of_an_invalid_value_is_named(value, message):
    X, y = blobs(100, dtype=np.float64)
    fitted = small().fit(X, y)
    X[37, 2] = value
    weight = np.where(np.arange(100) < 10, 0.0, 1.0)
    calls = [small().partial_fit, fitted.partial_fit]
    for shuffle in (True, False):
        calls += [small(shuffle=shuffle).fit, partial(small(shuffle=shuffle).fit, sample_weight=weight)]
    if not np.isfinite(value):
        # A row of weight 0 may be too large, and gamma may not be derived from one.
        calls += [small(gamma="scale").fit, partial(small().fit, sample_weight=1.0 - weight)]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call(X, y)
    for method in (fitted.predict, fitted.decision_function):
        with pytest.raises(ValueError, match=message):
            method(X)


class Spy:
    """A native model that keeps the calls it gets."""

    def __init__(self, *args, **kwargs):
        self.model, self.calls = Classifier(*args, **kwargs), []

    def __getattr__(self, name):
        member = getattr(self.model, name)
        if not callable(member):
            return member

        def call(*args, **kwargs):
            self.calls.append((name, args, kwargs))
            return member(*args, **kwargs)

        return call


@pytest.mark.parametrize("shuffle", [True, False])
def test_fit_looks_at_the_rows_once(shuffle):
    X, y = board(10_000)
    weight = np.where(np.arange(10_000) % 7 == 0, 0.0, 1.0)
    validation = "sklearn.utils.validation._assert_all_finite"
    for sample_weight, gamma in ((None, 2.0), (weight, 2.0), (None, "scale")):
        estimator = small(shuffle=shuffle, max_iter=2, gamma=gamma)
        with patch.object(type(estimator), "_native", Spy), patch(validation) as walk:
            estimator.fit(X, y, sample_weight=sample_weight)
        # The kernel values of a few rows are checked too.
        calls = [call for call in estimator._model.calls if call[0] != "_kernel_values"]
        assert [name for name, _, _ in calls] == ["fit"]
        # The caller's own array: no copy of it, whole or in pieces.
        assert all(args[0] is X for _, args, _ in calls)
        assert not any(np.shares_memory(X, call.args[0]) for call in walk.call_args_list)


@pytest.mark.filterwarnings("ignore:.* all kernel values")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types_are_kept(dtype):
    X, y = blobs(200, dtype=dtype)
    estimator = small().fit(X, y)
    assert estimator.support_vectors_.dtype == estimator.dual_coef_.dtype == dtype
    assert estimator.decision_function(X.astype(np.float64)).dtype == dtype
    assert estimator.decision_function(X).shape == (200, 3)
    assert small().fit(sp.csr_array(X), y).support_vectors_.dtype == dtype
    assert small().fit((X * 10).astype(int), y).support_vectors_.dtype == np.float64


@pytest.mark.parametrize("container", [sp.csc_matrix, sp.coo_array])
def test_sparse_input(container):
    X, y = blobs(300, dtype=np.float64)
    X[np.abs(X) < 1] = 0
    estimator = small(gamma=0.2).fit(container(X), y)
    near = small(gamma=0.2).fit(X, y)
    np.testing.assert_allclose(
        estimator.decision_function(container(X)), near.decision_function(X), rtol=1e-6
    )


def test_sparse_rows_with_duplicates_are_summed_and_left_alone():
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    estimator = small().fit(sp.vstack([X, X]).tocsr(), [0, 1, 0, 1])
    np.testing.assert_array_equal(
        estimator.decision_function(X), estimator.decision_function(sp.csr_array([[0.0, 3.0], [3.0, 0.0]]))
    )
    assert X.nnz == 3


def test_clone_is_unfitted_with_equal_parameters():
    estimator = small(kernel="laplacian", maintenance="random", class_weight={0: 2.0}).fit(*board(50))
    other = clone(estimator)
    assert other.get_params() == estimator.get_params()
    with pytest.raises(NotFittedError):
        other.predict([[0.0, 0.0]])


FITTED = (
    "classes_ support_vectors_ dual_coef_ n_support_vectors_ n_samples_seen_ n_updates_ n_mistakes_ "
    "n_maintenances_ mean_weight_degradation_ gamma_ n_features_in_ n_iter_"
)


def test_reading_changes_no_attribute():
    X, y = board(100)
    estimator = small().fit(X, y)
    for name in FITTED.split():
        assert getattr(estimator, name) is not None
        assert not hasattr(clone(estimator), name)
    before = {key: id(value) for key, value in vars(estimator).items()}
    estimator.predict(X), estimator.decision_function(X), estimator.score(X, y), repr(estimator)
    for name in dir(estimator):
        if name.endswith("_") and not name.startswith("__"):
            getattr(estimator, name, None)
    assert {key: id(value) for key, value in vars(estimator).items()} == before


@pytest.mark.parametrize(
    ("change", "X", "y"),
    [
        ({}, [[np.nan, 1.0], [1.0, 2.0]], [0, 1]),
        ({}, [[1.0], [2.0]], [1, 1]),
        ({"gamma": -1.0}, [[1.0], [2.0]], [0, 1]),
        ({"budget": -1, "warm_start": True}, [[1.0, 2.0], [2.0, 1.0]], [0, 1]),
        ({"kernel": "linear"}, [[1.0], [2.0]], [0, 1]),
        ({"max_iter": 0}, [[1.0], [2.0]], [0, 1]),
        ({"class_weight": {5: 1.0}}, [[1.0], [2.0]], [0, 1]),
        ({"class_weight": {0: -1.0}}, [[1.0], [2.0]], [0, 1]),
    ],
)
def test_a_refused_fit_leaves_the_fitted_model(change, X, y):
    data, labels = board(100)
    estimator = small().fit(data, labels)
    before, scores = state(estimator), estimator.decision_function(data)
    with pytest.raises(ValueError, match=r".+"):
        estimator.set_params(**change).fit(X, y)
    assert state(estimator) == before
    assert estimator.n_features_in_ == 2
    np.testing.assert_array_equal(estimator.decision_function(data), scores)


def test_an_interrupted_fit_leaves_the_fitted_model():
    X, y = board(100)
    estimator = small().fit(X, y)
    before = state(estimator)
    with (
        patch.object(type(estimator), "_learn_passes", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        estimator.fit(X[:, :1], y)
    assert state(estimator) == before
    assert estimator.n_features_in_ == 2


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"max_iter": 0}, ValueError, "max_iter.*1.*0"),
        ({"max_iter": 1.5}, TypeError, "max_iter.*1.5"),
        ({"shuffle": "no"}, TypeError, 'shuffle must be True or False, got "no"'),
        ({"alpha": 10**400}, ValueError, "alpha.*1e20"),
        ({"class_weight": {0: "a"}}, TypeError, "class_weight.*'a'"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"class_weight": "even"}, ValueError, "class_weight"),
        (
            {"maintenance": "bogd", "project_to_ball": True},
            ValueError,
            "project_to_ball does not apply.*bogd",
        ),
        ({"maintenance": "bogd", "rate": 9.0}, ValueError, "rate does not apply.*bogd"),
        ({"maintenance": "bogd", "loss": "ramp"}, ValueError, "loss does not apply.*bogd"),
        ({"maintenance": "bogd", "eta0": 1000.0, "alpha": 1.0}, ValueError, "alpha.*eta0"),
        ({"maintenance": "forgetron"}, ValueError, "maintenance.*stochastic gradient descent"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(params, error, message):
    with pytest.raises(error, match=message):
        small(**params).fit(*board(50))


def test_n_jobs_takes_effect_after_the_fit():
    X, y = board(100)
    estimator = small().fit(X, y)
    scores = estimator.decision_function(X)
    np.testing.assert_array_equal(estimator.set_params(n_jobs=2).decision_function(X), scores)
    assert estimator._model.n_jobs == 2
    with pytest.raises(ValueError, match="n_jobs"):
        estimator.set_params(n_jobs=0).predict(X)


def test_masked_values_are_refused():
    X, y = board(100)
    holes = np.ma.array(X, mask=X > 0.5)
    for refused in (lambda: small().fit(holes, y), lambda: small().fit(X, y).predict(holes)):
        with pytest.raises(ValueError, match=r"X must have a value everywhere.*masked"):
            refused()
    with pytest.raises(ValueError, match=r"classes must have a value everywhere"):
        small().partial_fit(X, y, classes=np.ma.array([0, 1, 2], mask=[0, 0, 1]))
    assert state(small().fit(np.ma.array(X), np.ma.array(y))) == state(small().fit(X, y))


def test_random_state_may_be_an_instance():
    X, y = board(200)
    rng = np.random.RandomState(0)
    first, second = small(random_state=rng).fit(X, y), small(random_state=rng).fit(X, y)
    assert state(first) == state(small().fit(X, y))
    assert state(first) != state(second)


def test_class_weight():
    X, y = board(300)
    y[:200] = 1
    weight = np.where(y == 0, 3.0, 1.0)
    by_class = small(class_weight={0: 3.0}).fit(X, y)
    assert state(by_class) == state(small().fit(X, y, sample_weight=weight))
    counts = np.bincount(y)
    balanced = small(class_weight="balanced").fit(X, y)
    assert state(balanced) == state(small().fit(X, y, sample_weight=(300 / (2 * counts))[y]))
    doubled = small(class_weight={0: 3.0}).fit(X, y, sample_weight=np.full(300, 2.0))
    assert state(doubled) == state(small().fit(X, y, sample_weight=2 * weight))
    stream = small(class_weight={0: 3.0}).partial_fit(X, y)
    assert state(stream) == state(small().partial_fit(X, y, sample_weight=weight))


def test_balanced_classes_of_a_stream():
    X, y = board(300)
    y[:250] = 1
    counts = np.zeros(2)
    weight = np.zeros(300)
    for t, label in enumerate(y, 1):
        counts[label] += 1
        k = np.count_nonzero(counts)
        weight[t - 1] = (t + 10 * k) / (k * (counts[label] + 10))
    expected = small().partial_fit(X, y, classes=[0, 1], sample_weight=weight).decision_function(X)
    whole = small(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    assert np.array_equal(whole.decision_function(X), expected)
    cut = small(class_weight="balanced").partial_fit(X[:7], y[:7], classes=[0, 1])
    cut = pickle.loads(pickle.dumps(cut.partial_fit(X[7:251], y[7:251])))
    assert state(cut.partial_fit(X[251:], y[251:])) == state(whole)
    plain = small().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="class_weight='balanced' must be set before the first call"):
        plain.set_params(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(ValueError, match='class_weight must be "balanced", a dict'):
        small(class_weight="even").partial_fit(X, y, classes=[0, 1])


def test_balanced_classes_stay_those_of_fit():
    X, y = board(300)
    y[:200] = 1
    by_class = 300 / (2 * np.bincount(y))
    balanced = small(class_weight="balanced").fit(X, y).partial_fit(X[:50], y[:50])
    weighted = small().fit(X, y, sample_weight=by_class[y])
    assert state(balanced) == state(weighted.partial_fit(X[:50], y[:50], sample_weight=by_class[y[:50]]))


def test_rows_of_weight_zero_do_not_exist():
    X, y = blobs(300)
    weight = np.random.default_rng(1).integers(0, 3, 300).astype(float)
    kept = weight > 0
    for gamma in (2.0, "scale"):
        dropped = small(gamma=gamma).fit(X, y, sample_weight=weight)
        assert state(dropped) == state(small(gamma=gamma).fit(X[kept], y[kept], sample_weight=weight[kept]))
        estimator = small(gamma=gamma).partial_fit(X, y, sample_weight=weight)
        before = state(estimator)
        assert state(estimator.partial_fit(X, y, sample_weight=np.zeros(300))) == before
        assert state(estimator.partial_fit(X, y, sample_weight=0.0)) == before


def test_labels_keep_their_kind():
    X, y = board(100)
    for labels in (np.array(["no", "yes"]), np.array(["no", "yes"], dtype=object), np.array([False, True])):
        estimator = small().fit(X, labels[y])
        np.testing.assert_array_equal(estimator.classes_, labels)
        assert set(estimator.predict(X)) == set(labels)
        assert estimator.score(X, labels[y]) > 0.8
    with pytest.warns(DataConversionWarning):
        small().fit(X, y[:, None])
