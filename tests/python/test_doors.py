"""Every way of learning the same rows gives the same model, to the last byte."""

import copy
import json
import pickle
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import dask.array as da
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import budgetrs
import budgetrs.dask
import budgetrs.river
import dask
from budgetrs import KeyedModels, compare_budgets, make_estimator
from budgetrs._core import parameters
from budgetrs.cli import main
from budgetrs.estimators._names import estimator_name
from conftest import CODE_PATHS, csv_text, libsvm_text, small_for

# gamma="scale" is known after 63 rows: the rows are cut before and after.
N, CUTS = 120, [0, 1, 10, 50, 63, 64, 90, 120]
# The first ten rows have every category; later ones would be features that come later.
OF_TABLES = [0, *CUTS[2:]]
# Estimators draw the seed of their native model.
SEED = int(np.random.RandomState(0).randint(0, 2**64, dtype=np.uint64))


@dataclass(frozen=True)
class Rows:
    """Rows in the order of learning, and the parameters of the model that learns them."""

    algorithm: str
    params: dict[str, Any]
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None
    town: np.ndarray | None = None
    folder: Any = None
    client: Any = None

    @property
    def regression(self):
        return self.y.dtype.kind == "f"

    @property
    def csr(self):
        return sp.csr_array(self.X)

    @property
    def frame(self):
        frame = pd.DataFrame(self.X, columns=list("abc"))
        return frame if self.town is None else frame.assign(town=pd.Series(self.town, dtype=object))

    @property
    def arrow(self):
        return pa.Table.from_pandas(self.frame)

    def new(self, module=budgetrs, **more):
        kind = module.Regressor if self.regression else module.Classifier
        return kind(self.algorithm, **self.params, **more)

    def answers(self, at=slice(None)):
        """The labels or targets and the weights of some rows, as arguments."""
        return {"y": self.y[at], **({} if self.weight is None else {"sample_weight": self.weight[at]})}

    def batch(self, X):
        """The model of one batch, with which the others are compared."""
        return self.new().learn(X, **self.answers())

    def cut(self, X, cuts=CUTS, model=None, learn="learn", through=lambda model: model, **more):
        """Learn batches, and put the model through something before each."""
        model = self.new() if model is None else model
        for start, end in pairwise(cuts):
            model = through(model)
            getattr(model, learn)(X[start:end], **self.answers(slice(start, end)), **more)
        return model

    def singly(self, xs, model=None, weight="sample_weight", **more):
        """Learn the last rows by `learn_one`; the model has learned the rows before them."""
        model = self.new() if model is None else model
        for i, x in enumerate(xs, N - len(xs)):
            w = {} if self.weight is None else {weight: self.weight[i].item()}
            model = model.learn_one(x, self.y[i].item(), **w, **more) or model  # River returns nothing
        return model

    def estimator(self, **more):
        given = {name: self.params[name] for name in self.params if name not in ("seed", "classes")} | more
        if not self.regression:
            return make_estimator(self.algorithm, random_state=0, **given)
        own = self.new().params
        if self.algorithm != "online-kernel":
            given |= {"maintenance": own["maintenance"], "budget": own["budget"]}
        return getattr(budgetrs, estimator_name(own, regression=True))(random_state=0, **given)

    def as_estimators_name_it(self):
        """The same algorithm by its family and its maintenance."""
        algorithm, given = self.estimator()._native_params()
        kept = {name: self.params[name] for name in ("seed", "classes") if name in self.params}
        return replace(self, algorithm=algorithm, params=given | kept)


def strided(rows):
    return rows.cut(np.repeat(np.repeat(rows.X, 2, axis=0), 3, axis=1)[::2, ::3])


def by_file(rows, model):
    model.save(rows.folder / "between")
    return type(model).load(str(rows.folder / "between"))


def beside_a_copy(rows, model):
    copy.copy(model).learn(rows.X[::-1], rows.y)
    return model


def beside_predictions(rows, model):
    if hasattr(model, "n_features_in_"):
        model.predict(rows.X[:5])
        model.predict_one(rows.X[0])
    return model


BETWEEN = {
    "saved and loaded": by_file,
    "from_bytes": lambda _, model: type(model).from_bytes(model.to_bytes()),
    "pickled": lambda _, model: pickle.loads(pickle.dumps(model)),
    "copied": lambda _, model: copy.copy(model),
    "copied deeply": lambda _, model: copy.deepcopy(model),
    "beside a copy that learns": beside_a_copy,
    "beside predictions": beside_predictions,
}


def between(through, rows):
    return rows.cut(rows.X, through=partial(through, rows))


def dicts(rows):
    """Numbers of Python are double precision: the first rows decide the type."""
    begun = rows.new().learn(rows.frame[:10], **rows.answers(slice(10)))
    return rows.singly(rows.frame[10:].to_dict("records"), begun)


def by_key(rows):
    models = KeyedModels(rows.new(), key="key")
    return rows.cut(rows.frame.assign(key="k"), OF_TABLES, models)["k"]


def compared(rows, X, other):
    params = dict(rows.params)
    budget = params.pop("budget", None)
    task = "regression" if rows.regression else "classification"
    budgets = [None] if budget is None else [budget, other]
    more = {"algorithm": rows.algorithm, "task": task, **rows.answers(), **params}
    return compare_budgets(X, budgets=budgets, **more).models[budget]


def partial_fit(rows, X, cuts=CUTS):
    classes = {} if rows.regression else {"classes": rows.params["classes"][::-1]}
    return rows.cut(X, cuts, rows.estimator(), "partial_fit", **classes)._model


def fit(rows):
    return rows.estimator(shuffle=False, max_iter=1).fit(rows.X, **rows.answers())._model


def learn_many(rows):
    model = rows.new(budgetrs.river)
    for start, end in pairwise(CUTS):
        weight = 1.0 if rows.weight is None else rows.weight[start:end]
        model.learn_many(rows.frame[start:end], rows.y[start:end], weight)
    return model.native


def by_name(rows):
    """The model with which the others are compared, where rows are matched by name."""
    return rows.new().learn(rows.frame, **rows.answers(), add_features=True)


def dask_arrays(rows):
    answers = {name: da.from_array(values, chunks=60) for name, values in rows.answers().items()}
    return budgetrs.dask.learn(rows.new(), da.from_array(rows.X, (50, 1)), **answers, client=rows.client)


def dask_frames(rows):
    """Two calls, the second of which goes on."""
    model = rows.new()
    for at in (slice(50), slice(50, N)):
        part = dask.delayed((rows.frame[at], *rows.answers(at).values()))
        model = budgetrs.dask.learn(model, [part], client=rows.client)
    return model


def named(rows):
    return rows.frame.assign(target=rows.y)


def train(name, write, rows, *more):
    """The command line on a file."""
    data, model = rows.folder / name, rows.folder / "model"
    write(rows, data)
    given = {"algorithm": rows.algorithm, "dtype": rows.X.dtype, **rows.params}
    classes = given.pop("classes", None)
    options = ["--task", "regression"] if rows.regression else []
    options += [] if classes is None else ["--classes", ",".join(map(str, classes))]
    missing = given.pop("missing_values", None)
    options += [] if missing is None else [f"--missing-values={','.join(map(str, missing))}"]
    for name, value in given.items():
        value = json.dumps(value) if isinstance(value, dict) else value
        is_set = name not in ("algorithm", "dtype", "budget", "seed")
        options += ["--set", f"{name}={value}"] if is_set else [f"--{name}", str(value)]
    assert main(["train", str(data), "-o", str(model), "-q", *options, *more]) == 0
    return type(rows.new()).load(model)


def write_csv(rows, path):
    path.write_text(csv_text(rows.X, rows.y))


# Of numbers by their places.
ARRAYS = {
    "learn_one": lambda rows: rows.singly(rows.X),
    "learn of one row": lambda rows: rows.cut(rows.X, range(N + 1)),
    "learn of batches": lambda rows: rows.cut(rows.X),
    "two threads": lambda rows: rows.new(n_jobs=2).learn(rows.X, **rows.answers()),
    "Fortran order": lambda rows: rows.cut(np.asfortranarray(rows.X)),
    "strided": strided,
    **{name: partial(between, through) for name, through in BETWEEN.items()},
    "KeyedModels": lambda rows: rows.singly(rows.X, KeyedModels(rows.new()), key="k")["k"],
    "partial_fit": lambda rows: partial_fit(rows, rows.X),
    "partial_fit of one row": lambda rows: partial_fit(rows, rows.X, range(N + 1)),
    "fit": fit,
    "a pass of a native model": lambda rows: rows.new().fit(
        rows.X, **rows.answers(), passes=1, shuffle=False
    ),
    "Dask arrays": dask_arrays,
    "train on CSV": partial(train, "x.csv", write_csv),
    "train on npz": partial(train, "x.npz", lambda rows, path: np.savez(path, X=rows.X, y=rows.y)),
}
# Sparse rows are summed in another order.
SPARSE = {
    "CSR": lambda rows: rows.cut(rows.csr),
    "CSR of one row": lambda rows: rows.singly([rows.csr[i if i % 2 else [i]] for i in range(N)]),
    "CSC": lambda rows: rows.batch(sp.csc_matrix(rows.X)),
    "partial_fit of CSR": lambda rows: partial_fit(rows, rows.csr),
    "train on LIBSVM": partial(train, "x", lambda rows, path: path.write_text(libsvm_text(rows.X, rows.y))),
}
# Columns with names, some of which may be of categories.
TABLES = {
    "pandas": lambda rows: rows.cut(rows.frame, OF_TABLES),
    "dicts": dicts,
    "polars": lambda rows: rows.batch(pl.from_arrow(rows.arrow)),
    "pyarrow": lambda rows: rows.cut(rows.arrow, OF_TABLES),
    "a stream of Arrow": lambda rows: rows.batch(rows.arrow.to_reader(max_chunksize=33)),
    "DuckDB": lambda rows: rows.batch(duckdb.from_arrow(rows.arrow)),
    "KeyedModels by a column": by_key,
    "compare_budgets": lambda rows: compared(rows, rows.frame, 50),
    "compare_budgets of a stream": lambda rows: compared(rows, rows.arrow.to_reader(max_chunksize=33), 5),
    "partial_fit of frames": lambda rows: partial_fit(rows, rows.frame, OF_TABLES),
    "Dask frames": dask_frames,
    "train on CSV with names": partial(
        train, "x.csv.gz", lambda rows, path: named(rows).to_csv(path, index=False)
    ),
    "train on Parquet": partial(train, "x.parquet", lambda rows, path: named(rows).to_parquet(path)),
}
BY_NAME = {
    "frames with add_features": lambda rows: rows.cut(rows.frame, OF_TABLES, add_features=True),
    "River": lambda rows: rows.singly(rows.frame.to_dict("records"), rows.new(budgetrs.river), "w").native,
    "River, learn_many": learn_many,
}
DOORS = {**ARRAYS, **SPARSE, **TABLES, **BY_NAME}


def takes(door, rows):
    """Tell whether a door takes these rows."""
    # The first single row of River does not have all categories.
    if rows.town is not None and door not in TABLES:
        return False
    if rows.weight is not None and door.startswith("train"):
        return False
    # Numbers of Python are double precision.
    if rows.X.dtype == np.float32 and door.startswith("River"):
        return False
    # Estimators turn weights of classes into weights of rows: native/test_class_weight.py.
    if "class_weight" in rows.params and door.startswith(("partial_fit", "fit")):
        return False
    # `fit` derives gamma from all rows.
    if door == "fit" and rows.params.get("gamma") == "scale":
        return False
    # Estimators and the command line know all classes before they learn, in sorted order.
    return rows.regression or "classes" in rows.params or not door.startswith(("train", "partial_fit", "fit"))


def cases(algorithm):
    """Yield the names of cases and their rows."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 3)) * 2
    code = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
    names = np.array(["west", "south", "north", "east"])
    late = names[np.minimum(code, np.arange(N) // 30)]
    weight = np.array([0.0, *rng.choice([0.0, 0.5, 1.0, 2.0], N - 1)])
    holed = np.where((rng.random(X.shape) < 0.2) & (np.arange(N)[:, None] > 30), np.nan, X)
    town = np.array(["Rome", "Oslo, Norway", "Ulm", *rng.choice(["Rome", "Ulm", None], N - 3)], dtype=object)
    params = {**small_for(algorithm), "seed": SEED}
    scale = {**params, "gamma": "scale"}
    if algorithm == "online-kernel":
        del params["gamma"], scale["gamma"]
    for dtype in (np.float32, np.float64):
        rows = Rows(algorithm, {**params, "classes": [0, 1]}, X.astype(dtype), code % 2)
        numbers = replace(rows, params=params, y=X @ [1.0, -2.0, 0.5])
        found = {
            "two classes": rows,
            "names": replace(rows, params={**scale, "classes": sorted(names)}, y=names[code]),
            "late classes": replace(rows, params=scale, y=late),
            "weights": replace(rows, params=params, y=names[code], weight=weight),
            "class weights": replace(rows, params={**rows.params, "class_weight": {0: 3.0, 1: 0.0}}),
        }
        if parameters(algorithm).get("loss") == "hinge":
            found["numbers"] = numbers
            found["numbers with weights"] = replace(numbers, params=scale, weight=weight)
        if algorithm == "online-kernel":
            missing = replace(rows, X=holed.astype(dtype))
            found["missing values"] = missing
            named = {**rows.params, "missing_values": [-999.0, 77.75]}
            values = np.where(np.arange(N)[:, None] % 3, -999.0, 77.75)
            marked = np.where(np.isnan(missing.X), values, X).astype(dtype)
            found["numbers for missing values"] = replace(rows, X=marked, params=named)
            found["categories"] = replace(missing, town=town)
            found["numbers of categories"] = replace(numbers, town=town)
        yield from ((f"{name}, {dtype.__name__}", rows) for name, rows in found.items())


CASES = {algorithm: dict(cases(algorithm)) for algorithm in CODE_PATHS}


def state(model):
    """The bytes of a model, without the name of the target, which only the command line knows."""
    if hasattr(model, "target_name"):
        model.target_name = None
    return model.to_bytes()


@pytest.mark.parametrize("algorithm", CODE_PATHS)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_leads_to_the_same_model(door, algorithm, tmp_path, request):
    client = request.getfixturevalue("dask_client") if "Dask" in door else None
    differ = []
    for name, case in CASES[algorithm].items():
        if takes(door, case):
            rows = replace(case, folder=tmp_path, client=client)
            expected = rows.as_estimators_name_it() if "fit" in door else rows
            same = rows.frame if door in TABLES else rows.csr if door in SPARSE else rows.X
            expected = by_name(rows) if door in BY_NAME else expected.batch(same)
            if state(DOORS[door](rows)) != state(expected):
                differ.append(name)
    assert not differ


@pytest.mark.parametrize("algorithm", CODE_PATHS)
def test_every_fit_is_the_fit_of_the_native_model(algorithm, tmp_path):
    differ = []
    for name, case in CASES[algorithm].items():
        if "class_weight" in case.params:
            continue
        params = dict(case.params)
        if params.get("gamma") == "scale":  # `fit` derives gamma from all rows
            params["gamma"] = small_for(algorithm)["gamma"]
        if not case.regression:
            params["classes"] = np.unique(case.y).tolist()
        rows = replace(case, params=params)
        for X in [rows.frame] if rows.town is not None else [rows.X, rows.csr, rows.frame]:
            estimator = rows.estimator().fit(X, **rows.answers())
            native = rows.as_estimators_name_it().new().fit(X, **rows.answers())
            if state(estimator._model) != state(native):
                differ.append((name, type(X)))
        if rows.town is None and rows.weight is None:
            by_command = train("x.csv", write_csv, replace(rows, folder=tmp_path), "--shuffle")
            if state(by_command) != state(rows.new().fit(rows.X, **rows.answers())):
                differ.append((name, "train --shuffle"))
    assert not differ
