"""The models with the settings that users would choose. Packages are imported when they are needed.

scikit-learn's models of one pass take chunks of 1,000 rows: a scaler fitted to the first chunk (standard
deviations, of sparse rows the largest absolute values), features of an rbf kernel, and SGD. Gamma, alpha
and whether steps are averaged, of the SVM gamma and C, are chosen on the first rows beforehand, untimed.
LightGBM has its defaults, and so have River's models and budgetrs. River's logistic regression scales by
standard deviations, of sparse rows by the largest absolute values; its tree takes dense rows, since it cannot
split on what is absent.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

CHUNK = 1_000
FEATURES = 500
SVM_TUNING_ROWS = 3_000
SVM_ROWS = 40_000

Parameters = dict[str, float]


@dataclass(frozen=True)
class Given:
    """The facts that are known before the first row."""

    classes: np.ndarray
    sparse: bool
    parameters: Parameters


class Ours:
    """The front door."""

    def __init__(self, given: Given, budget: int | None = None) -> None:  # noqa: ARG002
        from budgetrs import Classifier

        chosen = {} if budget is None else {"budget": budget}
        self.model = Classifier(n_jobs=1, **chosen)
        self.learn, self.predict = self.model.learn, self.model.predict
        self.learn_one, self.predict_one = self.model.learn_one, self.model.predict_one

    def rows(self, x: Any) -> Any:
        return x

    def row(self, x: Any, i: int) -> Any:
        return x[i]

    def size(self) -> int:
        return len(self.model.to_bytes())


class InArrays:
    """A model of arrays, whose single row is an array of one row."""

    learn: Callable[[Any, np.ndarray], Any]
    predict: Callable[[Any], np.ndarray]

    def rows(self, x: Any) -> Any:
        return x

    def row(self, x: Any, i: int) -> Any:
        return x[i : i + 1]

    def learn_one(self, x: Any, y: Any) -> None:
        self.learn(x, np.array([y]))

    def predict_one(self, x: Any) -> Any:
        return self.predict(x)[0]

    def size(self) -> int:
        return len(pickle.dumps(self))


class Chunks(InArrays):
    """scikit-learn: a scaler, features of a kernel or none, and SGD."""

    def __init__(self, given: Given, features: str | None = None) -> None:
        from sklearn import kernel_approximation, linear_model, preprocessing

        chosen = dict(given.parameters)
        self.scaler = preprocessing.MaxAbsScaler() if given.sparse else preprocessing.StandardScaler()
        self.features = None
        if features is not None:
            make = getattr(kernel_approximation, features)
            self.features = make(gamma=chosen.pop("gamma"), n_components=FEATURES, random_state=0)
        self.linear = linear_model.SGDClassifier(random_state=0, **chosen)
        self.classes: np.ndarray | None = given.classes

    def map(self, x: Any) -> Any:
        x = self.scaler.transform(x)
        return x if self.features is None else self.features.transform(x)

    def learn(self, x: Any, y: np.ndarray) -> None:
        if self.classes is not None:
            scaled = self.scaler.fit_transform(x)
            if self.features is not None:
                self.features.fit(scaled)
        self.linear.partial_fit(self.map(x), y, classes=self.classes)
        self.classes = None

    def predict(self, x: Any) -> np.ndarray:
        return self.linear.predict(self.map(x))

    def fit(self, x: Any, y: np.ndarray) -> Chunks:
        for start in range(0, x.shape[0], CHUNK):
            self.learn(x[start : start + CHUNK], y[start : start + CHUNK])
        return self


class Svm(InArrays):
    """scikit-learn's kernel SVM."""

    def __init__(self, given: Given) -> None:
        from sklearn import pipeline, preprocessing, svm

        scaler = preprocessing.MaxAbsScaler() if given.sparse else preprocessing.StandardScaler()
        self.model = pipeline.make_pipeline(scaler, svm.SVC(**given.parameters))
        self.learn, self.predict = self.model.fit, self.model.predict

    def fit(self, x: Any, y: np.ndarray) -> Svm:
        self.learn(x, y)
        return self


class Boosting(InArrays):
    """LightGBM."""

    def __init__(self, given: Given) -> None:  # noqa: ARG002
        from lightgbm import LGBMClassifier

        self.model = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)
        self.learn, self.predict = self.model.fit, self.model.predict


class InDicts:
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


def logistic_regression(given: Given) -> InDicts:
    from river import linear_model, multiclass, preprocessing

    linear = linear_model.LogisticRegression()
    if len(given.classes) > 2:
        linear = multiclass.OneVsRestClassifier(linear)
    scaler = preprocessing.MaxAbsScaler() if given.sparse else preprocessing.StandardScaler()
    return InDicts(scaler | linear)


def adaptive_tree(given: Given) -> InDicts:  # noqa: ARG001
    from river.tree import HoeffdingAdaptiveTreeClassifier

    return InDicts(HoeffdingAdaptiveTreeClassifier(seed=1))


@dataclass(frozen=True)
class Entrant:
    """How a model is made and measured."""

    make: Callable[[Given], Any]
    whole: bool = False  # learns all rows at once, reads them many times, and cannot learn another
    once: bool = False  # measured in the first round alone
    most: int | None = None  # rows of the largest set that it learns in reasonable time
    slow: bool = False  # learns a part of the rows
    dense: bool = False  # takes no sparse rows
    grid: Mapping[str, tuple[float, ...]] | None = None  # parameters to choose from; gamma in parts of 1/d


WIDTHS = (0.25, 1.0, 4.0)
ALPHAS = (1e-6, 1e-5, 1e-4)
COSTS = (1.0, 10.0, 100.0)
STEPS = {"alpha": ALPHAS, "average": (True, False)}
FRONT_DOOR, SMALL = "budgetrs", "budgetrs, B = 100"
SAMPLER, NYSTROEM = "RBFSampler-500 + SGD", "Nystroem-500 + SGD"
LINEAR, RIVER, TREE = "SGDClassifier", "River logistic reg.", "River adaptive tree"
ENTRANTS = {
    FRONT_DOOR: Entrant(Ours),
    SAMPLER: Entrant(partial(Chunks, features="RBFSampler"), grid={"gamma": WIDTHS, **STEPS}),
    SMALL: Entrant(partial(Ours, budget=100)),
    NYSTROEM: Entrant(partial(Chunks, features="Nystroem"), once=True, grid={"gamma": WIDTHS, **STEPS}),
    LINEAR: Entrant(Chunks, grid=STEPS),
    RIVER: Entrant(logistic_regression, slow=True),
    TREE: Entrant(adaptive_tree, once=True, slow=True, dense=True),
    "LightGBM": Entrant(Boosting, whole=True, once=True),
    "SVC": Entrant(Svm, whole=True, once=True, most=SVM_ROWS, grid={"gamma": WIDTHS, "C": COSTS}),
}
OF_STREAMS = (FRONT_DOOR, SAMPLER, SMALL, LINEAR, RIVER, TREE)
