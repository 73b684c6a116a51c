"""The first calls of a new user: models without rows, methods of another interface, other names."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import budgetrs
from budgetrs import Classifier, ParameterError, Regressor, _core
from budgetrs._table import TABLE

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = X[:, 0] > 0
ESTIMATORS = [getattr(budgetrs, name) for name in budgetrs._ESTIMATORS]
BEFORE = "^this model has not learned any rows: call learn"


@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_native_models_without_rows_say_what_to_call(kind):
    model = kind()
    for call in (model.predict, model.decision_function if kind is Classifier else model.predict_interval):
        with pytest.raises(NotFittedError, match=BEFORE):
            call(X)
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_") and name != "drift_rows_":
            is_count = name.startswith("n_") and not name.startswith("n_features_")
            assert getattr(model, name, None) == (0 if is_count else None), name
    assert (model.drift_rows_.dtype, model.drift_rows_.shape) == (np.int64, (0,))
    with pytest.raises(NotFittedError, match=BEFORE):
        _ = model.gamma_
    with pytest.raises(NotFittedError, match=BEFORE):
        model.add_features(4)


def test_the_error_needs_no_scikit_learn():
    code = (
        "import sys; from budgetrs import Classifier, NotFittedError\n"
        "try: Classifier().predict([[1.0]])\n"
        "except NotFittedError as error: caught = error\n"
        "assert isinstance(caught, ValueError) and isinstance(caught, AttributeError)\n"
        "assert 'sklearn' not in sys.modules and not hasattr(Classifier(), 'classes_')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["partial_fit", "score", "transform"])
@pytest.mark.parametrize("kind", [Classifier, Regressor])
def test_native_models_name_their_methods(kind, name):
    assert not hasattr(kind(), name)
    named = f"^{kind.__name__} has no {name}: .*(learn|predict).*OnlineKernel{kind.__name__} for scikit-learn"
    with pytest.raises(AttributeError, match=named):
        getattr(kind(), name)


@pytest.mark.parametrize("name", ["learn", "learn_one", "predict_one", "transform"])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_name_their_methods(kind, name):
    assert not hasattr(kind(), name)
    with pytest.raises(
        AttributeError, match=f"^{kind.__name__} has no {name}: call (fit|partial_fit|predict)"
    ):
        getattr(kind(), name)


def test_estimators_have_no_attributes_that_look_like_parameters():
    for kind in ESTIMATORS:
        estimator = kind()
        own = estimator.get_params()
        assert {name for name in TABLE if hasattr(estimator, name)} <= own.keys(), kind


def spellings(names):
    return [name.replace(old, new) for name in names for old, new in (("-", "_"), ("_", "-"))]


def test_algorithms_have_two_spellings():
    for name in spellings(_core.ALGORITHMS):
        rate = {"rate": 1.0} if "nbsgd" in name else {}
        canonical = Classifier(name, **rate).algorithm
        assert canonical in _core.ALGORITHMS
        assert canonical.replace("-", "_") == name.replace("-", "_")
        made, expected = (budgetrs.make_estimator(known, **rate) for known in (name, canonical))
        assert type(made) is type(expected), name


def test_choices_have_two_spellings():
    native = Classifier("bsgd-random", kernel="rational_quadratic", maintenance="project_nn", loss="log-loss")
    assert native.params["kernel"] == "rational-quadratic"
    assert native.params["maintenance"] == "project-nn"
    assert native.params["loss"] == "log_loss"


def test_estimators_accept_both_spellings():
    options = {"maintenance": "project_best", "loss": "log-loss", "random_state": 0}
    first = budgetrs.BSGDClassifier(**options).fit(X, Y)
    second = budgetrs.BSGDClassifier(maintenance="project-best", loss="log_loss", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    with pytest.warns(UserWarning, match="can diverge"):
        budgetrs.BSGDRegressor(loss="squared-error").fit(X, X[:, 0])


def test_the_name_of_another_choice_is_no_algorithm():
    for name, kind in (("rbf", "kernel"), ("log-loss", "loss"), ("merge", "maintenance")):
        with pytest.raises(ParameterError, match=f"which is a {kind}.*: use {kind} = "):
            Classifier(name)


def test_messages_show_what_the_user_wrote():
    online = budgetrs.OnlineKernelClassifier
    with pytest.raises(ParameterError, match=r'^average = True cannot be combined with forget = "auto"'):
        online(average=True).fit(X, Y)
    with pytest.raises(ParameterError, match=r"got True$"):
        Classifier(budget=True)
    with pytest.raises(ParameterError, match=r"^budget must be an integer from 1 to 16777216, got None$"):
        online(budget=None).fit(X, Y)
    with pytest.raises(ParameterError, match=r'^average must be "polynomial", .*, got "random"$'):
        online(average="random", forget=None).fit(X, Y)
    # What the docstring offers works.
    for average in (True, False, 0.1):
        assert online(average=average, forget=None).fit(X, Y).n_samples_seen_ == 900
        assert online(average=average, forget=1000).fit(X, Y).n_samples_seen_ == 900


def test_axes_of_another_type_raise():
    model = Classifier(budget=10).learn(X, Y)
    estimator = budgetrs.OnlineKernelClassifier(budget=10).fit(X, Y)
    for plot in (model.plot, estimator.plot):
        with pytest.raises(TypeError, match=r"^ax must be matplotlib axes or None, got 'foo'$"):
            plot(ax="foo")


@pytest.mark.parametrize("gamma", [1e9, 1e-9])
def test_native_models_warn_once_of_a_gamma_that_is_far_off(gamma):
    model = Classifier("bsgd-merge", gamma=gamma, budget=50)
    with pytest.warns(UserWarning, match=f"is too {'large' if gamma > 1 else 'small'}; try gamma=") as caught:
        model.learn(X, Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn(X, Y)
        Classifier.from_bytes(model.to_bytes()).learn(X, Y)
        Classifier("bsgd-merge").learn(X, Y)
        Classifier(gamma=1e9).learn(X, Y)  # a learned metric


def test_the_module_lists_public_names_only():
    assert set(dir(budgetrs)) == {*budgetrs.__all__, *budgetrs._ESTIMATORS}
