"""Messages about an unknown name ask for the nearest legal one."""

import pytest

import budgetrs
from budgetrs import BPARegressor, BSGDClassifier, ParameterError
from budgetrs.cli import main
from conftest import board


@pytest.mark.parametrize(
    ("estimator", "parameter", "near"),
    [
        (BSGDClassifier(kernel="lapacian", maintenance="random"), "kernel", "laplacian"),
        (BSGDClassifier(maintenance="bodg"), "maintenance", "bogd"),
        (BSGDClassifier(loss="logloss"), "loss", "log_loss"),
        (BPARegressor(maintenance="jont"), "maintenance", "joint"),
    ],
    ids=str,
)
def test_estimators(estimator, parameter, near):
    for call in (estimator.fit, estimator.partial_fit):
        with pytest.raises(ParameterError, match=rf"^{parameter} .*; did you mean '{near}'\?$") as caught:
            call(*board(50))
        assert caught.value.parameter == parameter


def test_what_is_near_nothing_or_legal_gets_no_suggestion():
    for params in ({"loss": "???"}, {"kernel": "linear"}, {"gamma": "scal"}):
        with pytest.raises(ParameterError) as caught:
            BSGDClassifier(**params).fit(*board(50))
        assert "did you mean" not in str(caught.value)


def test_make():
    with pytest.raises(ValueError, match=r"got 'bsgd-merg'; did you mean 'bsgd-merge'\?"):
        budgetrs.make("bsgd-merg")
    with pytest.raises(
        TypeError, match=r"'gama' is no parameter of BSGDClassifier.*; did you mean 'gamma'\?"
    ):
        budgetrs.make("bsgd-merge", gama=1.0)


@pytest.mark.parametrize(
    ("option", "value", "near"),
    [
        ("--algorithm", "bsgd-merg", "bsgd-merge"),
        ("--kernel", "rational_quadratic", "rational-quadratic"),
        ("--loss", "hing", "hinge"),
    ],
)
def test_command_line(option, value, near, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text("1,0\n2,1\n")
    assert main(["train", str(data), option, value, "-o", str(tmp_path / "model")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"budgetrs: {option} must be one of ")
    assert said.endswith(f"; did you mean '{near}'?\n")
