"""What fit prints."""

import re

import pytest

from budgetrs import BSGDClassifier, OnlineKernelClassifier, OnlineKernelRegressor
from budgetrs._errors import shown
from conftest import board
from kinds import CLASSIFIERS, KINDS, data_for, small

LINE = (
    r"pass (\d+) of (\d+): ([\d,]+) rows, ([\d,]+) updates, ([\d,]+) support vectors"
    r"(?:, progressive (error|RMSE) ([\d.]+))?"
)


@pytest.mark.filterwarnings("ignore::budgetrs.PoorFitWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_line_for_each_pass(kind, capsys):
    X, y = data_for(kind)
    estimator = small(kind, max_iter=2, verbose=1).fit(X, y)
    first, second = (re.fullmatch(LINE, line) for line in capsys.readouterr().out.splitlines())
    assert (first[1], first[2], second[1], second[2]) == ("1", "2", "2", "2")
    assert first[3] == second[3] == "300"
    assert int(first[4]) + int(second[4]) == estimator.n_updates_
    assert int(second[5]) == estimator.n_support_vectors_
    if kind in (OnlineKernelClassifier, OnlineKernelRegressor):
        # Rows of the second pass are known: it has no progressive error.
        assert second[6] is None
        if kind is OnlineKernelClassifier:
            assert 300 * float(first[7]) == pytest.approx(estimator.n_mistakes_, abs=0.1)
            assert estimator.progressive_error_ == pytest.approx(float(first[7]), abs=1e-4)
        else:
            assert float(first[7]) ** 2 == pytest.approx(estimator.mean_squared_error_, rel=1e-2)
    elif kind in CLASSIFIERS:
        assert first[6] == "error"
        wrong = 300 * (float(first[7]) + float(second[7]))
        assert wrong == pytest.approx(estimator.n_mistakes_, abs=0.1)
    else:
        assert first[6] == "RMSE"
        squares = 300 * (float(first[7]) ** 2 + float(second[7]) ** 2)
        assert squares == pytest.approx(600 * estimator.mean_squared_error_, rel=1e-2)


def test_a_warm_pass_is_counted_alone(capsys):
    X, y = board(300)
    estimator = small(BSGDClassifier, warm_start=True).fit(X, y)
    before = estimator.n_updates_, estimator.n_mistakes_
    estimator.set_params(verbose=1).fit(X, y)
    line = re.fullmatch(LINE, capsys.readouterr().out.strip())
    assert line[3] == "300"
    assert int(line[4]) == estimator.n_updates_ - before[0]
    assert float(line[7]) == pytest.approx((estimator.n_mistakes_ - before[1]) / 300, abs=1e-4)


def test_by_default_nothing_is_printed_and_nothing_else_changes(capsys):
    X, y = board(2500)
    quiet, loud = small(BSGDClassifier).fit(X, y), small(BSGDClassifier)
    assert capsys.readouterr().out == ""
    loud.set_params(verbose=1).fit(X, y)
    assert capsys.readouterr().out.startswith("pass 1 of 1: 2,500 rows, ")
    assert loud._model.to_bytes() == quiet._model.to_bytes()


@pytest.mark.parametrize(
    ("bad", "error"), [(-1, ValueError), ("much", TypeError), (0.5, TypeError), (None, TypeError)]
)
def test_other_values_raise(bad, error):
    with pytest.raises(error, match=f"verbose must be an integer >= 0, got {shown(bad)}"):
        small(BSGDClassifier, verbose=bad).fit(*board(50))
