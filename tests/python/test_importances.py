"""Feature importances and their figure."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.exceptions import NotFittedError

from budgetrs import (
    BSGDClassifier,
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
    plot_importances,
)
from budgetrs._importances import gradients, importances, scaled_vectors
from budgetrs._modelfile import read
from conftest import moving_clusters

mpl.use("Agg")
from matplotlib import pyplot as plt

NAMES = ["width", "noise", "height", "more noise"]


def rows(count=4000, width=4):
    X = np.random.default_rng(0).normal(size=(count, width))
    return X, (X[:, 0] * X[:, 2] > 0).astype(int)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def names_of(axes):
    return [text.get_text() for text in axes.get_yticklabels()]


def widths_of(axes):
    return [bar.get_width() for bar in axes.patches]


def test_the_most_relevant_features_come_first_by_their_names(tmp_path):
    X, y = rows()
    model = OnlineKernelClassifier(budget=50, random_state=0).fit(pd.DataFrame(X, columns=NAMES), y)
    axes = plot_importances(model)
    assert set(names_of(axes)[:2]) == {"width", "height"}
    assert set(names_of(axes)[2:]) == {"noise", "more noise"}
    np.testing.assert_allclose(widths_of(axes), np.sort(model.feature_importances_)[::-1])
    # The first one is at the top, and the numbers are beside the bars.
    assert axes.yaxis_inverted()
    assert [text.get_text() for text in axes.texts] == [f"{width:.2f}" for width in widths_of(axes)]
    assert axes.get_title(loc="left") == "Feature importances"
    axes.figure.savefig(tmp_path / "picture.png")
    assert names_of(plot_importances(model, names=list("abcd")))[0] in "ac"


@pytest.mark.parametrize("width", [4, 70])
def test_native_models_have_numbers_and_the_rest_is_left_out(width):
    X, y = rows(width=width)
    model = Classifier(budget=50).learn(X, y)
    assert model.components_.shape == ((4, 4) if width == 4 else (1, 70))
    _, axes = plt.subplots()
    assert plot_importances(model, axes, top=3) is axes
    expected = importances(model)
    order = np.argsort(-expected, kind="stable")[:3]
    assert names_of(axes) == [f"feature {number}" for number in order]
    np.testing.assert_allclose(widths_of(axes), expected[order])
    assert axes.get_title(loc="left") == f"Feature importances (3 of {width} features)"


def test_models_without_a_learned_metric_have_it():
    X, y = rows(1000)
    for model in (
        Regressor(budget=20).learn(X, y.astype(float)),
        OnlineKernelRegressor(budget=20, random_state=0).fit(X, y.astype(float)),
        BSGDClassifier(budget=20, metric_learning="diagonal", random_state=0).fit(X, y),
        Classifier("pa-merge", budget=20).learn(X, y),
    ):
        assert len(widths_of(plot_importances(model))) == 4


@pytest.mark.parametrize(
    ("kind", "algorithm", "parameters", "width"),
    [
        (Classifier, "online-kernel", {}, 4),
        (Classifier, "online-kernel", {}, 70),
        (Classifier, "bsgd-merge", {"gamma": 0.003}, 4),
        (Regressor, "online-kernel", {}, 4),
        (Regressor, "bsgd-merge", {"gamma": 0.3, "scaling": "online"}, 4),
    ],
)
def test_gradients_are_finite_differences_of_the_scores(kind, algorithm, parameters, width):
    X, y = rows(1500, width)
    X = 10 * X + 3
    targets = y + X[:, 1] / 10 if kind is Regressor else y + (X[:, 1] > 8)
    model = kind(algorithm, budget=30, **parameters).learn(X, targets)
    parts = read(model)
    assert_gradients(model, parts, kind, width, targets)


def test_gradients_of_recent_rows_that_vote():
    X, y = moving_clusters(2500, dtype=np.float64)
    model = Classifier(budget=30).learn(X, y)
    assert model.n_support_vectors_ == 512
    assert_gradients(model, read(model), Classifier, 4)


def assert_gradients(model, parts, kind, width, targets=None):
    scores = model.predict if kind is Regressor else model.decision_function
    z = scaled_vectors(parts)
    factor, shift = (1, 0) if parts.scaling is None else (parts.scaling.factor, parts.scaling.shift)
    points, step = z / factor + shift, 1e-5
    # Predictions are constant beyond the clip of the scaling, and where they reach the range of the targets.
    inside = np.ones(len(z), bool) if parts.scaling is None else np.abs(z).max(axis=1) < 2.9
    if kind is Regressor:
        inside &= (scores(points) > targets.min()) & (scores(points) < targets.max())
    assert inside.sum() > 5
    found = np.concatenate(list(gradients(parts)))[inside]
    for feature in range(4):
        moved = step * np.eye(width)[feature] / factor
        difference = scores(points[inside] + moved) - scores(points[inside] - moved)
        expected = difference.reshape(len(found), -1) / (2 * step)
        np.testing.assert_allclose(found[:, feature], expected, rtol=1e-4, atol=1e-5 * np.abs(found).max())


@pytest.mark.parametrize("count", [1000, 4000])
def test_true_features_are_above_noise(count):
    """Two of the five are linear in the target, so that the linear term learns them."""
    X, y = make_friedman1(count, n_features=20, noise=1.0, random_state=0)
    for model in (
        OnlineKernelRegressor(budget=100, random_state=0).fit(X, y),
        OnlineKernelClassifier(budget=100, random_state=0).fit(X, y > np.median(y)),
    ):
        found = model.feature_importances_
        assert found.shape == (20,)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)
        assert found[:5].min() > 1.5 * found[5:].max()


def test_without_support_vectors_all_importances_are_zero():
    X, _ = rows(300)
    constant = Classifier("pa", kernel="rbf", gamma=1.0).learn(X[:1], ["a"])
    assert importances(constant).tolist() == [0, 0, 0, 0]
    assert plot_importances(constant).get_title(loc="left") == "Feature importances: the model is constant"
    with pytest.raises(NotFittedError, match="OnlineKernelClassifier instance is not fitted yet"):
        _ = OnlineKernelClassifier().feature_importances_


def test_a_categorical_column_has_the_sum_of_its_categories():
    X, y = rows(2000)
    colour = np.where(y == 1, "red", "blue")
    frame = pd.DataFrame({"noise": X[:, 0], "colour": colour, "more": X[:, 1]})
    model = OnlineKernelClassifier(budget=50, random_state=0).fit(frame, y)
    found = model.feature_importances_
    assert found.shape == (3,)
    assert found.sum() == pytest.approx(1)
    assert found[1] > 0.5
    assert names_of(plot_importances(model))[0] == "colour"


def test_native_models_have_the_importances_of_estimators():
    X, y = rows(1000)
    frame = pd.DataFrame(X, columns=NAMES).assign(town=np.where(y, "Oslo", "Rome"))
    estimator = OnlineKernelClassifier(budget=30).fit(frame, y)
    native = estimator._model
    assert type(native) is Classifier
    assert native.feature_importances_.tolist() == estimator.feature_importances_.tolist()
    assert native.feature_importances_.shape == (5,)
    assert native.feature_importances_.sum() == pytest.approx(1)
    assert not hasattr(Classifier(), "feature_importances_")
    with pytest.raises(NotFittedError, match="has not learned any rows"):
        _ = Classifier().feature_importances_
    hashed = Classifier(budget=5, hash_features=4).learn(X, y)
    with pytest.raises(AttributeError, match="needs hash_features=None"):
        _ = hashed.feature_importances_
    laplacian = Classifier("bsgd-smallest", kernel="laplacian", budget=5).learn(X, y)
    with pytest.raises(AttributeError, match='needs the kernel "rbf" or "rational-quadratic", got "lap'):
        _ = laplacian.feature_importances_


def test_what_cannot_be_shown_is_refused():
    X, y = rows(300)
    model = Classifier(budget=20).learn(X, y)
    for other in (Classifier(), OnlineKernelClassifier()):
        with pytest.raises(ValueError, match=r"model must have learned rows, got .* that has not"):
            plot_importances(other)
    with pytest.raises(ValueError, match='need the kernel "rbf" or "rational-quadratic", got "linear"'):
        plot_importances(Classifier("pa", kernel="linear").learn(X, y))
    with pytest.raises(ValueError, match="names must be 4 strings, one for each feature, got 2"):
        plot_importances(model, names=["a", "b"])
    with pytest.raises(TypeError, match='names must be a sequence of 4 strings, got "abcd"'):
        plot_importances(model, names="abcd")
    for top in (0, -1):
        with pytest.raises(ValueError, match=f"top must be an integer >= 1, got {top}"):
            plot_importances(model, top=top)
    with pytest.raises(TypeError, match=r"top must be an integer >= 1, got 1\.5"):
        plot_importances(model, top=1.5)
    assert plt.get_fignums() == []


def test_hashed_columns_have_importances():
    X, y = rows(500, 40)
    model = Classifier(
        budget=30, hash_features=16, scaling="none", metric_learning="none", linear_weight=1.0
    ).learn(X, y)
    assert importances(model).shape == (16,)
    assert names_of(plot_importances(model, top=1))[0].startswith("feature ")
