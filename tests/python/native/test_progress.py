"""Progressive figures: baselines, the recent error and the rows of drifts, compared with slow Python."""

import numpy as np
import pytest

import budgetrs
import budgetrs.river
from budgetrs import Classifier, OnlineKernelClassifier, OnlineKernelRegressor, Regressor

KINDS = [Classifier, Regressor]
BASELINES = {
    Classifier: ("no_change_error_", "majority_error_"),
    Regressor: ("no_change_error_", "constant_error_"),
}
WINDOW = 1000


def baselines_of_labels(labels):
    no_change, majority, counts, most_frequent = 0, 0, {}, None
    for at, label in enumerate(labels):
        if at > 0:
            no_change += label != labels[at - 1]
            majority += label != most_frequent
        counts[label] = counts.get(label, 0) + 1
        if counts[label] > counts.get(most_frequent, 0):
            most_frequent = label
    return no_change / len(labels), majority / len(labels)


def baselines_of_targets(targets):
    no_change, constant, total = 0.0, 0.0, 0.0
    for at, y in enumerate(targets):
        if at > 0:
            no_change += (y - targets[at - 1]) * (y - targets[at - 1])
            constant += (y - total / at) * (y - total / at)
        total += y
    return no_change / len(targets), constant / len(targets)


def baselines(model):
    kind = Classifier if hasattr(model, "classes_") else Regressor
    return tuple(getattr(model, name) for name in BASELINES[kind])


def recent(errors):
    """The mean of the first 1,000 errors; each later error replaces a thousandth of it."""
    first, later = errors[:WINDOW], errors[WINDOW:]
    kept = (1 - 1 / WINDOW) ** len(later)
    ages = np.arange(len(later))[::-1]
    return kept * np.mean(first) + np.sum(later * (1 - 1 / WINDOW) ** ages) / WINDOW


def stream(kind, rows=2600, seed=0):
    """Rows that change after row 1,800; a third class appears after row 700."""
    rng = np.random.default_rng(seed)
    X, late = rng.normal(size=(rows, 3)), np.arange(rows) > 1800
    if kind is Regressor:
        return X, 1 + X[:, 0] * X[:, 1] + np.where(late, 3.0, 0.0)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    return X, np.where(late, (y + 1) % 3, np.minimum(y, np.where(np.arange(rows) < 700, 1, 2)))


@pytest.mark.parametrize("algorithm", ["online-kernel", "pa-merge"])
@pytest.mark.parametrize("kind", KINDS)
def test_baselines_equal_slow_ones_however_a_stream_is_cut(kind, algorithm):
    rng = np.random.default_rng(5)
    X, y = stream(kind, 300)
    if kind is Classifier:
        # Some classes appear late, and most labels repeat.
        y = np.minimum(rng.integers(0, 6, 300), np.arange(300) // 40).astype(str)
        for at in np.flatnonzero(rng.random(300) < 0.5)[1:]:
            y[at] = y[at - 1]
    expected = baselines_of_labels if kind is Classifier else baselines_of_targets
    weight = rng.choice([0.0, 0.5, 2.0], len(X))
    model, at = kind(algorithm, budget=5), 0
    assert not hasattr(model, "no_change_error_")
    while at < len(X):
        part = slice(at, at + rng.choice([1, 3, 40]))
        if rng.random() < 0.5 and part.stop == at + 1:
            model.learn_one(X[at], y[at].item(), sample_weight=weight[at])
        else:
            model.learn(X[part], y[part], sample_weight=weight[part])
        at = part.stop
        learned = y[:at][weight[:at] > 0].tolist()
        if learned:
            assert baselines(model) == expected(learned)
        if rng.random() < 0.2:
            model = kind.from_bytes(model.to_bytes())
        if rng.random() < 0.2:
            # A repeated pass changes no progressive figure.
            model.learn(X[:at], y[:at], sample_weight=weight[:at], repeated=True)
    whole = kind(algorithm, budget=5).learn(X, y, sample_weight=weight)
    assert baselines(whole) == baselines(model)


def counted(model):
    """The sum of all errors that the model has counted."""
    if not hasattr(model, "n_features_in_"):
        return 0.0
    return model._counters[2][2] if isinstance(model, Regressor) else model.n_mistakes_


def error_before(model, x, y):
    if not hasattr(model, "n_features_in_"):
        # Regressors start from 0, and the first class cannot be predicted.
        return abs(y) if isinstance(model, Regressor) else 0.0
    found = model.predict_one(x)
    return abs(found - y) if isinstance(model, Regressor) else float(found != y)


@pytest.mark.parametrize(
    ("kind", "algorithm", "params"),
    [
        (Classifier, "online-kernel", {}),
        (Classifier, "online-kernel", {"forget": None, "average": False}),
        (Classifier, "bsgd-merge", {"gamma": 0.5}),
        (Classifier, "budget-perceptron-distill", {"gamma": 0.5}),
        (Classifier, "budget-mira", {"gamma": 0.5}),
        (Regressor, "online-kernel", {}),
        (Regressor, "pa-merge", {"gamma": 0.5}),
    ],
)
def test_the_recent_error_is_the_weighted_mean_of_errors_before_learning(kind, algorithm, params):
    X, y = stream(kind)
    model, errors, total = kind(algorithm, budget=20, **params), [], 0.0
    for t, (x, label) in enumerate(zip(X, y.tolist(), strict=True), 1):
        errors.append(error_before(model, x, label))
        model.learn_one(x, label)
        if algorithm == "online-kernel":
            # It scales a row by statistics with the row itself, so its prediction differs a little.
            total, before = counted(model), total
            errors[-1] = total - before
        if t in (1, 2, 701, 999, 1000, 1001, 2600):
            assert model.recent_error_ == pytest.approx(recent(np.array(errors)), rel=1e-9), t
    whole = kind(algorithm, budget=20, **params).learn(X, y)
    assert whole.recent_error_ == model.recent_error_
    assert np.sum(errors) == pytest.approx(counted(whole))
    if algorithm == "online-kernel" and not params:
        # Since the change the error is another one.
        assert whole.recent_error_ != pytest.approx(np.mean(errors), rel=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_repeated_rows_and_rows_of_weight_0_have_no_error(kind):
    X, y = stream(kind, 1500)
    weight = np.where(np.arange(1500) % 3 == 0, 0.0, 1.0)
    model = kind(budget=20).learn(X, y, sample_weight=weight)
    alone = kind(budget=20).learn(X[weight > 0], y[weight > 0])
    before = model.recent_error_
    assert before == alone.recent_error_ == model.learn(X, y, repeated=True).recent_error_ > 0
    assert kind.from_bytes(model.to_bytes()).recent_error_ == before


def test_a_repeated_row_of_a_new_class_does_not_count():
    model = Classifier(budget=20).learn([[0.0], [1.0], [0.2]], ["a", "b", "b"])
    before = model.recent_error_, model.n_mistakes_
    model.learn([[2.0]], ["c"], repeated=True)
    assert (model.recent_error_, model.n_mistakes_) == before
    model.learn([[3.0]], ["d"])
    assert model.n_mistakes_ == before[1] + 1
    assert model.recent_error_ == pytest.approx((before[0] * 3 + 1) / 4)


def changing(kind, changes, period=700):
    """Rows whose labels or targets change every ``period`` rows."""
    X = np.random.default_rng(0).normal(size=(period * (changes + 1), 2))
    flipped = np.arange(len(X)) // period % 2
    if kind is Regressor:
        return X, np.where(flipped, -1.0, 1.0) * (X[:, 0] + X[:, 1])
    return X, (X[:, 0] > 0) ^ flipped.astype(bool)


def rows_of_drifts(model, X, y):
    """The number of rows learned whenever the number of drifts has risen."""
    rows = []
    for x, label in zip(X, y.tolist(), strict=True):
        before = getattr(model, "n_drifts_", 0)
        model.learn_one(x, label)
        rows += [model.n_samples_seen_] * (model.n_drifts_ - before)
    return rows


@pytest.mark.parametrize(("kind", "changes"), [(Classifier, 4), (Regressor, 4), (Classifier, 30)])
def test_the_last_16_rows_at_which_the_number_of_drifts_rises_are_kept(kind, changes):
    X, y = changing(kind, changes, period=2000)
    model = kind(budget=20)
    rows = rows_of_drifts(model, X, y)
    if changes == 4:
        # Each change is noticed, within a few hundred rows.
        assert {row // 2000 for row in rows} >= {1, 2, 3, 4}
        assert len(rows) <= 16
    else:
        assert len(rows) > 16
    assert len(rows) == model.n_drifts_
    for one in (model, kind(budget=20).learn(X, y), kind.from_bytes(model.to_bytes())):
        assert one.drift_rows_.tolist() == rows[-16:]
        assert one.drift_rows_.dtype == np.int64


def test_rows_that_are_repeated_count_as_rows_learned():
    X, y = changing(Classifier, changes=1)
    model = Classifier(budget=20).learn(X[:700], y[:700])
    model.learn(X[:100], y[:100], repeated=True).learn(X[700:], y[700:])
    assert 800 < model.drift_rows_[0] <= model.drift_rows_[-1] <= model.n_samples_seen_


@pytest.mark.parametrize(
    ("model", "error"),
    [
        *[(kind(**params), ValueError) for kind in KINDS for params in ({}, {"forget": None})],
        (Classifier("pa-merge"), ValueError),
        (OnlineKernelClassifier(), ValueError),
    ],
    ids=str,
)
def test_a_model_without_rows_has_no_error_and_one_without_a_change_no_drifts(model, error):
    with pytest.raises(error, match=r"has not learned any rows|is not fitted"):
        model.recent_error_  # noqa: B018
    if not isinstance(model, OnlineKernelClassifier):
        assert model.drift_rows_.tolist() == []
    kind = Regressor if isinstance(model, Regressor) else Classifier
    learn = getattr(model, "learn", None) or model.fit
    assert learn(*changing(kind, changes=0)).drift_rows_.tolist() == []


@pytest.mark.parametrize("name", ["Classifier", "Regressor"])
def test_estimators_and_river_models_have_the_figures_of_the_native_model(name):
    kind = getattr(budgetrs, name)
    X, y = changing(kind, changes=2)
    native, river = kind(budget=20).learn(X, y), getattr(budgetrs.river, name)(budget=20)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        river.learn_one(dict(enumerate(x)), label)
    estimator = {"Classifier": OnlineKernelClassifier, "Regressor": OnlineKernelRegressor}[name](budget=20)
    estimator.partial_fit(X[:1000], y[:1000]).partial_fit(X[1000:], y[1000:])
    for model, own in ((river, native), (estimator, estimator._model)):
        assert model.recent_error_ == own.recent_error_ > 0
        assert model.drift_rows_.tolist() == own.drift_rows_.tolist()
        assert model.n_drifts_ == own.n_drifts_ >= 2
    assert baselines(estimator) == baselines(native)


def test_a_fit_has_the_baselines_of_its_first_pass():
    X, y = stream(Classifier, 200)
    estimator = OnlineKernelClassifier(budget=5, shuffle=False, max_iter=2).fit(X, y)
    assert baselines(estimator) == baselines_of_labels(y.tolist())


def test_a_drift_of_a_part_of_each_class_is_learned():
    """The model is confidently wrong on a quarter of the rows of each class, as with label noise."""
    rng = np.random.default_rng(6)
    model = Classifier(budget=100)
    for batch in range(110):
        X = rng.uniform(-1, 1, (5000, 2))
        arm = np.sin(6 * np.hypot(*X.T) + np.arctan2(*X.T)) > 0
        model.learn(X, arm ^ ((batch >= 100) & (X > 0).all(axis=1)))
    assert model.n_support_vectors_ == 100, "predictions need no vote of recent rows"
    assert model.recent_error_ < 0.03
