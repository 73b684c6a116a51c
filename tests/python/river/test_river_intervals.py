"""Prediction intervals and sets for River."""

import numpy as np
import pytest

from budgetrs import ParameterError
from budgetrs.river import Classifier, Regressor
from river import conf, metrics


def rows(n=1500):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return [dict(zip("ab", x, strict=True)) for x in X.tolist()], X, rng


def test_intervals_cover_a_stream():
    stream, X, rng = rows()
    y = (3 * X[:, 0] + rng.normal(size=len(X))).tolist()
    model, hits = Regressor(budget=30), []
    assert model.predict_interval_one(stream[0]) == conf.Interval(0.0, 0.0)
    for x, target in zip(stream, y, strict=True):
        interval = model.predict_one(x, with_interval=True, coverage=0.8)
        hits.append(target in interval)
        model.learn_one(x, target)
    assert 0.77 < np.mean(hits[200:]) < 0.83
    interval = model.predict_interval_one(stream[0])
    assert isinstance(interval, conf.Interval)
    assert interval.lower < model.predict_one(stream[0]) < interval.upper
    assert interval.width > model.predict_interval_one(stream[0], coverage=0.5).width
    # As River's own conformal predictions, it can be averaged or compared.
    assert metrics.MAE().update(y[0], interval.center) is None


def test_sets_cover_a_stream():
    stream, X, rng = rows()
    y = np.array(["u", "v", "w"])[np.digitize(X[:, 0] + 0.7 * rng.normal(size=len(X)), [-0.5, 0.5])].tolist()
    model, hits = Classifier(budget=30), []
    assert model.predict_set_one(stream[0]) == set()
    for x, label in zip(stream, y, strict=True):
        hits.append(label in model.predict_set_one(x))
        model.learn_one(x, label)
    assert 0.87 < np.mean(hits[200:]) < 0.93
    assert model.predict_one(stream[0]) in model.predict_set_one(stream[0], coverage=0.5)


def test_other_algorithms_and_coverages_are_refused():
    stream, *_ = rows(20)
    regressor, classifier = Regressor("pa"), Classifier("pa")
    regressor.learn_one(stream[0], 1.0)
    classifier.learn_one(stream[0], "u")
    with pytest.raises(ValueError, match="predict_interval requires"):
        regressor.predict_interval_one(stream[0])
    with pytest.raises(ValueError, match="predict_set requires"):
        classifier.predict_set_one(stream[0])
    default = Regressor()
    default.learn_one(stream[0], 1.0)
    with pytest.raises(ValueError, match="coverage must be"):
        default.predict_interval_one(stream[0], coverage=1.0)


def test_an_untrained_model_checks_the_coverage():
    for predict in (Regressor().predict_interval_one, Classifier().predict_set_one):
        with pytest.raises(ValueError, match="coverage must be a number"):
            predict({}, coverage=7)
        with pytest.raises(TypeError, match=r"coverage must be passed by name: .* is alpha=0\.1$"):
            predict({}, 0.1)
        with pytest.raises(TypeError, match="'alpha'; coverage is the share to cover"):
            predict({}, alpha=0.1)
    with pytest.raises(TypeError, match="'sample_weight'; in River the weight is w"):
        Regressor().learn_one({}, 1.0, sample_weight=2.0)
    with pytest.raises(ValueError, match=r"call learn_one\(x, y\) first$"):
        _ = Regressor().recent_error_
    with pytest.raises(ValueError, match="online-kernel"):
        Regressor(algorithm="bpa-nn").predict_interval_one({})


@pytest.mark.parametrize("coverage", [[0.8], [0.8, 0.9]], ids=str)
def test_one_coverage_at_a_time(coverage):
    regressor, classifier = Regressor(), Classifier()
    for label in (0, 1):
        regressor.learn_one({"a": 1.0}, label)
        classifier.learn_one({"a": 1.0}, label)
    for predict in (regressor.predict_interval_one, classifier.predict_set_one):
        with pytest.raises(
            ParameterError, match=r"^coverage must be a number .*: call it once per coverage$"
        ):
            predict({"a": 1.0}, coverage=coverage)
