"""The oracles by the names of their algorithms."""

from __future__ import annotations

from oracle_mira import Mira
from oracle_ogd import GradientDescent
from oracle_pa import PassiveAggressive, PassiveAggressiveRegression
from oracle_perceptron import Perceptron, Projectron
from oracle_sgd import StochasticGradient

NAMED = {
    "pegasos": (StochasticGradient, {}),
    "bsgd-smallest": (StochasticGradient, {"maintenance": "smallest"}),
    "bsgd-project": (StochasticGradient, {"maintenance": "project"}),
    "bsgd-project-best": (StochasticGradient, {"maintenance": "project-best"}),
    "bsgd-merge": (StochasticGradient, {"maintenance": "merge"}),
    "pa": (PassiveAggressive, {}),
    "pa-ramp": (PassiveAggressive, {"loss": "ramp"}),
    "perceptron": (Perceptron, {}),
    "stoptron": (Perceptron, {"maintenance": "stop"}),
    "rbp": (Perceptron, {"maintenance": "random"}),
    "budget-perceptron": (Perceptron, {"maintenance": "margin"}),
    "budget-perceptron-distill": (Perceptron, {"maintenance": "distill"}),
    "forgetron": (Perceptron, {"maintenance": "forgetron"}),
    "projectron": (Projectron, {"maintenance": "projectron"}),
    "projectron++": (Projectron, {"maintenance": "projectron++"}),
    "mira": (Mira, {}),
    "budget-mira": (Mira, {"maintenance": "margin"}),
    "budget-mira-distill": (Mira, {"maintenance": "distill"}),
    "mira-merge": (Mira, {"maintenance": "merge"}),
    "bogd": (GradientDescent, {"maintenance": "bogd"}),
}


def reference(name, n_classes=None, **options):
    """The oracle of a named algorithm, with options beside its own; without classes it is a regressor."""
    oracle, own = NAMED[name]
    if n_classes is None and oracle is PassiveAggressive:
        return PassiveAggressiveRegression(**options)
    return oracle(n_classes or 2, **{**own, **options})
