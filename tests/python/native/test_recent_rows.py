"""A vote of recent rows predicts where clusters move."""

import numpy as np
import pytest

from budgetrs import Classifier
from conftest import moving_clusters

ROWS = 2500


def new(n_classes=2, **params):
    return Classifier(budget=30, classes=list(range(n_classes)), **params)


def learned(n_classes=2, **params):
    X, y = moving_clusters(ROWS, n_classes)
    return new(n_classes, **params).learn(X, y), X, y


def votes(model):
    return model.n_support_vectors_ == 512


@pytest.mark.parametrize("n_classes", [2, 3])
def test_moving_clusters_are_followed(n_classes):
    model, X, y = learned(n_classes)
    plain, *_ = learned(n_classes, forget=ROWS)
    assert votes(model)
    assert not votes(plain)
    assert model.progressive_error_ < 0.75 * plain.progressive_error_
    probabilities = model.predict_proba(X[-50:])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(model.predict(X[-50:]), model.classes_[probabilities.argmax(axis=1)])
    assert np.mean(model.predict(X[-50:]) == y[-50:]) > 0.75


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_set_is_of_the_vote_and_covers(n_classes):
    X, y = moving_clusters(ROWS, n_classes)
    model, covered = new(n_classes).learn(X[:1500], y[:1500]), []
    assert votes(model)
    for row, label in zip(X[1500:], y[1500:], strict=True):
        classes = model.predict_set(row[None], coverage=0.9)[0]
        assert classes[model.predict(row[None])[0]]
        covered.append(classes[label])
        model.learn_one(row, label)
    assert 0.88 <= np.mean(covered) <= 0.98


@pytest.mark.parametrize("cuts", [[1, 700, 701, 1300], [600, 1024, 2000]])
def test_batches_and_files_do_not_matter(cuts):
    whole, X, y = learned(3)
    model = new(3)
    for part in np.split(np.arange(ROWS), cuts):
        model = Classifier.from_bytes(model.learn(X[part], y[part]).to_bytes())
    assert votes(model)
    assert model.to_bytes() == whole.to_bytes()


def test_weights_are_votes_and_a_common_factor_is_none():
    X, y = moving_clusters(ROWS)
    weights = np.where(y == 1, 3.0, 1.0)
    once = new().learn(X, y, sample_weight=weights)
    again = new().learn(X, y, sample_weight=64 * weights)
    assert votes(once)
    np.testing.assert_array_equal(once.decision_function(X), again.decision_function(X))
    heavy, light = np.abs(once.dual_coef_[once.dual_coef_ > 0]), np.abs(once.dual_coef_[once.dual_coef_ < 0])
    assert 2.5 < heavy.mean() / light.mean() < 3.5


def test_it_follows_new_classes_and_columns():
    X, y = moving_clusters(ROWS)
    model = Classifier(budget=30).learn(X, y)
    model.learn(X[:300], np.where(y[:300] == 1, 2, y[:300]))
    assert votes(model)
    assert model.decision_function(X).shape == (ROWS, 3)
    model.add_features(6)
    assert votes(model)
    wide = np.hstack([X, np.zeros((ROWS, 2), X.dtype)])
    model.learn(wide[:50], y[:50])
    assert Classifier.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    model.add_features(65)
    assert not votes(model)
