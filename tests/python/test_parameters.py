"""What is written of a parameter, who refuses it, and what the exception knows."""

import inspect
import pickle
import re
import runpy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import budgetrs
from budgetrs import Classifier, ParameterError, Regressor, _core
from budgetrs.cli import main
from conftest import ROOT, board

ESTIMATORS = [getattr(budgetrs, name) for name in budgetrs._ESTIMATORS]
TABLE = {row["name"]: row for row in _core._table()}


def test_exceptions_know_the_parameter_and_the_row():
    X, y = board(50)
    holes = X.copy()
    holes[7, 1] = np.nan
    cases = [
        (lambda: Classifier(gamma=-1.0), "gamma", None),
        (lambda: Classifier(gamma=[1.0]), "gamma", None),
        (lambda: Classifier(seed=-1), "seed", None),
        (lambda: Classifier(kernel="linear"), "kernel", None),
        (lambda: Classifier(C=2.0), "C", None),
        (lambda: Classifier(width=3), "width", None),
        (lambda: Classifier("nothing"), "algorithm", None),
        (lambda: Classifier("bsgd-merge").learn(holes, y), "X", 7),
        (lambda: Classifier().learn(X.astype(str), y), "X", None),
        (lambda: Classifier().learn(X, y[1:]), "y", None),
        (lambda: Classifier(classes=[5, 6]).learn(X, np.where(np.arange(50) == 3, 9, 5)), "y", 3),
        (lambda: Regressor().learn(X, np.where(np.arange(50) == 9, np.inf, 1.0)), "y", 9),
        (
            lambda: Classifier().learn(X, y, sample_weight=np.where(np.arange(50) == 4, -1, 1)),
            "sample_weight",
            4,
        ),
    ]
    for call, parameter, row in cases:
        with pytest.raises(ParameterError, match=parameter) as caught:
            call()
        caught.value.add_note("in the second file")
        for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
            assert (error.parameter, error.row) == (parameter, row)
            assert isinstance(error, ValueError)
            assert isinstance(error, TypeError)
            assert str(error) == str(caught.value)
            assert error.__notes__ == ["in the second file"]


# An estimator, what it is made with, the parameter that does not apply, and another value of it.
INAPPLICABLE = [
    ("BSGDClassifier", {}, "grad_tol", 0.5),
    ("BSGDClassifier", {}, "n_neighbors", 2),
    ("BSGDClassifier", {}, "eta0", 0.5),
    ("BSGDClassifier", {}, "max_coef", 5.0),
    ("BSGDClassifier", {}, "margin", 0.5),
    ("BSGDClassifier", {}, "degree", 2),
    ("BSGDClassifier", {}, "coef0", 1.0),
    ("BSGDClassifier", {"kernel": "linear", "maintenance": "random"}, "gamma", 1.0),
    ("BSGDClassifier", {"maintenance": "bogd"}, "project_to_ball", True),
    ("BSGDRegressor", {}, "delta", 2.0),
    ("BSGDRegressor", {}, "quantile", 0.1),
    ("BSGDRegressor", {"loss": "huber"}, "epsilon", 0.2),
    ("BPAClassifier", {}, "may_discard_new", True),
    ("BPARegressor", {"maintenance": "joint"}, "n_neighbors", 2),
    ("BudgetMIRA", {}, "n_neighbors", 2),
    ("BudgetPerceptron", {}, "margin", 0.5),
    ("BudgetPerceptron", {"maintenance": "margin"}, "eta", 0.5),
]


@pytest.mark.parametrize(("name", "params", "parameter", "value"), INAPPLICABLE, ids=str)
def test_parameters_that_do_not_apply_are_refused_everywhere(
    name, params, parameter, value, tmp_path, capsys
):
    X, y = board(60)
    kind = getattr(budgetrs, name)
    estimator = kind(**params)
    with pytest.raises(
        ParameterError, match=f"^{parameter} does not apply to .*; {parameter} applies to "
    ) as caught:
        clone(estimator).set_params(**{parameter: value}).fit(X, y)
    assert caught.value.parameter == parameter
    # A default is no error, whatever else is chosen.
    default = inspect.signature(kind).parameters[parameter].default
    estimator.set_params(**{parameter: default}).fit(X, y)

    algorithm, given = estimator._native_params()
    native = Regressor if name.endswith("Regressor") else Classifier
    with pytest.raises(ParameterError, match=f"^{parameter} does not apply to "):
        native(algorithm, **{**given, parameter: value})

    data = tmp_path / "data.csv"
    data.write_text("1,0\n2,1\n")
    task = "regression" if native is Regressor else "classification"
    words = {
        "budget": given["budget"],
        **{key: given[key] for key in ("maintenance", "loss", "kernel") if key in given},
    }
    budget = str(words.pop("budget")).lower()
    options = [word for key, choice in words.items() for word in ("--set", f"{key}={choice}")]
    last = ["--set", f"{parameter}={str(value).lower()}"]
    command = ["train", str(data), "--task", task, "--algorithm", algorithm, "--budget", budget]
    assert main([*command, *options, *last, "-o", str(tmp_path / "model")]) == 2
    assert f"--set {parameter} does not apply to " in capsys.readouterr().err


def test_distill_has_a_margin():
    X, y = board(300)
    first, second = (
        budgetrs.BSGDClassifier(maintenance="distill", margin=margin, gamma=2.0, random_state=0).fit(X, y)
        for margin in (1e-3, 100.0)
    )
    assert not np.allclose(first.decision_function(X), second.decision_function(X))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_defaults_are_never_refused(kind):
    X, y = board(60)
    valid = _core._choices(kind._algorithm, issubclass(kind, budgetrs.BSGDRegressor | budgetrs.BPARegressor))
    for choice, names in valid.items():
        for name in names:
            if choice not in inspect.signature(kind).parameters:
                continue
            estimator = clone(kind(**{choice: name}))
            if choice == "maintenance" and name == "none":
                estimator.set_params(budget=None)
            if choice == "kernel" and name != "rbf":
                estimator.set_params(maintenance="random")
            if name == "squared_error":
                estimator.set_params(project_to_ball=True)
            assert estimator.fit(X, y).n_samples_seen_ == 60


@pytest.mark.parametrize("kind", [Classifier, Regressor, *ESTIMATORS])
def test_docstrings_name_every_parameter_with_its_default(kind):
    text = inspect.getdoc(kind)
    assert len(text) <= 6000
    section = text.partition("\nParameters\n----------\n")[2].partition("\n\n")[0]
    entries = dict(re.findall(r"^(\w+) : (.*)$", section, re.MULTILINE))
    assert {"budget", "random_state" if kind in ESTIMATORS else "seed"} < entries.keys()
    others = set(re.findall(r"\w+", section.partition("\nothers : optional\n")[2].partition(":")[0]))
    parameters = inspect.signature(kind).parameters
    assert entries.keys() - {"others"} | others == parameters.keys()
    for name in entries.keys() - {"others"}:
        default = parameters[name].default
        written = f'"{default}"' if isinstance(default, str) else repr(default)
        assert entries[name].endswith(f", default={written}"), name


@pytest.mark.parametrize("name", TABLE)
def test_the_page_has_the_legal_values_of_every_parameter(name):
    page = (ROOT / "docs" / "parameters.md").read_text()
    words = " ".join(page.partition(f"\n## {name}\n")[2].partition("\n## ")[0].split())
    forms = TABLE[name]["forms"]
    for choice in forms[0][1] if forms[0][0] == "choice" else ():
        assert f'"{choice}"' in words, choice
    assert TABLE[name]["valid"] in words or name in ("maintenance", "loss", "kernel")
    for kind in (Classifier, Regressor):
        if name in kind().params:
            default = inspect.signature(kind).parameters[name].default
            assert default == kind().params[name]
            written = f'"{default}"' if isinstance(default, str) else repr(default)
            assert f"`{written}`" in words.partition(". ")[0], name


@pytest.mark.parametrize(
    "name",
    [name for name in TABLE if ("none",) in TABLE[name]["forms"] and name != "missing_values"],
)
def test_options_take_none(name, tmp_path):
    data, model = tmp_path / "data.csv", tmp_path / "model"
    data.write_text("1,0\n2,1\n")
    algorithms = {"n_neighbors": "bpa-nn", "budget": "pa", "margin": "mira"}
    online = ("noise_margin", "forget", "linear_weight")
    algorithm = algorithms.get(name, "online-kernel" if name in online else "bsgd-merge")
    option = ["--budget", "none"] if name == "budget" else ["--set", f"{name}=none"]
    assert main(["train", str(data), "--algorithm", algorithm, *option, "-o", str(model), "-q"]) == 0
    assert Classifier.load(model).params[name] is None


def test_options_take_the_last_model(tmp_path):
    data, model = tmp_path / "data.csv", tmp_path / "model"
    data.write_text("1,0\n2,1\n")
    options = ["--algorithm", "online-kernel", "--set", "forget=none", "--set", "average=false"]
    assert main(["train", str(data), *options, "-o", str(model), "-q"]) == 0
    assert Classifier.load(model).params["average"] is False
    assert Classifier.load(model).params["stream_length"] is None


def test_digests_are_of_every_parameter_and_regressor():
    digests = runpy.run_path(str(ROOT / "benches" / "digests.py"))
    # Every strategy has its cases elsewhere.
    assert {name for option in digests["OPTIONS"].values() for name in option} == {*TABLE} - {"maintenance"}
    regressors = {name for name in budgetrs._ESTIMATORS if name.endswith("Regressor")}
    assert {kind.__name__ for kind in digests["REGRESSORS"].values()} == regressors


def test_options_say_the_defaults(capsys):
    assert main(["train", "--help-all"]) == 0
    said = " ".join(capsys.readouterr().out.split()).replace("- ", "-")
    assert 'for "online-kernel" (default 60.0, for regression 10.0)' in said
    assert "(default 0.2, for regression 1.0; of the published algorithms none)" in said
    assert "(default rational-quadratic; of the published algorithms rbf)" in said
    assert "(default 2.0; of the published algorithms 1.0)" in said


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_attribute_of_a_fit_is_documented(kind):
    X, y = board(60)
    fitted = kind().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    names = {name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")}
    # scikit-learn sets these.
    names -= {"n_features_in_", "feature_names_in_", "n_iter_"}
    assert names >= {"support_vectors_", "recent_error_", "gamma_"}
    for name in names:
        assert inspect.getdoc(inspect.getattr_static(kind, name)), name


def test_options_say_what_is_valid(capsys):
    assert main(["train", "--help-all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "a dict of" not in said
    for name, row in TABLE.items():
        own = name in ("budget", "scaling", "seed", "missing_values")
        assert (f" --{name.replace('_', '-')} " if own else f" {name} ") in said, name
        if own:
            continue
        for form, *of in row["forms"]:
            if form == "number" and np.isfinite(of[1]):
                assert re.search(r"a number (from|between) \S+ (to|and) \S+", said), name
        if row["forms"][0][0] in ("number", "count"):
            assert row["valid"].split(", ")[0].replace("- ", "-") in said.replace("- ", "-"), name
