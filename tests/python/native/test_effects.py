"""Every parameter changes what a model learns."""

import numpy as np
import pytest

import budgetrs
from budgetrs import Classifier, Regressor
from budgetrs._core import _table
from budgetrs.estimators._names import estimator_name
from conftest import board

# Estimators have none of these, or pass something else on: weights of rows, a number of random_state.
NATIVE_ONLY = {"C_decay", "noise_margin", "class_weight", "seed"}
POLY = {"kernel": "poly", "maintenance": "random"}
# The algorithm, what is set beside the parameter, and a value that differs from its default.
CHANGES = {
    "budget": ("bsgd-merge", {}, 7),
    "maintenance": ("bsgd-merge", {}, "smallest"),
    "loss": ("bsgd-merge", {}, "log_loss"),
    "epsilon": ("bpa-nn", {"loss": "epsilon_insensitive"}, 0.4),
    "delta": ("bsgd-merge", {"loss": "huber"}, 0.1),
    "quantile": ("bsgd-merge", {"loss": "quantile"}, 0.9),
    "grad_tol": ("bsgd-merge", {"loss": "log_loss"}, 0.3),
    "n_neighbors": ("bpa-nn", {}, 3),
    "may_discard_new": ("bpa-s", {}, True),
    "rate": ("bsgd-merge", {}, 20.0),
    "max_size": ("bsgd-merge", {"budget": 20, "rate": 200.0}, 25),
    "stream_length": ("bsgd-merge", {"average": True}, 300),
    "average": ("bsgd-merge", {}, 0.5),
    "alpha": ("bsgd-merge", {}, 1e-2),
    "project_to_ball": ("bsgd-merge", {"alpha": 0.5}, True),
    "C": ("bpa-nn", {}, 0.1),
    "C0": ("online-kernel", {}, 0.5),
    "C_decay": ("online-kernel", {"C0": 1.0}, False),
    "noise_margin": ("online-kernel", {}, 0.0),
    "forget": ("online-kernel", {}, 50),
    "margin": ("budget-perceptron", {}, 2.0),
    "eta": ("projectron", {}, 0.8),
    "eta0": ("bogd", {"alpha": 0.01}, 0.05),
    "max_coef": ("bogd", {"alpha": 0.01}, 1.0),
    "hash_features": ("bsgd-merge", {}, 3),
    "scaling": ("bsgd-merge", {}, "online"),
    "missing_values": ("online-kernel", {}, board(2500, dtype=np.float64)[0][:60, 0].tolist()),
    "metric_learning": ("bsgd-merge", {"budget": 5}, "diagonal"),
    "linear_weight": ("bsgd-merge", {}, 0.5),
    "kernel": ("bsgd-random", {}, "laplacian"),
    "gamma": ("bsgd-merge", {}, 0.7),
    "degree": ("bsgd-merge", POLY, 2),
    "coef0": ("bsgd-merge", POLY, 1.0),
    "alpha_rq": ("bsgd-merge", {"kernel": "rational-quadratic"}, 0.2),
    "class_weight": ("bsgd-merge", {}, "balanced"),
    "seed": ("bsgd-random", {}, 9),
}


def scores(kind, algorithm, params):
    """The scores of a model that has learned a checkerboard with some wrong labels."""
    X, y = board(2500, dtype=np.float64)
    y = np.where(np.random.default_rng(1).random(2500) < 0.1, 1 - y, y)
    model = kind(algorithm, **{"budget": 20, **params}).learn(X, y)
    return model.predict(X) if kind is Regressor else model.decision_function(X)


@pytest.mark.parametrize("name", CHANGES)
def test_every_parameter_changes_something(name):
    algorithm, beside, value = CHANGES[name]
    kind = Regressor if name in ("epsilon", "delta", "quantile") else Classifier
    given = {} if algorithm == "online-kernel" or name == "gamma" else {"gamma": 2.0}
    given = {**given, **beside}
    assert kind(algorithm, **{**given, name: value}).params[name] == value
    assert kind(algorithm, **given).params[name] != value
    plain, changed = (scores(kind, algorithm, params) for params in (given, {**given, name: value}))
    assert not np.allclose(plain, changed)


@pytest.mark.parametrize("name", sorted({*CHANGES} - NATIVE_ONLY))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_estimators_hand_every_parameter_to_their_model(name):
    algorithm, beside, value = CHANGES[name]
    is_regression = name in ("epsilon", "delta", "quantile")
    own = (Regressor if is_regression else Classifier)(algorithm, **{**beside, name: value}).params
    kind = getattr(budgetrs, estimator_name(own, regression=is_regression))
    given = {key: own[key] for key in {"maintenance", name, *beside} & {*kind().get_params()}}
    assert kind(**given).fit(*board(300, dtype=np.float64))._model.params[name] == value


def test_all_parameters_are_tried():
    for name in budgetrs._ESTIMATORS:
        own = {"max_iter", "shuffle", "random_state", "warm_start", "verbose", "n_jobs"}
        assert {*getattr(budgetrs, name)().get_params()} <= {*CHANGES, "missing"} | own
    # What missing="mean" changes is an error without it.
    assert set(CHANGES) == {row["name"] for row in _table()} - {"missing"}
