"""Messages about an unknown name ask for the nearest valid one."""

from inspect import signature

import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import budgetrs
from budgetrs import (
    BPARegressor,
    BSGDClassifier,
    Classifier,
    OnlineKernelClassifier,
    OnlineKernelRegressor,
    ParameterError,
    Regressor,
    _hints,
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


def fitted(kind, **params):
    X, y = board(60)
    model = kind(budget=10, **params)
    return model.learn(X, y) if hasattr(model, "learn") else model.fit(X, y)


X, Y = board(60)

# What users of other libraries try, and a part of the advice.
HINTS = [
    # Parameters that an estimator does not have, or only with other algorithms.
    (
        lambda: OnlineKernelClassifier(C=10),
        "leave it out: .*set C0 of OnlineKernelClassifier",
    ),
    (
        lambda: OnlineKernelRegressor(C=10, foo=1, bar=2),
        "OnlineKernelRegressor.*BSGDRegressor; .*foo.*bar.*apply are",
    ),
    (
        lambda: Regressor(C=10, nu=0.5, gamma=1.0),
        r'^C does.*BSGDRegressor; unknown parameter "nu"; leave it out',
    ),
    (lambda: Classifier(average=True), "averaged already"),
    (lambda: Classifier(delta=0.002), "detects drift by itself"),
    (lambda: BSGDClassifier(C=10), r"or alpha, about 1 / \(C \* n_rows\), of BSGDClassifier$"),
    (lambda: Classifier(C=10), 'apply to algorithm = "online-kernel"; C applies to .*C0'),
    (lambda: OnlineKernelClassifier(gamma=0.1), "learns or fixes it"),
    (lambda: OnlineKernelClassifier().set_params(kernel="rbf"), "learns or fixes it"),
    (lambda: Classifier(learning_rate=0.1), "set C0 of .* or alpha of BSGDClassifier$"),
    (lambda: Classifier(n_epochs=3), "passes=3"),
    (lambda: OnlineKernelClassifier(tol=1e-3), "leave it out"),
    (lambda: Classifier(probability=True), "always have predict_proba"),
    (lambda: Classifier(window=1000), "forget=1000"),
    (lambda: BSGDClassifier(penalty="l2"), "alpha"),
    (lambda: Classifier(max_depth=3), "budget"),
    # Values.
    (lambda: Regressor(loss="mse"), 'must be "epsilon_insensitive", got "mse"$'),
    (lambda: Classifier(loss="log_loss"), 'valid: "hinge"; .*predict_proba'),
    (lambda: Classifier(budget="100"), 'from 1 to 16777216, got "100"$'),
    (lambda: Classifier(budget=100.0), r"got 100\.0$"),
    (lambda: Classifier("pegasos", budget=100), r"valid: None \(unbounded\), or another maintenance"),
    (lambda: Classifier(forget=0.99), "forget=100 decays"),
    (lambda: Classifier(classes=2), r"a list of labels, such as \[0, 1\], got 2"),
    (lambda: Regressor().learn(X, X[:, 0]).predict_interval(X, coverage=90), r"did you mean 0\.9\?"),
    (
        lambda: Regressor().learn(X, X[:, 0]).predict_interval(X, 0.1),
        "coverage=0.9 covers 90%, which is alpha=0.1",
    ),
    (lambda: OnlineKernelClassifier().fit(X, Y).predict_set(X, 0.1), "coverage=0.9 covers 90%"),
    (
        lambda: Regressor().learn(X, X[:, 0]).predict_interval(X, coverage=[]),
        r"list of such numbers, got \[\](?!;)",
    ),
    (lambda: budgetrs.set_memory_limit("1GB"), 'got "1GB"; '),
    (lambda: OnlineKernelClassifier(class_weight="auto").fit(X, Y), 'must be "balanced"'),
    # Keywords and missing arguments.
    (lambda: Regressor().learn(X, X[:, 0]).predict_interval(X, alpha=0.1), "coverage=0.9 for alpha=0.1"),
    (lambda: Classifier().learn(X, Y, epochs=3), "passes=3"),
    (lambda: Classifier().learn(X), r"labels or targets of the rows: learn\(X, y\)"),
    (lambda: Classifier().save(), r"^model\.save\(\) missing .*: save\(\"model.safetensors\"\)$"),
    (lambda: OnlineKernelClassifier().save(), r"^save\(\) missing .*: save\(\"model.safetensors\"\)$"),
    (lambda: OnlineKernelClassifier().fit(X), r"^fit\(\) missing .*: fit\(X, y\)$"),
    (lambda: OnlineKernelClassifier.load(), r"^load\(\) missing .*: load\(\"model.safetensors\"\)$"),
    (
        lambda: OnlineKernelClassifier().fit(X, Y, passes=3),
        r"Classifier and Regressor have fit.*; estimators have it in the constructor: max_iter=3",
    ),
    # Shapes and order of arguments.
    (lambda: Classifier().learn(X[0], Y[0]), "learn_one and predict_one"),
    (lambda: Classifier().learn_one(X[:2], Y[:2]), r"shape \(2, 2\): for several rows use learn"),
    (lambda: Classifier().learn(X, [[0, 1], [1, 0]] * 30), r"y\.argmax\(axis=1\)"),
    (lambda: Classifier().learn(Y, X), "the rows come first"),
    (lambda: budgetrs.combine(Classifier(), Classifier()), r"a list: combine\(\[a, b\]\)"),
    (lambda: compare_budgets(OnlineKernelClassifier(), X, Y), "creates its models"),
    (lambda: compare_budgets(X, X[:, 0], [5]), 'task="regression"'),
    (lambda: OnlineKernelClassifier().fit(["good film", "bad film"], [1, 0]), "HashingVectorizer"),
    (lambda: OnlineKernelClassifier().fit(X, X[:, 0]), "OnlineKernelRegressor"),
    (lambda: OnlineKernelClassifier().fit(X[None], Y), r"shape \(1, 60, 2\) .*: X\.reshape\(len\(y\), -1\)"),
    (lambda: OnlineKernelClassifier().fit(X[:, :, None], Y), r"X\.reshape\(len\(X\), -1\)"),
    (lambda: OnlineKernelRegressor().fit(X, X), "MultiOutputRegressor"),
    (lambda: Regressor().learn(X, ["a"] * 60), "use a Classifier for labels"),
    (
        lambda: fitted(Classifier, algorithm="bsgd-merge").predict_proba(X),
        r'needs loss="log_loss", got "hinge"; or',
    ),
    (lambda: Classifier().learn_one({"a": 1.0, "b": 2.0}, 0).learn_one({"a": 1.0}, 0), "absent columns as 0"),
    # Attributes.
    (lambda: Classifier().partial_fit(X, Y), r"call learn\(X, y\)"),
    (lambda: Classifier().budget, r'params\["budget"\]'),
    (lambda: Classifier().predict_interval(X), "predict_set"),
    (lambda: Regressor().predict_proba(X), "predict_interval"),
    (
        lambda: make_pipeline(Regressor()).fit(X, Y),
        r"^Regressor has no scikit-learn .* OnlineKernelRegressor\(\)",
    ),
    (lambda: cross_val_score(Classifier(), X, Y, scoring="accuracy"), "pass OnlineKernelClassifier"),
    (lambda: Regressor().progressive_error_, "has mean_absolute_error_ and mean_squared_error_"),
    (lambda: Classifier().mean_squared_error_, "Classifier has progressive_error_"),
    (lambda: OnlineKernelRegressor().progressive_error_, "Regressor has mean_absolute_error_"),
    (lambda: OnlineKernelClassifier().explain_one(X[0]), "as a Classifier, which has explain_one"),
    (lambda: OnlineKernelClassifier().learn(X, Y), "partial_fit"),
    (lambda: fitted(OnlineKernelClassifier).coef_, "linear_coef_"),
    (lambda: fitted(OnlineKernelClassifier).support_vectors, r"did you mean support_vectors_\?"),
]


@pytest.mark.parametrize(("call", "advice"), HINTS, ids=[advice for _, advice in HINTS])
def test_names_and_shapes_of_other_libraries(call, advice):
    with pytest.raises((TypeError, ValueError, AttributeError), match=advice):
        call()


def test_names_of_other_libraries_in_imports():
    with pytest.raises(ImportError, match=r"^budgetrs has no SVC: OnlineKernelClassifier has"):
        from budgetrs import SVC  # noqa: F401
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        _ = budgetrs.foo


def test_every_hint_is_complete():
    for table in (_hints._PARAMETERS, _hints._KEYWORDS, _hints.NATIVE, _hints.ESTIMATOR):
        for text in table.values():
            assert "{" not in text.format(kind="Regressor")


def test_hints_are_no_attributes():
    for model in (Classifier(), Regressor(), OnlineKernelClassifier(), OnlineKernelClassifier):
        owner = model if isinstance(model, type) else type(model)
        listed = {*dir(model)} & {*_hints.NATIVE, *_hints.ESTIMATOR, "budget"}
        assert all(hasattr(owner, name) for name in listed), listed
        assert ("learn" in listed) != ("partial_fit" in listed)


def test_errors_of_attributes_stay_their_own():
    with pytest.raises(ValueError, match="not fitted yet"):
        _ = OnlineKernelClassifier().feature_importances_


def test_what_cannot_be_a_name():
    for make in (Classifier, Regressor):
        for given in (100, None, ["bsgd-merge"]):
            with pytest.raises(
                ParameterError,
                match=r"^algorithm must be a name in budgetrs.ALGORITHMS \(pass .* by name, .*\), got ",
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
