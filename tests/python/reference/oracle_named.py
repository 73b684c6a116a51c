"""The reference implementations of the Perceptron, MIRA and OGD by the names of their algorithms."""

from __future__ import annotations

from oracle_mira import Mira
from oracle_ogd import GradientDescent
from oracle_perceptron import Perceptron, Projectron

NAMED = {
    "perceptron": (Perceptron, "none"),
    "stoptron": (Perceptron, "stop"),
    "rbp": (Perceptron, "random"),
    "budget-perceptron": (Perceptron, "margin"),
    "budget-perceptron-distill": (Perceptron, "distill"),
    "forgetron": (Perceptron, "forgetron"),
    "projectron": (Projectron, "projectron"),
    "projectron++": (Projectron, "projectron++"),
    "mira": (Mira, "none"),
    "budget-mira": (Mira, "margin"),
    "budget-mira-distill": (Mira, "distill"),
    "mira-merge": (Mira, "merge"),
    "bogd": (GradientDescent, "bogd"),
}


def reference(name, n_classes, **options):
    """The reference implementation of a named algorithm; its maintenance may be another one."""
    oracle, maintenance = NAMED[name]
    return oracle(n_classes, **{"maintenance": maintenance, **options})
