"""The figure of what a model has learned."""

import inspect
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import budgetrs
from budgetrs import (
    BSGDClassifier,
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    Regressor,
    plot_model,
)
from conftest import board

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba

UNITS, CENTRE = np.array([1000.0, 0.01]), np.array([5000.0, 3.0])


def raw(rows=600, seed=0):
    """The board in units of its own: rows, labels, and the rows as they were."""
    X, y = board(rows, seed, dtype=np.float64)
    return X * UNITS + CENTRE, np.where(y == 1, "same", "other"), X


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def scatters(axes):
    return [
        c for c in axes.collections if isinstance(c, mpl.collections.PathCollection) and len(c.get_offsets())
    ]


def places(axes):
    """Where the support vectors are: the dots in front."""
    return np.asarray(scatters(axes)[-1].get_offsets())


VECTORS = "support vectors,\nlarger with more weight:"


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_regions_are_those_of_predict():
    X, y, _ = raw()
    model = Classifier(budget=40).learn(X, y)
    axes = plot_model(model, X=X)
    (image,) = axes.images
    left, right, bottom, top = image.get_extent()
    margin = 0.05 * np.ptp(X, axis=0)
    np.testing.assert_allclose([left, bottom], X.min(axis=0) - margin)
    np.testing.assert_allclose([right, top], X.max(axis=0) + margin)
    assert axes.get_xlim() == (left, right)
    assert axes.get_ylim() == (bottom, top)
    height, width, _ = image.get_array().shape
    grid = np.stack(
        np.meshgrid(np.linspace(left, right, width), np.linspace(bottom, top, height)), axis=-1
    ).reshape(-1, 2)
    predicted = model.predict(grid).reshape(height, width)
    shown = image.get_array()[:, :, :3].reshape(-1, 3)
    colours = [np.unique(shown[predicted.ravel() == name], axis=0) for name in ("same", "other")]
    assert [len(found) for found in colours] == [1, 1]
    assert not np.array_equal(*colours)
    assert legend_of(axes) == ["decision boundary", VECTORS, "other", "same"]
    assert axes.get_title(loc="left") == "online-kernel: decision regions, 40 support vectors"


@pytest.mark.parametrize("metric", ["none", "full", "diagonal"])
@pytest.mark.parametrize("scale", ["none", "online"])
def test_support_vectors_are_at_the_rows_they_are(metric, scale):
    """Without merging or projection every support vector is a row that was learned."""
    X, *_ = raw(12)
    X = np.tile(X, (200, 1))
    # No model fits these, so that old support vectors are always replaced, and a metric is learned.
    y = np.random.default_rng(0).integers(0, 2, len(X))
    model = Classifier("bsgd-random", budget=25, gamma=2.0, metric_learning=metric, scaling=scale)
    if scale == "none":
        model.set_scaling(CENTRE, UNITS)
    model.learn(X, y)
    if metric != "none":
        assert not np.allclose(model.components_, np.eye(2)[: len(model.components_)], atol=0.001)
    found = places(plot_model(model))
    assert len(found) == model.n_support_vectors_
    distance = np.abs((found[:, None] - X[None, :12]) / UNITS).max(axis=2).min(axis=1)
    # A running scaling moves a little after a row was learned.
    assert distance.max() < (1e-6 if scale is None else 0.02)


def test_a_range_without_rows_is_that_of_the_support_vectors():
    X, y, _ = raw()
    model = Classifier("bsgd-smallest", budget=25, gamma=2.0, scaling="online").learn(X, y)
    axes = plot_model(model)
    found = places(axes)
    margin = 0.05 * np.ptp(found, axis=0)
    low, high = found.min(axis=0) - margin, found.max(axis=0) + margin
    np.testing.assert_allclose([*axes.get_xlim(), *axes.get_ylim()], [low[0], high[0], low[1], high[1]])


def test_heavier_vectors_are_larger_and_have_the_colour_of_their_class():
    X, y = board(400)
    model = Classifier("pa-merge", budget=25, gamma=2.0).learn(X, y)
    axes = plot_model(model)
    dots = scatters(axes)[-1]
    order = [np.abs(model.support_vectors_ - at).sum(axis=1).argmin() for at in dots.get_offsets()]
    weights = model.dual_coef_[0][order]
    assert sorted(order) == list(range(25))
    assert np.all(np.diff(np.abs(weights)) <= 0)
    assert np.all(np.diff(dots.get_sizes()) <= 0)
    assert dots.get_sizes()[0] > 2 * dots.get_sizes()[-1]
    colours = dots.get_facecolors()
    assert len(np.unique(colours[weights > 0], axis=0)) == len(np.unique(colours[weights < 0], axis=0)) == 1
    assert not np.array_equal(colours[weights > 0][0], colours[weights < 0][0])


def test_rows_are_shown_with_their_labels():
    X, y, _ = raw(4500)
    model = Classifier(budget=40).learn(X, y)
    rows = scatters(plot_model(model, X=X, y=y))[0]
    np.testing.assert_array_equal(rows.get_offsets(), X[::3])
    colours = rows.get_facecolors()
    assert len(np.unique(colours[y[::3] == "same"], axis=0)) == 1
    assert len(np.unique(colours, axis=0)) == 2
    assert legend_of(plot_model(model, X=X, y=y))[1:] == ["1,500 of 4,500 rows", VECTORS, "other", "same"]
    assert legend_of(plot_model(model, X=X[:9], y=y[:9]))[1] == "9 rows"


def test_regression_is_a_contour_of_the_prediction():
    X, _, unit = raw()
    model = Regressor(budget=40).learn(X, unit[:, 0] * unit[:, 1])
    axes = plot_model(model, X=X, y=unit[:, 0] * unit[:, 1])
    (filled,) = (c for c in axes.collections if isinstance(c, mpl.contour.ContourSet))
    ends = np.meshgrid(np.linspace(*axes.get_xlim(), 240), np.linspace(*axes.get_ylim(), 240))
    predicted = model.predict(np.stack(ends, axis=-1).reshape(-1, 2))
    np.testing.assert_allclose([filled.zmin, filled.zmax], [predicted.min(), predicted.max()])
    assert legend_of(axes) == ["600 rows", VECTORS, "raises the prediction", "lowers the prediction"]
    shown = sum(len(dots.get_offsets()) for dots in scatters(axes)[1:])
    assert shown == model.n_support_vectors_
    # A constant prediction has a picture too.
    plot_model(Regressor(budget=5).learn(X[:1], [1.0]), X=X).figure.canvas.draw()


def test_one_feature_is_a_curve():
    X, _, unit = raw()
    X = X[:, :1]
    wave = np.sin(4 * unit[:, 0])
    model = Regressor(budget=30).learn(X, wave)
    axes = plot_model(model, X=X, y=wave)
    x, prediction = axes.lines[0].get_data()
    np.testing.assert_allclose(prediction, model.predict(x[:, None]), rtol=1e-12)
    np.testing.assert_array_equal(scatters(axes)[0].get_offsets(), np.column_stack([X, wave]))
    assert axes.get_ylabel() == "prediction"

    model = Classifier(budget=30).learn(X, wave > 0)
    axes = plot_model(model)
    x, score = axes.lines[0].get_data()
    expected = model.decision_function(x[:, None])
    # The score of the second class is shown, whichever it is.
    np.testing.assert_allclose(score, expected, rtol=1e-12)
    assert axes.get_ylabel() == f"score of {model.classes_[1]}"
    np.testing.assert_allclose(places(axes)[:, 0].min(), axes.get_xlim()[0], atol=200)

    several = np.digitize(unit[:, 0], [-0.5, 0.0, 0.5])
    model = Classifier(budget=30).learn(X, several)
    axes = plot_model(model)
    x, *_ = axes.lines[0].get_data()
    above = np.stack([line.get_ydata() for line in axes.lines[:4]])
    np.testing.assert_array_equal(model.classes_[above.argmax(axis=0)], model.predict(x[:, None]))
    assert np.all((above > 0).sum(axis=0) <= 1)
    assert legend_of(axes) == [VECTORS, "0", "1", "2", "3"]


def test_many_classes_have_colours_and_a_short_legend():
    X, _, unit = raw(2000)
    y = np.floor(12 * (np.arctan2(*unit.T) / np.pi + 1)).astype(int)
    axes = plot_model(Classifier(budget=60).learn(X, y))
    assert legend_of(axes)[2:] == [*map(str, range(12)), f"... ({len(np.unique(y))} classes)"]
    assert len(np.unique(axes.images[0].get_array().reshape(-1, 4), axis=0)) > 12


def test_a_single_class():
    X, _, _ = raw(50)
    axes = plot_model(Classifier(budget=5).learn(X, ["a"] * 50))
    assert legend_of(axes) == [VECTORS, "a"]


def test_more_features_have_their_importances_or_the_weights():
    X = np.random.default_rng(0).normal(size=(500, 4))
    y = (X[:, 0] * X[:, 2] > 0).astype(int)
    axes = plot_model(Classifier(budget=20).learn(X, y))
    assert axes.get_title(loc="left") == "Feature importances"
    for labels in (y, np.digitize(X[:, 0], [-0.5, 0.5])):
        model = Classifier("pa-merge", budget=20).learn(X, labels)
        _, axes = plt.subplots()
        assert plot_model(model, axes) is axes
        expected = np.sort(np.linalg.norm(model.dual_coef_, axis=0))[::-1]
        np.testing.assert_allclose([bar.get_height() for bar in axes.patches], expected)
        assert axes.get_title(loc="left") == "pa-merge: weights of 20 support vectors"
    assert axes.get_ylabel() == "norm of the coefficients"


@pytest.mark.parametrize("name", [*budgetrs._ESTIMATORS, "Classifier", "Regressor"])
def test_every_model_has_it_as_a_method(name):
    kind = getattr(budgetrs, name)
    X, y = board(300, dtype=np.float64)
    regression = name.endswith("Regressor")
    y = X[:, 0] * X[:, 1] if regression else y
    native = name in ("Classifier", "Regressor")
    model = kind(budget=15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", budgetrs.PoorFitWarning)
        model = model.learn(X, y) if native else model.fit(X, y)
    _, axes = plt.subplots()
    assert model.plot(axes, X=X, y=y) is axes
    assert axes.get_title(loc="left").endswith(f"{model.n_support_vectors_} support vectors")
    method, function = (inspect.signature(one).parameters for one in (kind.plot, plot_model))
    assert list(method)[1:] == list(function)[1:]
    assert inspect.getdoc(kind.plot).startswith("Plot the model with")


def test_names_of_columns():
    X, y, _ = raw()
    frame = pd.DataFrame(X, columns=["length", "width"])
    model = OnlineKernelClassifier(budget=20, random_state=0).fit(frame, y)
    axes = model.plot(X=frame, y=y)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("length", "width")
    assert plot_model(model._model, X=frame[["width", "length"]]).get_xlim() == axes.get_xlim()
    assert plot_model(model._model).get_xlabel() == "length"
    with pytest.raises(ValueError, match="X must have the columns of the rows learned before"):
        model.plot(X=frame.rename(columns={"width": "depth"}))
    assert plot_model(Classifier(budget=20).learn(X, y)).get_xlabel() == "feature 0"


def test_sparse_rows_and_missing_values():
    X, y, _ = raw()
    model = Classifier(budget=20).learn(X, y)
    expected = plot_model(model, X=X).get_xlim()
    assert plot_model(model, X=csr_matrix(X)).get_xlim() == expected
    holes = X.copy()
    holes[X[:, 0].argsort()[5:9], 0] = np.nan
    plot_model(model, X=holes, y=y).figure.canvas.draw()
    assert plot_model(model, X=holes).get_xlim() == expected


def test_what_cannot_be_plotted_is_refused():
    X, y, _ = raw(300)
    model = Classifier(budget=20).learn(X, y)
    wide = Classifier(budget=20).learn(np.column_stack([X, X]), y)
    for arguments, kind, message in (
        ((Classifier(),), ValueError, "model must have learned rows, got a Classifier that has not"),
        (
            ("model",),
            TypeError,
            "model must be a Classifier, a Regressor or an estimator of budgetrs, got str",
        ),
        ((model, None, None, y), ValueError, "y must come with X"),
        ((model, None, X[:, :1]), ValueError, r"X must have shape \(n_samples, 2\), got \(300, 1\)"),
        ((model, None, X[0]), ValueError, r"X must have shape \(n_samples, 2\), got \(2,\)"),
        ((model, None, X * np.inf), ValueError, "X must have no infinite number, and a number in every"),
        ((model, None, X * np.nan), ValueError, "X must have no infinite number, and a number in every"),
        ((model, None, X, y[1:]), ValueError, r"y must have shape \(300,\), one entry for each row of X"),
        ((model, None, X, np.full(300, "new")), ValueError, "y must hold classes of the model, .* got 'new'"),
        ((wide, None, X), ValueError, "X applies to models of one or two features, got one of 4"),
    ):
        found, axes, *data = [*arguments, *[None] * (4 - len(arguments))]
        with pytest.raises(kind, match=message):
            plot_model(found, axes, X=data[0], y=data[1])
    with pytest.raises(ValueError, match="not fitted"):
        BSGDClassifier().plot()
    assert plt.get_fignums() == []


def test_without_support_vectors_the_rows_give_the_range():
    X, _ = board(50)
    model = Regressor("bpa-s", budget=5, gamma=1.0).learn(X, np.zeros(50))
    assert model.n_support_vectors_ == 0
    with pytest.raises(ValueError, match="X must give the range to plot, because the model has no support"):
        plot_model(model)
    assert plot_model(model, X=X).get_title(loc="left") == "bpa-s: prediction, 0 support vectors"


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_texts_are_readable_in_any_style(style):
    X, y, unit = raw(300)
    with plt.style.context(style):
        for model in (
            Classifier(budget=20).learn(X, y),
            OnlineKernelRegressor(budget=20).fit(X, unit[:, 0]),
            Regressor(budget=20).learn(X[:, :1], unit[:, 0]),
            Classifier(budget=20).learn(np.column_stack([X, X]), y),
            Classifier("pa-merge", budget=20).learn(np.column_stack([X, X]), y),
        ):
            axes = plot_model(model)
            assert unreadable(axes) == []
            plt.close("all")


def unreadable(axes):
    """The texts of a figure whose colour is close to that of the background."""
    axes.figure.canvas.draw()
    paper = np.array(to_rgba(axes.get_facecolor())[:3])
    texts = [text for text in axes.figure.findobj(mpl.text.Text) if text.get_text() and text.get_visible()]
    assert texts
    return [
        text.get_text()
        for text in texts
        if np.abs(np.array(to_rgba(text.get_color())[:3]) - paper).max() < 0.3
        or ((box := text.get_bbox_patch()) and not np.allclose(box.get_facecolor()[:3], paper))
    ]
