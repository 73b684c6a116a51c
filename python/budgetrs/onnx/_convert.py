"""The whole graph of a model: scaling, metric, scores, labels and probabilities."""

import json
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper

from .._modelfile import VERSION, Calibration, Columns, Model, Scaling, read
from ._graph import LAST, Graph
from ._kernels import kernel_values

# Old enough for every runtime in use; all operators used here support float64 and strings in them.
_OPSET, _OPSET_ML, _IR_VERSION = 17, 3, 8
_ML = "ai.onnx.ml"

# The standard deviations at which online scaling clips.
_CLIP = 3.0
# The standard deviations up to which the linear term of regression sees values.
_TAIL_CLIP = 40.0

# The weight of the uncorrected confidence in a corrected one.
_UNCORRECTED = 1e-3


def convertible(given: Any) -> Model:
    """Return the parts of a model or an estimator that can be converted."""
    model = read(given)
    if (folded := model.params["hash_features"]) is not None:
        raise ValueError(
            "model must have hash_features=None, because a graph has no hash for rows of any number of "
            f"columns, got hash_features={folded}"
        )
    return model


def convert(model: Model) -> ModelProto:
    """Return the graph of a model."""
    names = [] if model.columns is None else model.columns.names
    graph = Graph(model.dtype, _prefix(names))
    inputs = [_value(graph, graph.rows, "n", model.vectors.shape[1])]
    if model.columns is not None:
        takes_missing = model.scaling is not None and model.scaling.takes_missing
        inputs = _by_columns(graph, model.columns, takes_missing=takes_missing)
    scores = _scores(graph, model)
    if model.classes is None:
        if model.range is not None:
            scores = graph.op("Clip", scores, *model.range)
        graph.op("Squeeze", scores, LAST, output="predictions")
        outputs = [_value(graph, "predictions", "n")]
        description = "predictions: regression"
    else:
        outputs = _classify(graph, model, scores, model.classes)
        description = "label, scores and probabilities: classification"
    _check_names(names, [output.name for output in outputs])
    found = helper.make_graph(graph.nodes, model.algorithm, inputs, outputs, graph.constants, description)
    made = helper.make_model(
        found,
        producer_name="budgetrs",
        producer_version=VERSION,
        ir_version=_IR_VERSION,
        opset_imports=[
            helper.make_opsetid("", _OPSET),
            *([] if model.columns is None else [helper.make_opsetid(_ML, _OPSET_ML)]),
        ],
    )
    metadata = {"algorithm": model.algorithm}
    if model.classes is not None:
        classes = model.classes if model.order is None else model.classes[model.order]
        metadata["classes"] = json.dumps(classes.tolist())
    helper.set_model_props(made, metadata)
    return made


def _value(graph: Graph, name: str, *shape: str | int) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, graph.element, shape)


def _prefix(names: list[str]) -> str:
    """Return a prefix of internal names with which no column's name starts."""
    prefix = ""
    while any(name.startswith(prefix) for name in names):
        prefix += "/"
    return prefix


def _check_names(names: list[str], outputs: list[str]) -> None:
    """Raise if the name of a column cannot be the name of an input."""
    for name in names:
        if name in ("", *outputs):
            *others, last = outputs
            listed = f"{', '.join(others)} or {last}" if others else last
            raise ValueError(
                f"model must have columns without the name of an output ({listed}) and without the empty "
                f"name, got the column {name!r}: rename the column and train again"
            )


def _by_columns(graph: Graph, columns: Columns, *, takes_missing: bool) -> list[ValueInfoProto]:
    """Make the rows of an input for each column; return the inputs."""
    inputs, parts, places = [], [], []
    names = columns.names
    order = sorted(range(len(names)), key=lambda i: columns.categories[i] is not None)
    for i in order:
        categories = columns.categories[i]
        if categories is None:
            places.append(columns.features[i])
            parts.append(names[i])
        elif categories:
            parts.append(_indicators(graph, names[i], list(categories), takes_missing=takes_missing))
            places += categories.values()
    for i, categories in enumerate(columns.categories):
        kind = graph.element if categories is None else TensorProto.STRING
        inputs.append(helper.make_tensor_value_info(names[i], kind, ["n", 1]))
    # Features are in order of appearance, not column by column.
    joined = graph.op("Concat", *parts, axis=1)
    graph.op("Gather", joined, np.argsort(places).astype(np.int64), output=graph.rows, axis=1)
    return inputs


def _indicators(graph: Graph, name: str, categories: list[str], *, takes_missing: bool) -> str:
    """Return the one-hot encoding of a column; a missing value, the empty string, is NaN everywhere."""
    has_missing = takes_missing and "" not in categories
    coded_categories = [*categories, ""] if has_missing else categories
    coded = graph.op("OneHotEncoder", name, domain=_ML, cats_strings=coded_categories, zeros=1)
    flat = graph.op("Reshape", coded, np.array([-1, len(coded_categories)], dtype=np.int64))
    if not has_missing:
        return graph.cast(flat, graph.dtype)
    last = len(categories)
    found = graph.cast(graph.op("Gather", flat, np.arange(last), axis=1), graph.dtype)
    is_missing = graph.cast(graph.op("Gather", flat, np.array([last]), axis=1), np.bool_)
    return graph.op("Where", is_missing, np.nan, found)


def _scores(graph: Graph, model: Model) -> str:
    """Return the scores, (n, n_outputs)."""
    x, excess = (graph.rows, None) if model.scaling is None else _scaled(graph, model.scaling, model.tail)
    parts = []
    if len(model.vectors):
        z = x
        if model.metric is not None:
            square = len(model.metric) > 1
            z = graph.op("MatMul", x, model.metric.T) if square else graph.op("Mul", x, model.metric)
        parts.append(graph.op("MatMul", kernel_values(graph, model, z), model.coefficients))
    if model.linear is not None:
        matrix, constant = model.linear
        parts.append(graph.op("Add", graph.op("MatMul", x, matrix), constant))
    if excess is not None:
        parts.append(graph.op("MatMul", excess, model.tail))
    if not parts:
        # No row has changed the model.
        parts.append(graph.op("MatMul", x, np.zeros((model.vectors.shape[1], model.coefficients.shape[1]))))
    return parts[0] if len(parts) == 1 else graph.op("Sum", *parts)


def _scaled(graph: Graph, scaling: Scaling, tail: np.ndarray | None) -> tuple[str, str | None]:
    """Return the scaled rows, and their excess beyond the clip for a tail; missing values are means."""
    x, limits = graph.rows, np.finfo(graph.dtype)
    # A mean may have more digits than float32: the rounding error of the shift is subtracted afterwards.
    shift = scaling.shift.astype(graph.dtype)
    rest = scaling.shift - shift
    for part in (shift, rest.astype(graph.dtype)):
        if part.any():
            x = graph.op("Sub", x, part)
    # The inverse of the smallest deviations overflows float32, but its square root does not.
    fits = np.all(scaling.factor <= limits.max)
    for factor in [scaling.factor] if fits else [np.sqrt(scaling.factor)] * 2:
        x = graph.op("Mul", x, factor)
    excess = None
    if scaling.clips:
        wide = x
        x = graph.op("Clip", wide, -_CLIP, _CLIP)
        if tail is not None:
            excess = graph.op("Sub", graph.op("Clip", wide, -_TAIL_CLIP, _TAIL_CLIP), x)
    missing = [graph.op("IsNaN", graph.rows)] if scaling.takes_missing else []
    missing += [graph.op("Equal", graph.rows, numbers) for numbers in scaling.missing]
    for is_missing in missing:
        x = graph.op("Where", is_missing, 0.0, x)
        excess = None if excess is None else graph.op("Where", is_missing, 0.0, excess)
    if scaling.category_factor is not None:
        x = graph.op("Mul", x, scaling.category_factor)
    return x, excess


def _classify(graph: Graph, model: Model, scores: str, classes: np.ndarray) -> list[ValueInfoProto]:
    """Add the outputs of a classifier."""
    outputs = model.coefficients.shape[1]
    if outputs == 1:
        second = graph.op("Squeeze", scores, LAST)
        top = graph.cast(graph.op("Greater", second, 0.0), np.int64)
        # With the reversed order of two classes, the score has the opposite sign.
        graph.op("Identity" if model.order is None else "Neg", second, output="scores")
    else:
        top = graph.op("ArgMax", scores, axis=1, keepdims=0)
        _ordered(graph, model, scores, output="scores")
    # While only one class has been seen, it is predicted.
    label = top if len(classes) > 1 else graph.op("Mul", top, np.array(0, dtype=np.int64))
    # Labels that are floats keep float64 in a graph of float32.
    graph.at(np.float64).op("Gather", classes, label, output="label")
    kind = helper.np_dtype_to_tensor_dtype(classes.dtype if classes.dtype.kind != "U" else np.dtype(object))
    found = [
        helper.make_tensor_value_info("label", kind, ["n"]),
        _value(graph, "scores", "n", *([] if outputs == 1 else [outputs])),
    ]
    if model.has_probabilities:
        if len(classes) == 1:
            likely = graph.op("Expand", np.ones((1, 1)), graph.op("Shape", scores))
        elif model.calibration is None:
            likely = _log_odds(graph, scores, outputs)
        else:
            likely = _calibrated(graph, model.calibration, scores, top, len(classes))
        _ordered(graph, model, likely, output="probabilities")
        found.append(_value(graph, "probabilities", "n", len(classes)))
    return found


def _ordered(graph: Graph, model: Model, columns: str, *, output: str) -> None:
    """Add an output with one column for each class."""
    if model.order is None:
        graph.op("Identity", columns, output=output)
    else:
        graph.op("Gather", columns, model.order, output=output, axis=1)


def _log_odds(graph: Graph, scores: str, outputs: int) -> str:
    """Return the probabilities of the log loss."""
    if outputs == 1:
        second, first = graph.op("Sigmoid", scores), graph.op("Sigmoid", graph.op("Neg", scores))
        return graph.op("Concat", first, second, axis=1)
    return graph.op("Softmax", scores, axis=1)


def _calibrated(graph: Graph, calibration: Calibration, scores: str, top: str, classes: int) -> str:
    """Return the probabilities of the online kernel machine, in float64 as there.

    The confidence in the predicted class is corrected, the other classes share the rest as before.
    """
    dtype, graph = graph.dtype, graph.at(np.float64)
    f = graph.cast(scores, np.float64)
    odds = graph.op("Mul", f, calibration.slope)
    if classes == 2:
        second = graph.op("Sigmoid", odds)
        p = graph.op("Concat", graph.op("Sub", 1.0, second), second, axis=1)
    else:
        p = graph.op("Softmax", odds, axis=1)
    is_top = graph.op("Equal", graph.op("Unsqueeze", top, LAST), np.arange(classes))
    others = graph.op("Where", is_top, 0.0, p)
    confidence = graph.sum(graph.op("Where", is_top, p, 0.0), classes)
    rest = graph.sum(others, classes)
    # The largest; ReduceMax has other inputs from opset 18 on.
    likeliest = graph.op("ArgMax", others, axis=1, keepdims=1)
    most = graph.op("GatherElements", others, likeliest, axis=1)
    # Other classes whose probabilities underflow are equally likely. The model has no subnormal numbers.
    some = graph.op("Greater", rest, float(np.finfo(np.float64).tiny))
    divisor = graph.op("Where", some, rest, 1.0)
    shares = graph.op("Where", some, graph.op("Div", others, divisor), 1.0 / (classes - 1))
    # The smallest confidence at which no other class is likelier.
    least = graph.op("Where", some, graph.op("Div", most, graph.op("Add", divisor, most)), 1.0 / classes)
    corrected = graph.op("Max", _corrected(graph, calibration, confidence), least)
    growing = graph.op("Add", least, graph.op("Mul", graph.op("Sub", 1.0, least), confidence))
    sure = graph.op(
        "Add", graph.op("Mul", corrected, 1.0 - _UNCORRECTED), graph.op("Mul", growing, _UNCORRECTED)
    )
    shared = graph.op("Mul", graph.op("Sub", 1.0, sure), shares)
    return graph.cast(graph.op("Where", is_top, sure, shared), dtype)


def _corrected(graph: Graph, calibration: Calibration, confidence: str) -> str:
    """Return the piecewise linear function at a confidence: each knot except the last changes the slope."""
    knots, heights = calibration.knots, calibration.heights
    slopes = np.diff(heights) / np.diff(knots)
    changes = np.diff(slopes, prepend=0.0)
    beyond = graph.op("Relu", graph.op("Sub", confidence, knots[:-1]))
    line = graph.op("Add", graph.op("MatMul", beyond, changes[:, None]), heights[0])
    return graph.op("Clip", line, 0.0, 1.0)
