"""The pictures of a comparison."""

import itertools
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

from budgetrs import compare_budgets
from budgetrs.comparison.picture import draw_comparison
from conftest import board, but_nightly
from test_compare import waves
from test_plot import unreadable

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba


@pytest.fixture
def comparison():
    X, y = board(1500)
    return compare_budgets(X, y, [40, None, 5], "bsgd-merge", gamma=2.0)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_one_curve_for_each_budget(comparison):
    _, axes = plt.subplots()
    assert comparison.plot(axes) is axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    order = [2, 0, 1]  # by size, the unbounded one last
    assert labels == [
        f"{name}: {100 * comparison.error[at, -1]:.2f}%"
        for name, at in zip(("5", "40", "none"), order, strict=True)
    ]
    shown = comparison.rows >= 100
    for line, at in zip(axes.lines, order, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), comparison.rows[shown])
        np.testing.assert_array_equal(line.get_ydata(), comparison.error[at, shown])
    assert axes.get_xscale() == "log"
    assert axes.get_ylabel() == "progressive error"
    assert len({line.get_color() for line in axes.lines}) == 3


def test_the_error_in_the_end_against_the_budget(comparison):
    _, axes = plt.subplots()
    assert comparison.plot(axes, against="budget") is axes
    curve, limit, chosen = axes.lines[0], axes.lines[-2], axes.lines[-1]
    assert list(curve.get_xdata()) == [5, 40, comparison.n_support_vectors[1, -1]]
    np.testing.assert_array_equal(curve.get_ydata(), comparison.error[[2, 0, 1], -1])
    best = comparison.budgets.index(comparison.best_budget)
    expected = comparison.error[best, -1] + comparison.standard_error[best, -1]
    assert list(limit.get_ydata()) == [expected, expected]
    sufficient = comparison.budgets.index(comparison.sufficient_budget)
    assert list(chosen.get_ydata()) == [comparison.error[sufficient, -1]]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["5", "40", "none"]


def test_without_axes_a_figure_is_made(comparison):
    first = comparison.plot()
    second = comparison.plot(against="budget")
    assert first.figure is not second.figure
    assert len(plt.get_fignums()) == 2
    first.figure.canvas.draw()


def test_regressors_few_rows_and_one_budget(tmp_path):
    X, y = waves(30)
    comparison = compare_budgets(X, y, [5], "bpa-s", task="regression", gamma=1.0, checkpoints=100)
    for against in ("rows", "budget"):
        axes = comparison.plot(against=against)
        assert axes.get_ylabel() == "progressive mean absolute error"
        axes.figure.savefig(tmp_path / "picture.png")
    assert comparison.rows.tolist() == [30]


def test_an_unbounded_budget_stands_behind_all_others():
    X, y = board(300)
    comparison = compare_budgets(X, y, [5000, None], "bsgd-merge", gamma=2.0)
    axes = comparison.plot(against="budget")
    places = list(axes.lines[0].get_xdata())
    assert places[0] == 5000 < places[1]


@pytest.fixture(scope="module")
def many():
    X, y = board(1500)
    return compare_budgets(X, y, [5, 10, 20, 30, 40, 50, 60, None], "bsgd-merge", gamma=2.0)


def covers(axes):
    """Whether the legend covers a part of the axes, or leaves the figure."""
    axes.figure.canvas.draw()
    legend = axes.get_legend().get_window_extent()
    figure = axes.figure.bbox
    inside = figure.x0 <= legend.x0 and legend.x1 <= figure.x1 and legend.y1 <= figure.y1
    return legend.overlaps(axes.bbox) or not inside


@pytest.mark.parametrize(
    ("own", "against", "style"),
    but_nightly(
        itertools.product((False, True), ("rows", "budget"), ("default", "dark_background")),
        often=[(False, "rows", "default"), (True, "budget", "dark_background")],
    ),
)
def test_texts_are_readable_and_the_legend_covers_nothing(comparison, many, against, style, own):
    with plt.style.context(style):
        for result in (comparison, many):
            axes = plt.subplots(1, 2, figsize=(11, 4))[1][1] if own else None
            axes = result.plot(axes, against=against)
            assert not covers(axes)
            assert unreadable(axes) == []
            assert not axes.get_legend().get_frame_on()
            paper = axes.get_facecolor()
            for line in axes.lines:
                assert np.abs(np.subtract(to_rgba(line.get_color()), paper)).max() > 0.3


def test_plotting_again_takes_no_more_room(comparison):
    _, axes = plt.subplots()
    widths = [comparison.plot(axes).get_position().width for _ in range(3)]
    assert widths[0] == pytest.approx(widths[2])
    assert 0.3 < widths[0] < 0.7


@pytest.mark.parametrize(
    ("first", "last"),
    but_nightly(
        [(30, 30), (100, 110), (100, 150), (100, 700), (100, 1500), (150, 9000), (100, 10**6)],
        often=[(30, 30), (100, 150), (100, 10**6)],
    ),
)
def test_ticks_of_the_rows_have_labels_that_do_not_overlap(comparison, first, last):
    rows = np.linspace(first, last, len(comparison.rows)).astype(np.int64)
    few = slice(-1 if first == last else None, None)
    cut = {name: getattr(comparison, name)[:, few] for name in ("error", "standard_error")}
    axes = replace(comparison, rows=rows[few], **cut).plot()
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    shown = [
        label
        for place, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
        if low <= place <= high and label.get_text()
    ]
    assert len(shown) >= (1 if first == last else 2)
    boxes = [label.get_window_extent() for label in shown]
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
    for label in shown:
        assert label.get_text() == f"{label.get_position()[0]:,.0f}"


def test_close_budgets_have_labels_that_do_not_overlap():
    X, y = board(300)
    for budgets, rotation in (([5, 40], 0), ([5, 40, 42], 45), (list(range(10, 100, 10)), 45)):
        axes = compare_budgets(X, y, budgets, "bsgd-merge", gamma=2.0).plot(against="budget")
        assert {label.get_rotation() for label in axes.get_xticklabels()} == {rotation}


@pytest.mark.parametrize("interrupted", but_nightly([False, True], often=[True]))
def test_the_file_says_that_the_run_was_interrupted(comparison, interrupted):
    figure = draw_comparison(comparison, "train.csv", interrupted=interrupted)
    texts = [text.get_text() for text in figure.texts]
    assert ("interrupted: the first 1,500 rows alone" in texts) is interrupted
    assert texts[1] == "bsgd-merge on train.csv: 1,500 rows, each predicted just before it was learned"
    for axes in figure.axes:
        assert not covers(axes)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["Progressive error", "Final error, with its standard error"]
    figure.canvas.draw()
    header = figure.texts[1].get_window_extent()
    assert not any(axes._left_title.get_window_extent().overlaps(header) for axes in figure.axes)


def test_an_unknown_drawing_is_refused(comparison):
    with pytest.raises(ValueError, match='against must be "rows" or "budget", got "time"'):
        comparison.plot(against="time")
