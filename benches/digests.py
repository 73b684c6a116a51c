"""Digests of models and predictions, one line to the case: whether a change of the code changed any bit.

Every algorithm learns fixed streams: both float types, two classes, three classes and regression, budgets
from less than a vector of slots to more than a panel, and each option by itself. A line names the case and
has three SHA-256: of the model file, of what the model shows of itself (support vectors, coefficients and
counts), both in the middle of the stream and at its end, and of all predictions. Where the case is not legal
it says "refused". The bits are those of one SIMD level, which `BUDGETRS_SIMD` sets.

    python benches/digests.py > before.txt
    python benches/digests.py --against before.txt
"""

from __future__ import annotations

import argparse
import hashlib
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
    "ball": {"alpha": 0.05, "ball": True},
    "average": {"average": True},
    "average-0.3": {"average": 0.3, "stream_length": 250},
    "average-late": {"average": "late"},
    "average-random": {"average": "random"},
    "average-random-ball": {"average": "random", "alpha": 0.05, "ball": True},
    "rate": {"rate": 20.0},
    "rate-auto": {"rate": "auto", "stream_length": 250, "max_size": 160},
    "neighbors-1": {"n_neighbors": 1},
    "neighbors-4": {"n_neighbors": 4},
    "newcomer-may-leave": {"newcomer_may_leave": True},
    "class-weight": {"class_weight": "balanced"},
    "C": {"C": 0.1},
    "C0": {"C0": 2.0},
    "decay": {"decay": False},
    "ramp": {"ramp": 0.2},
    "ramp-none": {"ramp": None},
    "forget-none": {"forget": None},
    "forget-rows": {"forget": 60},
    "average-forget-none": {"forget": None, "average": True},
    "margin": {"margin": 0.3},
    "eta": {"eta": 0.05},
    "eta0": {"eta0": 0.7, "alpha": 0.01},
    "clip": {"clip": 2.0},
    "scale-online": {"scale": "online"},
    "scale-none": {"scale": None},
    "missing": {"scale": "online", "missing": "mean"},
    "hash-features": {"hash_features": 5},
    **{f"metric-{metric}": {"metric": metric} for metric in TABLE["metric"]["forms"][0][1]},
    "linear-part": {"linear": 0.3},
    "linear-part-none": {"linear": None},
    "linear-part-average": {"linear": 0.3, "average": True},
    "linear-part-average-late": {"linear": 0.3, "average": "late"},
    **{f"loss-{loss}": {"loss": loss} for loss in LOSSES},
    "epsilon": {"loss": "epsilon_insensitive", "epsilon": 0.4},
    "delta": {"loss": "huber", "delta": 0.2},
    "quantile-0.8": {"loss": "quantile", "quantile": 0.8},
    "grad_tol": {"loss": "log_loss", "grad_tol": 0.2},
    "squared-ball": {"loss": "squared_error", "alpha": 0.05, "ball": True},
    "log-ball": {"loss": "log_loss", "alpha": 0.05, "ball": True},
}
REGRESSORS = {
    "bsgd": budgetrs.BSGDRegressor,
    "bpa": budgetrs.BPARegressor,
    "online-kernel": budgetrs.OnlineKernelRegressor,
}
# What may be done with the rows, beside the parameters.
HANDLINGS = ("sparse", "weights", "scaling", "sparse-scaling", "widen")


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
    """Uniform numbers from -1 to 1; what follows is exact arithmetic, the same on every machine."""
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
    """The parameters of a case: a budget where there is one, and a rate where the name asks for it."""
    # The kernel values of neighbours are much alike in all sizes.
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
    *("support_vectors_", "dual_coef_", "gamma_", "n_seen_", "n_updates_", "n_queries_", "n_maintenances_"),
    *("mean_weight_degradation_", "n_mistakes_", "mean_absolute_error_", "mean_squared_error_"),
)
# Nothing where there is none.
PARTS = ("metric_", "coef_", "intercept_")


def shown(model: Any) -> Iterator[bytes]:
    """What a model shows of itself."""
    for name in SHOWN:
        value = getattr(model, name, None)
        yield b"none" if value is None else np.asarray(value).tobytes()
    for name in PARTS:
        value = getattr(model, name, None)
        if value is not None:
            yield value.tobytes()


def predictions(model: Any, X: np.ndarray) -> Iterator[bytes]:
    """All that a model predicts, of dense and of sparse rows, alone and in threads."""
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
    """The SHA-256 of some bytes, in full."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(len(part).to_bytes(8, "little"))
        sha.update(part)
    return sha.hexdigest()


def learned(case: Case) -> Iterator[str]:
    """The digests of one case: its files, what its models show, and their predictions."""
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
        if case.handling == "widen" and part.stop == middle:
            X = np.hstack([X, random(9, n, 2).astype(X.dtype)])
            rows, test = X, np.hstack([test, random(11, 40, 2).astype(X.dtype)])
            model.widen(features + 2)
        # What is read from a file goes on.
        model = kind.from_bytes(model.to_bytes())
    return map(digest, (files, models, found))


def estimated(case: Case) -> Iterator[str]:
    """The digests of an estimator of the same name, which shuffles its rows and finds its gamma."""
    budget, features, n = case.size
    X, y = stream(case.task, case.dtype, features, n, seed=7 * features)
    test = stream(case.task, case.dtype, features, 40, seed=1001)[0]
    params: dict[str, Any] = {"random_state": 0}
    if case.task == "regression":
        estimator = REGRESSORS[case.algorithm](**params)
    else:
        if case.algorithm.startswith("nbsgd"):
            params["rate"] = 20.0
        estimator = budgetrs.make(case.algorithm, **params)
    if estimator.get_params().get("budget") is not None:
        estimator.set_params(budget=budget)
    estimator.fit(X, y)
    estimator.partial_fit(X[:50], y[:50])
    found = [estimator.predict(test).tobytes()]
    if case.task != "regression":
        found.append(estimator.decision_function(test).tobytes())
    return map(digest, (shown(estimator), found))


def label(size: tuple[int, int, int]) -> str:
    """A size in the name of a case: budget and features."""
    return f"{size[0]}x{size[1]}"


def cases() -> Iterator[Case]:
    """Every case, by a name of its own."""
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
    """Every estimator, by a name of its own."""
    for task in ("two", "three"):
        for dtype in DTYPES:
            for name in budgetrs.ALGORITHMS:
                yield Case(f"estimator/{name}/{task}/{dtype}", name, task, dtype)
    for dtype in DTYPES:
        for name in REGRESSORS:
            yield Case(f"estimator/{name}/regression/{dtype}", name, "regression", dtype)


def is_drawn(name: str, every: int) -> bool:
    """Whether a case is among one in so many: the same ones of every version."""
    return zlib.crc32(name.encode()) % every == 0


def lines(every: int) -> Iterator[tuple[str, str]]:
    """The name of each case, or of one in so many, and its digests."""
    runs = chain(((case, learned) for case in cases()), ((case, estimated) for case in estimator_cases()))
    for case, run in runs:
        if is_drawn(case.name, every):
            try:
                yield case.name, " ".join(run(case))
            except (ValueError, TypeError):
                yield case.name, "refused"


def difference(before: str, now: str) -> str:
    """Which of the digests differ, or what they have become."""
    pairs = list(zip(before.split(), now.split(), strict=False))
    parts = ("file", "model", "predictions")[-len(pairs) :]
    if "refused" in (before, now):
        return "was refused" if before == "refused" else "is refused"
    return "other " + ", ".join(part for part, (a, b) in zip(parts, pairs, strict=True) if a != b)


def main() -> None:
    """Print the digests, or what is different from those of a file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", type=Path, metavar="FILE", help="print what differs from these digests")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only one case in so many")
    options = parser.parse_args()
    # A model that diverges warns; that is no matter here.
    warnings.simplefilter("ignore")
    if options.against is None:
        for name, now in lines(options.every):
            print(name, now, flush=True)
        return
    file = options.against.read_text().splitlines()
    before = dict(line.split(" ", 1) for line in file if is_drawn(line.split(" ", 1)[0], options.every))
    equal = new = different = 0
    for name, now in lines(options.every):
        then = before.pop(name, None)
        if then is None:
            new += 1
        elif now == then:
            equal += 1
        else:
            different += 1
            print(f"{name}: {difference(then, now)}", flush=True)
    for name in before:
        print(f"{name}: is missing")
    print(f"{equal} cases are equal, {different} differ, {len(before)} are missing, {new} are new")
    sys.exit(different > 0 or len(before) > 0)


if __name__ == "__main__":
    main()
