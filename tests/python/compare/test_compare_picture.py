"""The pictures of a comparison."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

from budgetrs import compare_budgets
from conftest import board
from test_compare import waves
from test_import import without_extras

mpl.use("Agg")
from matplotlib import pyplot as plt


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


def test_an_unknown_drawing_is_refused(comparison):
    with pytest.raises(ValueError, match='against must be "rows" or "budget", got \'time\''):
        comparison.plot(against="time")


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import numpy as np, budgetrs\n"
        "X = np.random.default_rng(0).normal(size=(50, 2))\n"
        "c = budgetrs.compare_budgets(X, X[:, 0] > 0, [5, 10])\n"
        "print(str(c).splitlines()[0])\n"
        "try:\n    c.plot()\nexcept ImportError as error:\n    print(error)\n"
    )
    done = without_extras(code)
    assert done.stdout.splitlines() == [
        "online-kernel, progressive error after",
        "a picture needs matplotlib: pip install 'budgetrs[plot]'",
    ], done.stderr


def test_nothing_loads_matplotlib_before_it_is_needed():
    code = (
        "import numpy as np, budgetrs, sys\n"
        "X = np.random.default_rng(0).normal(size=(50, 2))\n"
        "print(budgetrs.compare_budgets(X, X[:, 0] > 0, [5, 10]))\n"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120).returncode == 0
