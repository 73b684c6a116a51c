"""The figure of how much each feature counts."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from budgetrs import (
    BSGDClassifier,
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
    plot_importances,
)
from test_import import without_extras
from test_plot import unreadable

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
    assert axes.get_title(loc="left") == "Relevance in the learned metric"
    axes.figure.savefig(tmp_path / "picture.png")
    assert names_of(plot_importances(model, names=list("abcd")))[0] in "ac"


@pytest.mark.parametrize("width", [4, 70])
def test_native_models_have_numbers_and_the_rest_is_left_out(width):
    X, y = rows(width=width)
    model = Classifier(budget=50).learn(X, y)
    assert model.components_.shape == ((4, 4) if width == 4 else (1, 70))
    _, axes = plt.subplots()
    assert plot_importances(model, axes, top=3) is axes
    expected = (model.components_**2).sum(axis=0)
    order = np.argsort(-expected, kind="stable")[:3]
    assert names_of(axes) == [f"feature {number}" for number in order]
    np.testing.assert_allclose(widths_of(axes), expected[order])
    assert axes.get_title(loc="left") == f"Relevance in the learned metric (3 of {width} features)"


def test_every_model_with_a_metric_has_it():
    X, y = rows(1000)
    for model in (
        Regressor(budget=20).learn(X, y.astype(float)),
        OnlineKernelRegressor(budget=20, random_state=0).fit(X, y.astype(float)),
        BSGDClassifier(budget=20, metric_learning="diagonal", random_state=0).fit(X, y),
    ):
        assert len(widths_of(plot_importances(model))) == 4


def test_a_dark_style_has_readable_texts_and_no_white_boxes():
    X, y = rows(500)
    with plt.style.context("dark_background"):
        assert unreadable(plot_importances(Classifier(budget=20).learn(X, y))) == []


def test_what_cannot_be_shown_is_refused():
    X, y = rows(300)
    model = Classifier(budget=20).learn(X, y)
    for other in (
        Classifier(),
        OnlineKernelClassifier(),
        BSGDClassifier().fit(X, y),
        Classifier("pa").learn(X, y),
    ):
        with pytest.raises(ValueError, match=r"model must have learned rows with a metric.* got .* without"):
            plot_importances(other)
    with pytest.raises(ValueError, match="names must be 4 strings, one for each feature, got 2"):
        plot_importances(model, names=["a", "b"])
    with pytest.raises(TypeError, match="names must be a sequence of 4 strings, got 'abcd'"):
        plot_importances(model, names="abcd")
    for top in (0, -1):
        with pytest.raises(ValueError, match=f"top must be an integer >= 1, got {top}"):
            plot_importances(model, top=top)
    with pytest.raises(TypeError, match=r"top must be an integer >= 1, got 1\.5"):
        plot_importances(model, top=1.5)
    assert plt.get_fignums() == []


def test_without_matplotlib_the_extra_is_named():
    done = without_extras(
        "import numpy as np, budgetrs\n"
        "X = np.random.default_rng(0).normal(size=(50, 2))\n"
        "m = budgetrs.Classifier(budget=5).learn(X, X[:, 0] > 0)\n"
        "try:\n    budgetrs.plot_importances(m)\nexcept ImportError as error:\n    print(error)\n"
    )
    assert done.stdout == "a picture needs matplotlib: pip install 'budgetrs[plot]'\n", done.stderr


def test_a_metric_that_has_learned_nothing_says_so():
    X, y = rows(60)
    title = plot_importances(Classifier(budget=100).learn(X, y)).get_title(loc="left")
    assert title == "Relevance in the learned metric: nothing learned yet"
