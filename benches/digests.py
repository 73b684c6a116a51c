"""Digests of models and predictions, one line per case: whether a change of the code changed any bit.

    python benches/digests.py > before.txt
    python benches/digests.py --against before.txt

`make digests BASE=COMMIT` does both, for every SIMD level of this machine, with a build of the commit
(`benches/compare_digests.py`).

Every algorithm learns fixed streams: both float types, two classes, three classes and regression, budgets
from less than a SIMD vector to more than a panel of support vectors, and each option by itself. A line has
the name of the case and SHA-256 digests, or "refused" if the parameters are invalid:

- file: the model file, in the middle of the stream and at its end, like all of the following;
- tensors: the tensors of the file, without their names;
- values: the other values of the file, without their names;
- model: the public attributes (support vectors, coefficients and counts);
- predictions: all predictions.

If only `file` differs, names in the file changed, and nothing else. The digests depend on the SIMD level,
which `BUDGETRS_SIMD` sets. The exit code is 1 if any result differs or a case is missing; renamed entries of
the file alone are reported and leave it 0.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

import budgetrs
from budgetrs import Classifier, Regressor

TASKS = {"two": 2, "three": 3, "regression": 0}
DTYPES = {"f32": np.float32, "f64": np.float64}
# Budget, features and rows: from less than a vector of slots to more than a panel of either type.
SMALL, MIDDLE, LARGE = (5, 2, 150), (30, 7, 250), (140, 33, 400)
SIZES = (SMALL, MIDDLE, LARGE)
# Until gamma="scale" no longer changes.
LONG = (30, 7, 1200)
# An algorithm of each rule.
RULES = ("perceptron", "mira", "bogd", "pegasos", "pa", "online-kernel")
TABLE = {row["name"]: row for row in budgetrs._core._table()}
STRATEGIES, LOSSES, KERNELS = (TABLE[name]["forms"][0][1] for name in ("maintenance", "loss", "kernel"))

# Each option by itself, beside the parameters that every case has.
OPTIONS: dict[str, dict[str, Any]] = {
    **{kernel: {"kernel": kernel} for kernel in KERNELS},
    "laplacian-scale": {"kernel": "laplacian", "gamma": "scale"},
    "poly": {"kernel": "poly", "gamma": 0.5, "degree": 3, "coef0": 1.0},
    "poly-2-scale": {"kernel": "poly", "gamma": "scale", "degree": 2},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.2, "coef0": 0.1},
    "alpha_rq": {"kernel": "rational-quadratic", "alpha_rq": 0.5},
    "scale": {"gamma": "scale"},
    "auto": {"gamma": "auto"},
    "standardized": {"gamma": "standardized"},
    "wide": {"gamma": 0.01},
    "narrow": {"gamma": 30.0},
    "unbounded": {"budget": None},
    "seed": {"seed": 12345},
    "alpha": {"alpha": 0.1},
    "project_to_ball": {"alpha": 0.05, "project_to_ball": True},
    "average": {"average": True},
    "average-0.3": {"average": 0.3, "stream_length": 250},
    "average-late": {"average": "polynomial"},
    "average-random": {"average": "random"},
    "average-random-ball": {"average": "random", "alpha": 0.05, "project_to_ball": True},
    "rate": {"rate": 20.0},
    "rate-auto": {"rate": "auto", "stream_length": 250, "max_size": 160},
    "neighbors-1": {"n_neighbors": 1},
    "neighbors-4": {"n_neighbors": 4},
    "newcomer-may-leave": {"may_discard_new": True},
    "class-weight": {"class_weight": "balanced"},
    "class-weight-dict": {"class_weight": {0: 0.5, 1: 3.0}},
    "C": {"C": 0.1},
    "C0": {"C0": 2.0},
    "C_decay": {"C_decay": False},
    "noise_margin": {"noise_margin": 0.2},
    "ramp-none": {"noise_margin": None},
    "forget-none": {"forget": None},
    "forget-rows": {"forget": 60},
    "average-forget-none": {"forget": None, "average": True},
    "margin": {"margin": 0.3},
    "eta": {"eta": 0.05},
    "eta0": {"eta0": 0.7, "alpha": 0.01},
    "max_coef": {"max_coef": 2.0},
    "scale-online": {"scaling": "online"},
    "scale-none": {"scaling": "none"},
    "missing": {"scaling": "online", "missing": "mean"},
    "missing-values": {"scaling": "online", "missing": "mean", "missing_values": [-999.0, 0.0]},
    "hash-features": {"hash_features": 5},
    **{f"metric-{metric}": {"metric_learning": metric} for metric in TABLE["metric_learning"]["forms"][0][1]},
    "linear-part": {"linear_weight": 0.3},
    "linear-part-none": {"linear_weight": None},
    "linear-part-average": {"linear_weight": 0.3, "average": True},
    "linear-part-average-late": {"linear_weight": 0.3, "average": "polynomial"},
    **{f"loss-{loss}": {"loss": loss} for loss in LOSSES},
    "epsilon": {"loss": "epsilon_insensitive", "epsilon": 0.4},
    "delta": {"loss": "huber", "delta": 0.2},
    "quantile-0.8": {"loss": "quantile", "quantile": 0.8},
    "grad_tol": {"loss": "log_loss", "grad_tol": 0.2},
    "squared-ball": {"loss": "squared_error", "alpha": 0.05, "project_to_ball": True},
    "log-ball": {"loss": "log_loss", "alpha": 0.05, "project_to_ball": True},
}
REGRESSORS = {
    "bsgd": budgetrs.BSGDRegressor,
    "bpa": budgetrs.BPARegressor,
    "online-kernel": budgetrs.OnlineKernelRegressor,
}
# Variants of how the rows are passed.
HANDLINGS = ("sparse", "weights", "scaling", "sparse-scaling", "add_features")


@dataclass
class Case:
    """One model and how it learns."""

    name: str
    algorithm: str
    task: str
    dtype: str
    size: tuple[int, int, int] = MIDDLE
    params: dict[str, Any] = field(default_factory=dict)
    handling: str = ""


def random(seed: int, rows: int, columns: int) -> np.ndarray:
    """Uniform numbers from -1 to 1, whose arithmetic in `stream` is exact and thus equal on all machines."""
    return 2.0 * np.random.default_rng(seed).random((rows, columns)) - 1.0


def stream(task: str, dtype: str, features: int, rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that overlap enough for an update every few of them; about a third of their entries are zero."""
    X = random(seed, rows, features)
    X[:, 2:][random(seed + 1, rows, features - 2) < -0.3] = 0.0
    noise = random(seed + 2, rows, 1)[:, 0]
    value = X[:, 0] * X[:, 1] + 0.25 * X[:, features // 2] + 0.3 * noise * noise * noise
    X = X.astype(DTYPES[dtype])
    if task == "regression":
        return X, value
    if task == "two":
        return X, (value > 0.05).astype(np.int64)
    return X, (value > -0.12).astype(np.int64) + (value > 0.2)


def parameters(case: Case) -> dict[str, Any]:
    """The parameters of a case; budgeted algorithms get a budget, and those with a rate get a rate."""
    # With this gamma, kernel values of neighbouring rows are similar for every number of features.
    params: dict[str, Any] = {"gamma": 3.0 / case.size[1], "seed": 3, **case.params}
    asks_rate = case.algorithm.startswith("nbsgd")
    if asks_rate:
        params.setdefault("rate", 20.0)
    if params.get("maintenance") == "none":
        params["budget"] = None
    elif "budget" in params:
        pass
    elif "maintenance" in params or asks_rate or Classifier(case.algorithm).params["budget"] is not None:
        params["budget"] = case.size[0]
    if params.get("kernel") in ("linear", "cosine"):
        del params["gamma"]
    return params


SHOWN = (
    *(
        "support_vectors_",
        "dual_coef_",
        "gamma_",
        "n_samples_seen_",
        "n_updates_",
        "n_queries_",
        "n_maintenances_",
    ),
    *("mean_weight_degradation_", "n_mistakes_", "mean_absolute_error_", "mean_squared_error_"),
    *("no_change_error_", "majority_error_", "constant_error_"),
)
# Attributes that a model has only with a metric or a linear term.
PARTS = ("components_", "coef_", "linear_coef_", "intercept_", "linear_intercept_")


def shown(model: Any) -> Iterator[bytes]:
    """The public attributes of a model."""
    for name in SHOWN:
        value = getattr(model, name, None)
        yield b"none" if value is None else np.asarray(value).tobytes()
    for name in PARTS:
        value = getattr(model, name, None)
        if value is not None:
            yield value.tobytes()


def predictions(model: Any, X: np.ndarray) -> Iterator[bytes]:
    """The predictions for dense and sparse rows, for a single row, and with two threads."""
    sparse = scipy.sparse.csr_matrix(X)
    for rows in (X, sparse):
        yield model.predict(rows).tobytes()
        for name in ("decision_function", "needs_label", "predict_proba"):
            try:
                yield getattr(model, name)(rows).tobytes()
            except (AttributeError, ValueError):
                yield b"none"
    yield np.asarray(model.predict_one(X[0])).tobytes()
    model.n_jobs = 2
    yield model.predict(X).tobytes()
    model.n_jobs = None


def digest(parts: Iterable[bytes]) -> str:
    """The SHA-256 digest of a sequence of byte strings."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(len(part).to_bytes(8, "little"))
        sha.update(part)
    return sha.hexdigest()


def entries(file: bytes) -> tuple[list[bytes], list[bytes]]:
    """The tensors of a model file and its other values, each list sorted, so that names do not matter."""
    start = 8 + int.from_bytes(file[:8], "little")
    header = json.loads(file[8:start])
    state = json.loads(header.pop("__metadata__")["budgetrs"])["state"]
    tensors = []
    for tensor in header.values():
        first, last = tensor["data_offsets"]
        kind = f"{tensor['dtype']} {tensor['shape']} ".encode()
        tensors.append(kind + file[start + first : start + last])
    return sorted(tensors), sorted(json.dumps(value).encode() for value in leaves(state))


def leaves(state: Any) -> Iterator[Any]:
    """The values of nested dictionaries."""
    for value in state.values():
        if isinstance(value, dict):
            yield from leaves(value)
        else:
            yield value


def of_files(files: list[bytes]) -> dict[str, Iterable[bytes]]:
    """The parts of model files that have digests."""
    pairs = [entries(file) for file in files]
    return {"file": files, "tensors": chain(*(t for t, _ in pairs)), "values": chain(*(v for _, v in pairs))}


def line(parts: dict[str, Iterable[bytes]]) -> str:
    """The digest of each part, with its name."""
    return " ".join(f"{name}:{digest(part)}" for name, part in parts.items())


def learned(case: Case) -> str:
    """The digests of one case."""
    _, features, n = case.size
    X, y = stream(case.task, case.dtype, features, n, seed=7 * features)
    test = stream(case.task, case.dtype, features, 40, seed=1001)[0]
    kind = Regressor if case.task == "regression" else Classifier
    known = {} if case.task == "regression" else {"classes": list(range(TASKS[case.task]))}
    model = kind(case.algorithm, **parameters(case), **known)
    if "scaling" in case.handling:
        rows = X.astype(np.float64)
        model.set_scaling(rows[:16].sum(axis=0) / 16, np.linspace(0.5, 2.0, features))
    rows = scipy.sparse.csr_matrix(X) if "sparse" in case.handling else X
    weights = 3.0 * np.abs(random(5, n, 1)[:, 0]) if case.handling == "weights" else None
    if weights is not None:
        weights[::9] = 0.0
    files: list[bytes] = []
    models: list[bytes] = []
    found: list[bytes] = []
    middle = 3 * n // 5
    for part in (slice(0, middle), slice(middle, n)):
        weight = {} if weights is None else {"sample_weight": weights[part]}
        model.learn(rows[part], y[part], **weight)
        files.append(model.to_bytes())
        models += shown(model)
        found += predictions(model, test)
        if case.handling == "add_features" and part.stop == middle:
            X = np.hstack([X, random(9, n, 2).astype(X.dtype)])
            rows, test = X, np.hstack([test, random(11, 40, 2).astype(X.dtype)])
            model.add_features(features + 2)
        # Training continues with the model that was read from the file.
        model = kind.from_bytes(model.to_bytes())
    return line({**of_files(files), "model": models, "predictions": found})


def estimated(case: Case) -> str:
    """The digests of the estimator of an algorithm, which shuffles the rows and chooses gamma."""
    budget, features, n = case.size
    X, y = stream(case.task, case.dtype, features, n, seed=7 * features)
    test = stream(case.task, case.dtype, features, 40, seed=1001)[0]
    params: dict[str, Any] = {"random_state": 0}
    if case.task == "regression":
        estimator = REGRESSORS[case.algorithm](**params)
    else:
        if case.algorithm.startswith("nbsgd"):
            params["rate"] = 20.0
        estimator = budgetrs.make_estimator(case.algorithm, **params)
    if estimator.get_params().get("budget") is not None:
        estimator.set_params(budget=budget)
    estimator.fit(X, y)
    estimator.partial_fit(X[:50], y[:50])
    found = [estimator.predict(test).tobytes()]
    if case.task != "regression":
        found.append(estimator.decision_function(test).tobytes())
    return line({"model": shown(estimator), "predictions": found})


def label(size: tuple[int, int, int]) -> str:
    """The name of a size in the name of a case: budget and features."""
    return f"{size[0]}x{size[1]}"


def cases() -> Iterator[Case]:
    """All cases of the native classes; names are unique."""
    for algorithm in budgetrs.ALGORITHMS:
        for task in TASKS:
            for dtype in DTYPES:
                about = {"algorithm": algorithm, "task": task, "dtype": dtype}
                start = f"{algorithm}/{task}/{dtype}"
                # Regression starts from the loss that each rule has for it.
                loss = {"loss": "epsilon_insensitive"} if task == "regression" else {}
                for size in SIZES:
                    yield Case(f"{start}/{label(size)}", **about, size=size, params=loss)
                long = {**loss, "gamma": "scale"}
                yield Case(f"{start}/long", **about, size=LONG, params=long)
                for size in (MIDDLE, LARGE):
                    for name, option in OPTIONS.items():
                        params = {**loss, **option}
                        yield Case(f"{start}/{label(size)}/{name}", **about, size=size, params=params)
                    for name in HANDLINGS:
                        yield Case(
                            f"{start}/{label(size)}/{name}", **about, size=size, params=loss, handling=name
                        )
    for algorithm, strategy, task in product(RULES, STRATEGIES, TASKS):
        loss = {"loss": "epsilon_insensitive"} if task == "regression" else {}
        for size, dtype, kernel in product(
            (MIDDLE, LARGE), DTYPES, ("rbf", "poly", "laplacian", "rational-quadratic")
        ):
            params = {**loss, "maintenance": strategy, "kernel": kernel}
            name = f"{algorithm}+{strategy}/{task}/{dtype}/{label(size)}/{kernel}"
            yield Case(name, algorithm, task, dtype, size, params)


def estimator_cases() -> Iterator[Case]:
    """All cases of the estimators; names are unique."""
    for task in ("two", "three"):
        for dtype in DTYPES:
            for name in budgetrs.ALGORITHMS:
                yield Case(f"estimator/{name}/{task}/{dtype}", name, task, dtype)
    for dtype in DTYPES:
        for name in REGRESSORS:
            yield Case(f"estimator/{name}/regression/{dtype}", name, "regression", dtype)


def is_drawn(name: str, every: int) -> bool:
    """Whether a case is in the sample of one in `every` cases, which depends on the names alone."""
    return zlib.crc32(name.encode()) % every == 0


def lines(every: int) -> Iterator[tuple[str, str]]:
    """The names and digests of all cases, or of one case in `every`."""
    runs = chain(((case, learned) for case in cases()), ((case, estimated) for case in estimator_cases()))
    for case, run in runs:
        if is_drawn(case.name, every):
            try:
                yield case.name, run(case)
            except (ValueError, TypeError):
                yield case.name, "refused"


OF_NAMES = {"file"}  # what differs if entries of the file were renamed, and nothing else


def differing(before: str, now: str) -> set[str]:
    """The parts whose digests differ."""
    if "refused" in (before, now):
        return set() if before == now else {"refused" if now == "refused" else "no longer refused"}
    first, second = (dict(part.split(":") for part in text.split()) for text in (before, now))
    return {name for name in {*first, *second} if first.get(name) != second.get(name)}


def compare(before: dict[str, str], now: Iterable[tuple[str, str]]) -> bool:
    """Print what differs between the lines of two versions; tell whether all results are equal."""
    missing = dict(before)
    equal = renamed = different = new = 0
    for name, text in now:
        parts = differing(missing.pop(name), text) if name in missing else None
        if parts is None:
            new += 1
        elif not parts:
            equal += 1
        elif parts == OF_NAMES:
            renamed += 1
            print(f"{name}: names in the file differ, tensors, values and predictions are equal", flush=True)
        else:
            different += 1
            print(f"{name}: {', '.join(sorted(parts))}", flush=True)
    for name in missing:
        print(f"{name}: is missing")
    print(
        f"{equal} cases are equal, {renamed} differ in names of the file alone, {different} differ, "
        f"{len(missing)} are missing, {new} are new"
    )
    return not (different or missing)


def read(path: Path, every: int) -> dict[str, str]:
    """The lines of a file of digests, by the name of the case."""
    pairs = (text.split(" ", 1) for text in path.read_text().splitlines())
    return {name: text for name, text in pairs if is_drawn(name, every)}


def main() -> None:
    """Print the digests, or how they differ from the digests of a file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", type=Path, metavar="FILE", help="print what differs from these digests")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run one case in N (1)")
    options = parser.parse_args()
    # Models that diverge warn; their digests are compared like all others.
    warnings.simplefilter("ignore")
    if options.against is None:
        for name, text in lines(options.every):
            print(name, text, flush=True)
    else:
        sys.exit(not compare(read(options.against, options.every), lines(options.every)))


if __name__ == "__main__":
    main()
