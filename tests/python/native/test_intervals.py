"""Prediction intervals and sets: coverage on streams, inputs, files, errors."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from budgetrs import Classifier, ParameterError, Regressor, combine

COVERAGES = [0.5, 0.8, 0.9, 0.95]


def surface(rows=6000, seed=0, *, drifts=False):
    """A bent surface with noise that depends on the row; with drift another one in the second half."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = 3 * X[:, 0] + 2 * np.sin(2 * X[:, 1]) * X[:, 2]
    if drifts:
        y[rows // 2 :] = (5 + 4 * np.cos(X[:, 1]) - 3 * X[:, 0])[rows // 2 :]
    return X, y + (0.3 + abs(X[:, 3])) * rng.normal(size=rows)


def labels(rows=6000, seed=0, *, drifts=False):
    """Four noisy classes; with drift they are exchanged in the second half."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    scores = np.stack([X[:, 0], X[:, 1] * X[:, 2], np.sin(2 * X[:, 1]), abs(X[:, 3]) - 0.5], axis=1)
    y = (3 * scores + rng.gumbel(size=(rows, 4))).argmax(axis=1)
    if drifts:
        y[rows // 2 :] = (y[rows // 2 :] + 1) % 4
    return X, y


def covered(model, X, y, coverage):
    """Whether each row is covered, each block of ten rows being predicted before it is learned."""
    hits = np.zeros(len(y), bool)
    for first in range(0, len(y), 10):
        rows = slice(first, first + 10)
        if first > 0 and isinstance(model, Regressor):
            lower, upper = model.predict_interval(X[rows], coverage=coverage).T
            hits[rows] = (lower <= y[rows]) & (y[rows] <= upper)
        elif first > 0:
            members, column = model.predict_set(X[rows], coverage=coverage), model.classes_.tolist()
            hits[rows] = [k in column and s[column.index(k)] for k, s in zip(y[rows], members, strict=True)]
        model.learn(X[rows], y[rows])
    return hits


@pytest.mark.parametrize(("kind", "stream"), [(Regressor, surface), (Classifier, labels)])
@pytest.mark.parametrize("coverage", COVERAGES)
@pytest.mark.parametrize("drifts", [False, True])
def test_streams_are_covered(kind, stream, coverage, drifts):
    hits = covered(kind(budget=50), *stream(drifts=drifts), coverage)
    # Sets have the predicted class, so they may be right more often.
    most = coverage + 0.03 if kind is Regressor or coverage > 0.8 else 1.0
    assert coverage - 0.03 < hits[500:3000].mean() < most
    assert coverage - 0.03 < hits[4000:].mean() < most


@pytest.mark.parametrize("coverage", [0.01, 0.1, 0.4, 0.999])
def test_small_and_large_coverages_are_met(coverage):
    """Exchangeable rows are covered within 4 standard deviations of the binomial distribution."""
    hits = covered(Regressor(budget=30), *surface(12_000, seed=1), coverage)[4000:]
    assert abs(hits.mean() - coverage) < 4 * np.sqrt(coverage * (1 - coverage) / len(hits))


def test_sets_of_small_and_large_coverages_are_met():
    hits = {c: covered(Classifier(budget=30), *labels(12_000, seed=1), c)[4000:] for c in (0.1, 0.999)}
    # The predicted class is always a member.
    assert hits[0.1].mean() > 0.5
    assert abs(hits[0.999].mean() - 0.999) < 4 * np.sqrt(0.999 * 0.001 / 8000)


def test_several_coverages_at_once():
    X, y = surface(2000)
    coverages, classifier = [0.1, 0.9, 0.999], Classifier(budget=30).learn(X, y > 0)
    for predict in (Regressor(budget=30).learn(X, y).predict_interval, classifier.predict_set):
        each = np.stack([predict(X, coverage=coverage) for coverage in coverages], axis=-1)
        for several in (coverages, tuple(coverages), np.array(coverages)):
            np.testing.assert_array_equal(predict(X, coverage=several), each)
        assert predict(X, coverage=[0.9]).shape == (2000, 2, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_intervals_of_batches_rows_files_and_threads_agree(dtype):
    X, y = surface(3000)
    X = X.astype(dtype)
    model = Regressor(budget=30).learn(X, y)
    expected = model.predict_interval(X, coverage=0.8)
    assert (expected.dtype, expected.shape) == (dtype, (3000, 2))
    again = Regressor.from_bytes(model.to_bytes(), n_jobs=2)
    single = np.concatenate([model.predict_interval(X[i : i + 1], coverage=0.8) for i in range(300)])
    np.testing.assert_array_equal(single, expected[:300])
    for found in (
        again.predict_interval(X, coverage=0.8),
        model.predict_interval(csr_matrix(X), coverage=0.8),
    ):
        np.testing.assert_array_equal(found, expected)
    assert again.learn(X, y).to_bytes() == model.learn(X, y).to_bytes()


def test_sets_of_files_and_threads_agree():
    X, y = labels(3000)
    frame, names = pd.DataFrame(X, columns=list("abcd")), np.array(["w", "x", "y", "z"])[y]
    model = Classifier(budget=30).learn(frame, names)
    members = model.predict_set(frame, coverage=0.8)
    assert (members.dtype, members.shape) == (bool, (3000, 4))
    predicted = (model.classes_ == model.predict(frame)[:, None]).argmax(axis=1)
    assert members[np.arange(3000), predicted].all()
    assert members.sum() < model.predict_set(frame, coverage=0.95).sum()
    again = Classifier.from_bytes(model.to_bytes(), n_jobs=2)
    np.testing.assert_array_equal(again.predict_set(frame, coverage=0.8), members)
    assert again.learn(frame, names).to_bytes() == model.learn(frame, names).to_bytes()


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "cosine"])
def test_other_kernels_have_intervals(kernel):
    X, y = surface(1500)
    model = Regressor(budget=30, kernel=kernel, metric_learning="none", maintenance="smallest").learn(X, y)
    lower, upper = model.predict_interval(X).T
    assert 0.75 < ((lower <= y) & (y <= upper)).mean() < 1.0
    assert Regressor.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def mean_width(model, X):
    return np.ptp(model.predict_interval(X), axis=1).mean()


@pytest.mark.parametrize(("weights", "least", "most"), [(None, 0.7, 1.3), ([1, 0], 0.8, 1.25)])
def test_combined_models_have_intervals(weights, least, most):
    """A model of weight 0 leaves the intervals of the other."""
    X, y = surface(4000)
    first = Regressor(budget=30).learn(X[:2000], y[:2000])
    second = Regressor(budget=30, feature_space=first).learn(X[2000:], y[2000:])
    both = combine([first, second], weights=weights)
    widths = [mean_width(model, X) for model in ([first, second] if weights is None else [first])]
    assert least * min(widths) < mean_width(both, X) < most * max(widths)
    assert Regressor.from_bytes(both.to_bytes()).to_bytes() == both.to_bytes()


@pytest.mark.parametrize(
    "coverage", [0.0, 0.009, 0.9991, 1.0, -1, float("nan"), "much", None, [], [0.5, 1.0], [0.5, "much"]]
)
def test_other_coverages_raise(coverage):
    X, y = surface(50)
    for predict in (Regressor().learn(X, y).predict_interval, Classifier().learn(X, y > 0).predict_set):
        with pytest.raises(ParameterError, match="coverage must be a number"):
            predict(X, coverage=coverage)


SAMPLED = {"average": "random", "forget": None, "metric_learning": "none", "linear_weight": None}


@pytest.mark.parametrize(
    ("model", "method", "message"),
    [
        (Regressor("pa"), "predict_interval", 'requires a Regressor with algorithm = "online-k'),
        (Regressor(**SAMPLED), "predict_interval", 'requires a Regressor with algorithm = "online-k'),
        (Classifier("pa"), "predict_set", 'requires a Classifier with algorithm = "online-kernel"'),
        (Regressor(missing="error"), "predict_interval", "at row 1"),
    ],
)
def test_other_models_and_rows_raise(model, method, message):
    X, y = surface(50)
    model.learn(X, y > 0)
    with pytest.raises(ValueError, match=message):
        getattr(model, method)([[0.0] * 4, [np.nan] * 4])


def test_a_model_without_rows_raises():
    with pytest.raises(AttributeError):
        Regressor().predict_interval(np.ones((1, 4)))


def test_new_classes_are_members():
    X, y = labels(2000)
    model = Classifier(budget=30).learn(X[:5], ["a"] * 5)
    np.testing.assert_array_equal(model.predict_set(X[:3]), np.ones((3, 1), bool))
    model.learn(X, np.array(["a", "b", "c", "d"])[y])
    assert model.predict_set(X).shape == (2000, 4)
    two = Classifier(budget=30).learn(X, y % 2)
    assert set(two.predict_set(X, coverage=0.99).sum(axis=1)) <= {1, 2}


def test_equal_targets_have_intervals_of_width_0():
    X, _ = surface(100)
    model = Regressor().learn(X, np.full(100, 7.0))
    np.testing.assert_array_equal(model.predict_interval(X[:3]), np.full((3, 2), 7.0))


def test_a_large_offset_of_the_targets_does_not_matter():
    X, y = surface(2000)
    near, far = Regressor(budget=30).learn(X, y), Regressor(budget=30).learn(X, 1e6 + y)
    widths = [np.ptp(model.predict_interval(X), axis=1).mean() for model in (near, far)]
    assert 0.8 < widths[1] / widths[0] < 1.25
