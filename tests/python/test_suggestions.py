"""Messages about an unknown name ask for the nearest valid one."""

from inspect import signature

import pytest

import budgetrs
from budgetrs import (
    BPARegressor,
    BSGDClassifier,
    Classifier,
    OnlineKernelClassifier,
    ParameterError,
    Regressor,
    compare_budgets,
)
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
        with pytest.raises(ParameterError, match=rf'^{parameter} .*; did you mean "{near}"\?$') as caught:
            call(*board(50))
        assert caught.value.parameter == parameter


def test_what_is_near_nothing_or_legal_gets_no_suggestion():
    for params in ({"loss": "???"}, {"kernel": "linear"}, {"gamma": "no"}):
        with pytest.raises(ParameterError) as caught:
            BSGDClassifier(**params).fit(*board(50))
        assert "did you mean" not in str(caught.value)


def test_make():
    message = r'^name .* got "bsgd-merg"; did you mean "bsgd-merge"\?$'
    with pytest.raises(ParameterError, match=message) as caught:
        budgetrs.make_estimator("bsgd-merg")
    assert caught.value.parameter == "name"
    with pytest.raises(ParameterError, match=r'^unknown parameter "gama".*; did you mean "gamma"\?$'):
        budgetrs.make_estimator("bsgd-merge", gama=1.0)


@pytest.mark.parametrize(
    ("make", "parameter", "near"),
    [
        (lambda: Classifier("percptron"), "algorithm", "perceptron"),
        (lambda: Regressor("online_kernl"), "algorithm", "online-kernel"),
        (
            lambda: compare_budgets([[0.0]], [0], algorithm="bsgd-merg"),
            "algorithm",
            "bsgd-merge",
        ),
        (lambda: Classifier(budgt=4), "budgt", "budget"),
        (lambda: Regressor(Budget=4), "Budget", "budget"),
        (lambda: Classifier(n_job=4), "n_job", "n_jobs"),
        (lambda: Classifier("bsgd-merge", kernel="rbff"), "kernel", "rbf"),
        (lambda: Classifier("bsgd-merge", kernel="RBF"), "kernel", "rbf"),
        (lambda: Classifier("bsgd-merge", gamma="scal"), "gamma", "scale"),
        (lambda: OnlineKernelClassifier(budgt=4), "budgt", "budget"),
        (lambda: BSGDClassifier(max_itr=4), "max_itr", "max_iter"),
        # Names of other libraries.
        (lambda: Classifier(random_state=0), "random_state", "seed"),
        (lambda: OnlineKernelClassifier(seed=0), "seed", "random_state"),
        (lambda: OnlineKernelClassifier(epochs=2), "epochs", "max_iter"),
        (lambda: Classifier("bsgd-merge", lambda_=1.0), "lambda_", "alpha"),
        (lambda: Classifier(n_support=10), "n_support", "budget"),
        (lambda: Classifier(max_sv=10), "max_sv", "budget"),
        (lambda: Classifier("bsgd-merge", loss="logistic"), "loss", "log_loss"),
        (lambda: Classifier("bsgd-merge", loss="log"), "loss", "log_loss"),
        (lambda: Classifier("bsgd-merge", kernel="gaussian"), "kernel", "rbf"),
        (lambda: Classifier("bsgd-merge", maintenance="merging"), "maintenance", "merge"),
        (lambda: Classifier("svm"), "algorithm", "online-kernel"),
    ],
)
def test_constructors(make, parameter, near):
    with pytest.raises(ParameterError, match=rf'{parameter}.*; did you mean "{near}"\?$') as caught:
        make()
    assert caught.value.parameter == parameter
    assert isinstance(caught.value, TypeError)


def test_what_cannot_be_a_name():
    for make in (Classifier, Regressor):
        for given in (100, None, ["bsgd-merge"]):
            with pytest.raises(
                ParameterError,
                match=r"^algorithm must be a name in budgetrs.ALGORITHMS \(pass .* by name\), got ",
            ) as caught:
                make(given)
            assert caught.value.parameter == "algorithm"
            assert str(given) in str(caught.value)


def test_signatures_and_errors_name_the_estimator():
    assert next(iter(signature(BSGDClassifier).parameters)) == "budget"
    with pytest.raises(TypeError, match=r"^BSGDClassifier\.__init__\(\) takes"):
        BSGDClassifier(1, 2)


@pytest.mark.parametrize(
    ("options", "name", "near"),
    [
        (["--algorithm", "bsgd-merg"], "--algorithm", "bsgd-merge"),
        (["--set", "kernel=lapacian"], "--set kernel", "laplacian"),
        (["--set", "loss=hing"], "--set loss", "hinge"),
    ],
)
def test_command_line(options, name, near, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text("1,0\n2,1\n")
    assert main(["train", str(data), *options, "-o", str(tmp_path / "model")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"budgetrs: {name} must be ")
    assert said.endswith(f'; did you mean "{near}"?\n')
