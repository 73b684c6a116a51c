"""The models that are compared, with the settings that users would choose; packages load when needed.

All have `learn`, `predict`, `learn_one`, `predict_one`, the form of their rows (`rows`, `row`) and `size` in
bytes. One-pass models of scikit-learn take the rows in chunks: a scaler fitted to the first chunk, features
of an rbf kernel or none, and SGD. Scalers divide by the standard deviation, for sparse rows by the largest
absolute value. Models have their defaults where no parameters are given or tuned.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

FEATURES = 500
WIDTHS = (0.25, 1.0, 4.0)  # gamma times the number of features
ALPHAS = (1e-6, 1e-5, 1e-4)
COSTS = (1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Facts:
    """What is known before the first row."""

    classes: np.ndarray
    sparse: bool = False
    scaled: bool = False  # standardised beforehand
    seed: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def scaler(self) -> Any:
        from sklearn import preprocessing

        if self.scaled:
            return preprocessing.FunctionTransformer()
        return preprocessing.MaxAbsScaler() if self.sparse else preprocessing.StandardScaler()


class Arrays:
    """A model of arrays, whose single row is an array of one row."""

    learn: Callable[[Any, np.ndarray], Any]
    predict: Callable[[Any], np.ndarray]

    def rows(self, x: Any) -> Any:
        return x

    def row(self, x: Any, i: int) -> Any:
        return x[i : i + 1]

    def fit(self, x: Any, y: np.ndarray) -> Any:
        self.learn(x, y)
        return self

    def learn_one(self, x: Any, y: Any) -> None:
        self.learn(x, np.array([y]))

    def predict_one(self, x: Any) -> Any:
        return self.predict(x)[0]

    def size(self) -> int:
        return len(pickle.dumps(self))


class Ours(Arrays):
    """The default of budgetrs: one pass, or `fit`, which may make several."""

    def __init__(self, _: Facts, budget: int | None = None, whole: bool = False) -> None:
        from budgetrs import Classifier

        chosen = {} if budget is None else {"budget": budget}
        self.model = Classifier(n_jobs=1, **chosen)
        self.learn = self.model.fit if whole else self.model.learn
        self.predict = self.model.predict
        self.learn_one, self.predict_one = self.model.learn_one, self.model.predict_one

    def row(self, x: Any, i: int) -> Any:
        return x[i]

    def size(self) -> int:
        return len(self.model.to_bytes())


class OnePass(Arrays):
    """scikit-learn: a scaler, features of a kernel or none, and SGD."""

    def __init__(self, facts: Facts, features: str | None = None, chunk: int = 1_000) -> None:
        from sklearn import kernel_approximation, linear_model

        chosen, self.chunk, self.features, self.fitted = dict(facts.parameters), chunk, None, False
        self.scaler = facts.scaler()
        if features is not None:
            kind, n = getattr(kernel_approximation, features), chosen.pop("features", FEATURES)
            self.features = kind(n_components=n, gamma=chosen.pop("gamma"), random_state=facts.seed)
        self.linear = linear_model.SGDClassifier(random_state=facts.seed, **chosen)
        self.classes = facts.classes

    def map(self, x: Any) -> Any:
        x = self.scaler.transform(x)
        return x if self.features is None else self.features.transform(x)

    def learn(self, x: Any, y: np.ndarray) -> None:
        if not self.fitted:
            scaled, self.fitted = self.scaler.fit_transform(x), True
            if self.features is not None:
                self.features.fit(scaled)
        self.linear.partial_fit(self.map(x), y, classes=self.classes)

    def predict(self, x: Any) -> np.ndarray:
        starts = range(0, x.shape[0], self.chunk)
        return np.concatenate([self.linear.predict(self.map(x[i : i + self.chunk])) for i in starts])

    def fit(self, x: Any, y: np.ndarray) -> OnePass:
        for start in range(0, x.shape[0], self.chunk):
            self.learn(x[start : start + self.chunk], y[start : start + self.chunk])
        return self


def named(path: str, **parameters: Any) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)(**parameters)


class Whole(Arrays):
    """An estimator that learns all rows at once, by the path of its class; `features` transforms its rows."""

    def __init__(
        self, facts: Facts, path: str, scaled: bool = False, features: Callable | None = None, **fixed: Any
    ) -> None:
        steps, parameters = [facts.scaler()] if scaled else [], dict(facts.parameters)
        if features is not None:
            steps.append(features())
            own = steps[-1].get_params().keys() & parameters
            steps[-1].set_params(**{name: parameters.pop(name) for name in own})
        self.model = named(path, **fixed, **parameters)
        if steps:
            from sklearn.pipeline import make_pipeline

            self.model = make_pipeline(*steps, self.model)
        self.learn, self.predict = self.model.fit, self.model.predict


LIGHTGBM = partial(Whole, path="lightgbm.LGBMClassifier", n_jobs=1, verbose=-1, random_state=0)
SVM = partial(Whole, path="sklearn.svm.SVC", scaled=True)
TREE = partial(Whole, path="sklearn.tree.DecisionTreeClassifier", random_state=0)
FOREST = partial(Whole, path="sklearn.ensemble.RandomForestClassifier", random_state=0)
NEIGHBOURS = partial(Whole, path="sklearn.neighbors.KNeighborsClassifier", scaled=True)
NEAREST = partial(Whole, path="sklearn.neighbors.KNeighborsClassifier", n_neighbors=1, algorithm="kd_tree")
MANY = partial(named, "sklearn.kernel_approximation.RBFSampler", n_components=2_000, random_state=0)
RIDGE = partial(Whole, path="sklearn.linear_model.RidgeClassifier", scaled=True, features=MANY)
SQUARES = partial(named, "sklearn.preprocessing.PolynomialFeatures", include_bias=False)
POLYNOMIAL = partial(
    Whole, path="sklearn.linear_model.LogisticRegression", scaled=True, features=SQUARES, max_iter=1_000
)
MOST_FREQUENT = partial(Whole, path="sklearn.dummy.DummyClassifier")


class Dicts:
    """A model of River, whose rows are dicts."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.learn_one, self.predict_one = model.learn_one, model.predict_one

    def rows(self, x: Any) -> list[dict[int, float]]:
        return [self.row(x, i) for i in range(x.shape[0])]

    def row(self, x: Any, i: int) -> dict[int, float]:
        if isinstance(x, np.ndarray):
            return dict(enumerate(x[i].tolist()))
        entries = slice(x.indptr[i], x.indptr[i + 1])
        return dict(zip(x.indices[entries].tolist(), x.data[entries].tolist(), strict=True))

    def learn(self, rows: list[dict[int, float]], y: np.ndarray) -> None:
        for row, label in zip(rows, y.tolist(), strict=True):
            self.learn_one(row, label)

    def predict(self, rows: list[dict[int, float]]) -> np.ndarray:
        return np.array([self.predict_one(row) for row in rows])

    def size(self) -> int:
        return len(pickle.dumps(self.model))


def river_linear(facts: Facts) -> Dicts:
    from river import linear_model, multiclass, preprocessing

    linear = linear_model.LogisticRegression()
    if len(facts.classes) > 2:
        linear = multiclass.OneVsRestClassifier(linear)
    return Dicts((preprocessing.MaxAbsScaler() if facts.sparse else preprocessing.StandardScaler()) | linear)


def river_tree(facts: Facts) -> Dicts:
    from river.tree import HoeffdingAdaptiveTreeClassifier

    return Dicts(HoeffdingAdaptiveTreeClassifier(seed=facts.seed))


def choose(
    make: Callable[[Facts], Any], facts: Facts, grid: Mapping[str, tuple], x: Any, y: np.ndarray
) -> dict[str, Any]:
    """The parameters that do best on the last fifth of the rows; gamma of the grid is in parts of 1 / d."""
    cut = len(y) * 4 // 5

    def held_out(parameters: dict[str, Any]) -> float:
        model = make(replace(facts, parameters={**facts.parameters, **parameters})).fit(x[:cut], y[:cut])
        predicted = model.predict(x[cut:])
        return (
            -((predicted - y[cut:]) ** 2).mean() if facts.classes is None else (predicted == y[cut:]).mean()
        )

    candidates = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    for candidate in candidates:
        if "gamma" in candidate:
            candidate["gamma"] /= x.shape[1]
    return max(candidates, key=held_out)
