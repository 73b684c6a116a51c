"""What users would pick instead, fitted to standardised rows. Packages are imported when they are needed."""

from __future__ import annotations

import functools
import itertools
import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from .cells import LeftOutError
from .data import Rows

FEATURES = 500
CHUNK = 10_000  # rows mapped to random features at a time
ONE_PASS_ROWS = 50_000  # on which gamma and alpha or the first step are chosen, at most
SVM_ROWS = 5_000  # on which gamma and C are chosen, at most
SVR_ROWS = 8_000  # learned where there are more than --svm-rows
WIDTHS = (0.25, 1.0, 4.0)  # gamma times d
ALPHAS = (1e-6, 1e-5, 1e-4)
RATES = (0.3, 1.0, 3.0)
COSTS = (1.0, 10.0, 100.0)

Grid = list[dict[str, float]]
Fitted = tuple[np.ndarray, dict]  # predictions for the test rows, and the parameters chosen


@dataclass(frozen=True)
class Task:
    """The rows and settings of a peer."""

    rows: Rows
    regression: bool
    seed: int
    svm_rows: int
    svm_seconds: float


def grid(d: int, **others: tuple[float, ...]) -> Grid:
    """All combinations of a width and of other parameters."""
    values = itertools.product([width / d for width in WIDTHS], *others.values())
    return [dict(zip(["gamma", *others], each, strict=True)) for each in values]


def tune(make: Callable[..., Any], grid: Grid, x: np.ndarray, y: np.ndarray, *, regression: bool) -> dict:
    """The parameters that do best on the last fifth of the rows, after the others."""
    cut = len(x) * 4 // 5

    def held_out(parameters: dict[str, float]) -> float:
        predicted = make(**parameters).fit(x[:cut], y[:cut]).predict(x[cut:])
        return -float(((predicted - y[cut:]) ** 2).mean()) if regression else (predicted == y[cut:]).mean()

    return max(grid, key=held_out)


@dataclass
class OnePass:
    """Features of a kernel and a linear model on them, in one pass."""

    features: Any
    linear: Any
    classes: np.ndarray | None

    def fit(self, x: np.ndarray, y: np.ndarray) -> OnePass:
        self.features.fit(x[:CHUNK])
        known = {} if self.classes is None else {"classes": self.classes}
        for i in range(0, len(x), CHUNK):
            self.linear.partial_fit(self.features.transform(x[i : i + CHUNK]), y[i : i + CHUNK], **known)
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        parts = (self.features.transform(x[i : i + CHUNK]) for i in range(0, len(x), CHUNK))
        return np.concatenate([self.linear.predict(part) for part in parts])


def one_pass(features: str, task: Task) -> Fitted:
    """Random or Nystroem features of an rbf kernel, and averaged SGD on them."""
    from sklearn import kernel_approximation, linear_model
    from threadpoolctl import threadpool_limits

    rows, n = task.rows, min(FEATURES, len(task.rows.x) // 2)  # Nystroem takes so many rows

    def make(gamma: float, **steps: float) -> OnePass:
        mapping = getattr(kernel_approximation, features)(gamma=gamma, n_components=n, random_state=task.seed)
        linear = linear_model.SGDRegressor if task.regression else linear_model.SGDClassifier
        classes = None if task.regression else rows.classes
        return OnePass(mapping, linear(average=True, random_state=task.seed, **steps), classes)

    # In one pass the first step matters to the regressor, and alpha does not.
    steps = {"alpha": (1e-6,), "eta0": RATES} if task.regression else {"alpha": ALPHAS}
    with threadpool_limits(1):  # threads that wait for one another on a busy machine take many times longer
        x, y = rows.x[:ONE_PASS_ROWS], rows.y[:ONE_PASS_ROWS]
        chosen = tune(make, grid(x.shape[1], **steps), x, y, regression=task.regression)
        return make(**chosen).fit(rows.x, rows.y).predict(rows.x_test), chosen


def svm(task: Task) -> Fitted:
    """A kernel SVM, in a separate process that is ended after a time limit."""
    rows = task.rows
    if len(rows.x) > task.svm_rows:
        if not task.regression:
            raise LeftOutError(f"{len(rows.x)} rows are more than --svm-rows {task.svm_rows}")
        rows = replace(rows, x=rows.x[:SVR_ROWS], y=rows.y[:SVR_ROWS])
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=fit_svm, args=(rows, task.regression, sender))
    process.start()
    sender.close()  # so that its end is noticed if it fails
    try:
        if not receiver.poll(task.svm_seconds):
            raise LeftOutError(f"not done within {task.svm_seconds:g} seconds")
        return receiver.recv()
    finally:
        process.kill()
        process.join()


def fit_svm(rows: Rows, regression: bool, sender: Connection) -> None:
    from sklearn.svm import SVC, SVR

    make, x, y = SVR if regression else SVC, rows.x[:SVM_ROWS], rows.y[:SVM_ROWS]
    chosen = tune(make, grid(x.shape[1], C=COSTS), x, y, regression=regression)
    sender.send((make(**chosen).fit(rows.x, rows.y).predict(rows.x_test), chosen))


def lightgbm(task: Task) -> Fitted:
    """LightGBM with its defaults."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    make = LGBMRegressor if task.regression else LGBMClassifier
    model = make(random_state=task.seed, n_jobs=1, verbose=-1).fit(task.rows.x, task.rows.y)
    return np.asarray(model.predict(task.rows.x_test)), {}


PEERS: dict[str, Callable[[Task], Fitted]] = {
    "RBFSampler-500 + SGD": functools.partial(one_pass, "RBFSampler"),
    "Nystroem-500 + SGD": functools.partial(one_pass, "Nystroem"),
    "LightGBM": lightgbm,
    "SVM": svm,
}
IN_ANY_ORDER = ("LightGBM", "SVM")  # their models do not depend on the order of the rows
