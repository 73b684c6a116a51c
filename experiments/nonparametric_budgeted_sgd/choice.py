"""How the models are made and their parameters chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .data import PROBLEMS, Problem, Rows
from .paper import METHODS

GRID = (2.0**-8, 2.0**-4, 1.0, 2.0**4, 2.0**10)  # of gamma and of lambda
LOSSES = {  # hinge is every algorithm's own
    "logistic": "log_loss",
    "L2": "squared_error",
    "L1": "absolute_error",
    "eps": "epsilon_insensitive",
}
BETA = 0.6  # times the training rows: what rate="auto" is
FOLDS = 5
EXACT_ROWS = 10_000  # at most, to choose the parameters of the exact projection on: its time is quadratic
CHOICE_SEED = 10_000  # of the rows on which parameters are chosen, and of their folds


@dataclass(frozen=True)
class Task:
    """What is to be learned, and how."""

    problem: str
    method: str
    loss: str
    per_row: bool = False  # whether lambda is divided by the number of training rows
    average: bool = False  # whether the mean of the models of the last half is served

    @property
    def nonparametric(self) -> bool:
        return self.method.startswith("nbsgd")


def new_model(
    task: Task,
    budget: int | None,
    gamma: float,
    alpha: float | None,
    length: int,
    seed: int = 0,
    rate: float | str = "auto",
):
    """The native learner of a task for a stream of that length."""
    from budgetrs import Classifier, Regressor

    options: dict[str, Any] = {} if budget is None else {"budget": budget}
    if alpha is not None:
        options["alpha"] = alpha / length if task.per_row else alpha
    if task.nonparametric:
        options |= {"rate": rate, "stream_length": length, "average": task.average}
    if task.loss in LOSSES:
        options["loss"] = LOSSES[task.loss]
    if task.loss == "L2":
        # The ball has a radius for lambda up to 1 alone; beyond that the steps are short anyway.
        options["project_to_ball"] = options["alpha"] <= 1
    options |= {"gamma": gamma, "seed": seed}
    if PROBLEMS[task.problem].regression:
        return Regressor(METHODS[task.method], **options)
    return Classifier(METHODS[task.method], **options, classes=list(PROBLEMS[task.problem].classes))


def alphas(method: str) -> tuple[float | None, ...]:
    """The lambdas that a method is tried with."""
    if method in ("rbp", "forgetron", "projectron++", "bpa-s"):
        return (None,)
    return tuple(value for value in GRID if value <= 1) if method == "bogd" else GRID


def score_of(problem: Problem, model, test: Rows) -> float:
    """Accuracy in %, or the root of the mean squared error."""
    predicted = np.asarray(model.predict(test[0]))
    if problem.regression:
        return float(np.sqrt(np.mean((predicted - test[1]) ** 2)))
    return 100.0 * float((predicted == test[1]).mean())


def choose(task: Task, budget: int | None, train: Rows) -> tuple[float, float | None]:
    """The gamma and lambda of the best mean score over the folds."""
    problem, (x, y) = PROBLEMS[task.problem], train
    most = min(problem.choice_rows, EXACT_ROWS if task.method.endswith("exact") else len(x))
    order = np.random.default_rng(CHOICE_SEED).permutation(len(x))[:most]
    folds = np.array_split(order, FOLDS)
    found: dict[tuple[float, float | None], float] = {}
    for i, held in enumerate(folds):
        kept = np.concatenate([fold for j, fold in enumerate(folds) if j != i])
        rows, judged = (x[kept], y[kept]), (x[held], y[held])
        cut = None if budget is None else max(round(budget * len(kept) / len(x)), 2)
        for gamma in GRID:
            for alpha in alphas(task.method):
                model = new_model(task, cut, gamma, alpha, len(kept), i)
                model.learn(*rows)
                score = score_of(problem, model, judged) / FOLDS
                found[gamma, alpha] = found.get((gamma, alpha), 0.0) + score
    best = min if problem.regression else max
    return best(found, key=found.__getitem__)


def derive_budget(task: Task, size: int, train: Rows, gamma: float, alpha: float | None) -> tuple[int, float]:
    """The B with which NBSGD is expected to end with `size` vectors, and the share of late rows inserted."""
    (x, y), length = train, len(train[0])
    beta = math.floor(BETA * length)
    pilot = new_model(task, size // 2, gamma, alpha, length)
    pilot.learn(x[:beta], y[:beta])
    before = pilot.n_updates_
    pilot.learn(x[beta:], y[beta:])
    share = (pilot.n_updates_ - before) / (length - beta)
    growth = share * (length - beta - beta * math.log(length / beta))
    return max(round(size - growth), round(size / 4), 2), share
