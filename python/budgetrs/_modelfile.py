"""The parts of a model that predict, from its attributes and its file."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._core import NativeModel, __version__

VERSION = __version__

# The number in place of a column of a feature that is no category.
_NUMERIC = 2**32 - 1

# The weight, in rows, of the uncorrected confidence in each bin.
_PRIOR = 10.0

# The correction of the scores is served if it has saved more log loss than this, and the vote of recent rows
# if it has saved more errors.
_MIN_SAVED = 3.0

# gamma of the vote of recent rows, relative to gamma of the model.
_GAMMA_FACTOR = 4.0


@dataclass(frozen=True)
class Scaling:
    """The scaling ``(x - shift) * factor`` of each feature, in float64, with the steps of online scaling."""

    shift: np.ndarray
    factor: np.ndarray
    clips: bool = False
    takes_missing: bool = False
    missing: tuple[np.ndarray, ...] = ()
    # The factor of each feature after clipping; None without columns of many categories.
    category_factor: np.ndarray | None = None


@dataclass(frozen=True)
class Calibration:
    """The calibration of the online kernel machine.

    The confidence in the predicted class is corrected by a piecewise linear function through the points
    (`knots`, `heights`).
    """

    slope: float
    knots: np.ndarray
    heights: np.ndarray


@dataclass(frozen=True)
class Columns:
    """The columns of frames with categorical columns: names, and the feature of each column or category."""

    names: list[str]
    # The feature of a numeric column; None for a categorical column.
    features: list[int | None]
    # None for a numeric column.
    categories: list[dict[str, int] | None]


@dataclass(frozen=True)
class Model:
    """A model for prediction; its coefficients are averaged if the model predicts by averages."""

    algorithm: str
    dtype: np.dtype[Any]
    params: dict[str, Any]
    # The kernel of the parameters, or "rbf" if recent rows vote.
    kernel: str
    gamma: float
    # (m, d), (m, n_outputs); (d, n_outputs) and (n_outputs,) if there is a linear term.
    vectors: np.ndarray
    coefficients: np.ndarray
    linear: tuple[np.ndarray, np.ndarray] | None
    # (d, n_outputs): the slopes beyond the clip of the scaling, if the linear term extends beyond it.
    tail: np.ndarray | None
    metric: np.ndarray | None
    scaling: Scaling | None
    # The smallest and the largest prediction of a regressor; None if they are unlimited.
    range: np.ndarray | None
    # None for a regressor.
    classes: np.ndarray | None
    # The index in `classes` of each class of an estimator, which sorts classes; None for equal orders.
    order: np.ndarray | None
    has_probabilities: bool
    # None if the scores are log odds.
    calibration: Calibration | None
    # None if all features are numeric.
    columns: Columns | None


def read(model: Any) -> Model:
    """Read the parts of a native model or an estimator that predict."""
    native: Any = getattr(model, "_model", model)
    known = isinstance(native, NativeModel)
    if not (known or hasattr(type(model), "_native")):
        kind = type(model)
        river = kind.__module__ == "budgetrs.river"
        place = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        advice = "; its native model, model.native, can be converted" if river else ""
        raise TypeError(
            "model must be a Classifier, a Regressor or an estimator of budgetrs, got "
            f"{place}{kind.__name__}{advice}"
        )
    data = native.to_bytes() if known else b""
    state, tensors = _parsed(data) if known else ({}, {})
    if "learner" not in state:
        raise ValueError(
            f"model must have learned rows, got a {type(model).__name__} that has not: call "
            f"{'learn' if known else 'fit'}(X, y) first"
        )
    # The model of the file, since another thread may be learning.
    as_learned = native is model
    kind: Any = type(native)
    native = kind.from_bytes(data)
    classes = getattr(native, "classes_", None)
    # Some kernels have no gamma.
    kernel, gamma, calibration = native.params["kernel"], getattr(native, "gamma_", 1.0), None
    if classes is not None and native.algorithm == "online-kernel":
        calibration = _calibration(tensors, state, len(classes))
        if _votes(state):
            kernel, gamma = "rbf", _GAMMA_FACTOR * gamma
    order = None
    if classes is not None and not (as_learned or np.all(classes[:-1] <= classes[1:])):
        order = np.argsort(classes, kind="stable").astype(np.int64)
    return Model(
        algorithm=native.algorithm,
        dtype=np.dtype(native.dtype),
        params=native.params,
        kernel=kernel,
        gamma=gamma,
        vectors=native.support_vectors_,
        coefficients=native.dual_coef_.T,
        linear=(native.coef_.T, native.intercept_) if hasattr(native, "coef_") else None,
        tail=native.tail_coef_.T if hasattr(native, "tail_coef_") else None,
        metric=getattr(native, "components_", None),
        scaling=_scaling(tensors, native.params),
        range=tensors.get("learner.rule.range"),
        classes=classes,
        order=order,
        has_probabilities=native.has_probabilities,
        calibration=calibration,
        columns=_columns(state),
    )


def _parsed(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the values and the tensors of a model file, which is in the safetensors format."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    state = json.loads(header.pop("__metadata__")["budgetrs"])["state"]
    types = {"F32": "<f4", "F64": "<f8", "U32": "<u4"}
    tensors = {}
    for path, entry in header.items():
        if entry["dtype"] in types:
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(data[start + first : start + last], types[entry["dtype"]])
            tensors[path] = numbers.reshape(entry["shape"])
    return state, tensors


def _columns(state: dict[str, Any]) -> Columns | None:
    """Return the columns; None if none of them is categorical."""
    if "categorical" not in state.get("columns", {}):
        return None
    values = {name: value for name, (_, value) in state["columns"].items()}
    names, categorical = values["names"], set(values["categorical"])
    numeric = [column for column in range(len(names)) if column not in categorical]
    features: list[int | None] = [None] * len(names)
    categories: list[Any] = [{} if i in categorical else None for i in range(len(names))]
    texts = iter(values["categories"])
    # Numeric columns come first, unless the file has another order of the columns of features.
    for feature, column in enumerate(values.get("features", numeric + values["categorical_columns"])):
        if column in categorical:
            categories[column][next(texts)] = feature
        else:
            features[column] = feature
    return Columns(names, features, categories)


def _number(value: list[str]) -> float:
    """Return a number from its bits in the file, a float or an unsigned integer."""
    kind, bits = value
    number = int(bits, 16)
    return float(np.uint64(number).view(np.float64)) if kind == "f64" else number


def _scaling(tensors: dict[str, np.ndarray], params: dict[str, Any]) -> Scaling | None:
    """Return the scaling: given, or estimated from the learned rows."""
    scope = "learner.scaling."
    if f"{scope}factor" in tensors:
        factor, shift = (tensors[scope + name].astype(np.float64) for name in ("factor", "shift"))
        # Translation-invariant kernels need no shift.
        return Scaling(shift if shift.size else np.zeros_like(factor), factor)
    if f"{scope}mean" not in tensors:
        return None
    # Regression may keep a centre and scale other than mean and deviation.
    names = ("centre", "inverse_scale") if f"{scope}centre" in tensors else ("mean", "inv_std")
    shift, factor = (tensors[scope + name] for name in names)
    takes_missing = params.get("missing") == "mean"
    missing = _missing_values(tensors, len(shift), params)
    return Scaling(shift, factor, True, takes_missing, missing, _category_factor(tensors))


def _missing_values(tensors: dict[str, np.ndarray], n: int, params: dict[str, Any]) -> tuple[np.ndarray, ...]:
    """Return the numbers of `missing_values` for each of n features; NaN for one-hot features."""
    numbers = params.get("missing_values")
    columns = tensors.get("learner.categories.columns")
    is_numeric = True if columns is None else columns == _NUMERIC
    given = [] if numbers is None else np.atleast_1d(numbers).tolist()
    return tuple(np.where(is_numeric, np.full(n, number), np.nan) for number in given)


def _category_factor(tensors: dict[str, np.ndarray]) -> np.ndarray | None:
    """Return the factor of each feature: of a column of L > 10 seen categories ``sqrt(10 / L)``."""
    if "learner.categories.columns" not in tensors:
        return None
    columns, seen = (tensors[f"learner.categories.{name}"] for name in ("columns", "seen"))
    numeric = columns == _NUMERIC
    columns = np.where(numeric, 0, columns).astype(np.int64)
    counts = np.bincount(columns, weights=seen, minlength=1)
    return np.where(numeric, 1.0, np.sqrt(10.0 / np.maximum(counts[columns], 10.0)))


def _votes(state: dict[str, Any]) -> bool:
    """Return whether the model predicts by the vote of recent rows."""
    recent = state["learner"]["monitor"]["probabilities"].get("recent")
    return recent is not None and _number(recent["saved"]) > _MIN_SAVED


def _calibration(tensors: dict[str, np.ndarray], state: dict[str, Any], classes: int) -> Calibration:
    """Return the calibration, its lines as `Calibration::corrected` draws them in ``src/calibration.rs``."""
    values, scope = state["learner"]["monitor"]["probabilities"], "learner.monitor.probabilities."
    corrected = values.get("corrected")
    if _votes(state):
        values, scope = values["recent"], f"{scope}recent."
    elif corrected is not None and _number(corrected["saved"]) > _MIN_SAVED:
        values, scope = corrected, f"{scope}corrected."
    values, scope = values["calibration"], f"{scope}calibration."
    rows, sums, hits = (tensors[scope + name] for name in ("rows", "sums", "hits"))
    least = 1.0 / max(classes, 2)
    centres = least + (1.0 - least) * (np.arange(len(rows)) + 0.5) / len(rows)
    rows, sums, hits = rows + _PRIOR, sums + _PRIOR * centres, hits + _PRIOR * centres
    places, heights = sums / rows, _increasing(hits / rows, rows)
    return Calibration(_number(values["slope"]), np.append(least, places), np.append(least, heights))


def _increasing(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the isotonic regression: neighbours that do not increase are pooled."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pool[0] < pools[-1][0]:
            before, m, i = pools.pop()
            after, n, j = pool
            pool = ((before * m + after * n) / (m + n), m + n, i + j)
        pools.append(pool)
    return np.repeat([value for value, _, _ in pools], [count for _, _, count in pools])
