"""Pipelines of scikit-learn in ONNX, by skl2onnx, with a converter for the estimators of budgetrs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper
from sklearn.pipeline import Pipeline

from .._errors import not_fitted
from ..estimators._base import BudgetedEstimator
from ..estimators._columns import has_categorical
from ._check import check
from ._convert import convert, convertible


def register() -> None:
    """Register the converter of every estimator of budgetrs."""
    skl2onnx = _skl2onnx()
    from .. import estimators

    for name in estimators.__all__:
        kind = getattr(estimators, name)
        if not isinstance(kind, type):
            continue
        is_classifier = hasattr(kind, "classes_") or name.endswith("Classifier")
        shapes = _classification_shapes if is_classifier else _regression_shapes
        options = {"zipmap": [True, False, "columns"], "nocl": [True, False]} if is_classifier else {}
        skl2onnx.update_registered_converter(
            kind, f"Budgetrs{name}", shapes, _convert, overwrite=True, options=options
        )


def convert_pipeline(pipeline: Any) -> ModelProto:
    """Convert a pipeline of rows of numbers, in the float type of its last step."""
    register()
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    steps = _checked_steps(pipeline)
    last = steps[-1]
    dtype = np.dtype(convertible(last).dtype)
    tensor = FloatTensorType if dtype == np.float32 else DoubleTensorType
    types = [("X", tensor([None, steps[0].n_features_in_]))]
    options = {id(last): {"zipmap": False}} if hasattr(last, "classes_") else None
    try:
        # skl2onnx does not know steps that pass rows through.
        plain = Pipeline([(str(number), step) for number, step in enumerate(steps)])
        made = convert_sklearn(plain, initial_types=types, options=options, target_opset=17)
        # onnxruntime lacks some operators in float64.
        check(cast("ModelProto", made))
    except Exception as error:
        is_double = dtype == np.float64
        raise ValueError(
            f"the pipeline cannot be converted{' in float64' if is_double else ''}: {error}; "
            f"{'fit it on float32, such as X.astype(numpy.float32), or ' if is_double else ''}replace the "
            "step that skl2onnx or onnxruntime does not know"
        ) from error
    return cast("ModelProto", made)


def _checked_steps(pipeline: Any) -> list[Any]:
    """Return the steps that change rows of a pipeline and of the pipelines in it.

    Raises
    ------
    TypeError
        If the last step is no estimator of budgetrs.
    ValueError
        If the pipeline is not fitted, or takes other inputs than rows of numbers.
    """
    steps = _steps(pipeline)
    last = pipeline
    while hasattr(last, "steps"):
        last = last.steps[-1][1]
    if not isinstance(last, BudgetedEstimator):
        shown = repr(last) if last is None or isinstance(last, str) else type(last).__name__
        raise TypeError(f"model must be a pipeline whose last step is an estimator of budgetrs, got {shown}")
    if not last.__sklearn_is_fitted__():
        raise not_fitted("model must be a fitted pipeline: call fit(X, y) first")
    if has_categorical(last._model):
        raise ValueError(
            "model must be a pipeline whose estimator has no categorical columns: encode them in a step "
            "before it, or convert the estimator alone, model[-1]"
        )
    for step in steps:
        names = [str(name) for name in _columns(step) if isinstance(name, str)]
        if names or not hasattr(steps[0], "n_features_in_"):
            reason = f"selects columns by name ({names[0]!r})" if names else "does not take rows of numbers"
            shown = type(step if names else steps[0]).__name__
            raise ValueError(
                f"model must be a pipeline of rows of numbers, but {shown} {reason}: call "
                "budgetrs.onnx.register_skl2onnx(), then skl2onnx.to_onnx(pipeline, X[:1])"
            )
    return steps


def _steps(pipeline: Any) -> list[Any]:
    """Return the steps of a pipeline, and of pipelines in it, without those that pass rows through."""
    found = []
    for _, step in pipeline.steps:
        if hasattr(step, "steps"):
            found += _steps(step)
        elif step is not None and not isinstance(step, str):
            found.append(step)
    return found


def _columns(step: Any) -> list[Any]:
    """Return the columns that a ColumnTransformer selects."""
    found = []
    for _, _, columns in getattr(step, "transformers_", ()):
        found += [columns] if isinstance(columns, str) else list(np.atleast_1d(columns))
    return found


def _skl2onnx() -> Any:
    try:
        import skl2onnx
    except ImportError as error:
        raise ImportError("a pipeline in ONNX needs skl2onnx: pip install skl2onnx") from error
    return skl2onnx


def _classification_shapes(operator: Any) -> None:
    """Set the types of label and probabilities.

    A ZipMap, the default of skl2onnx, takes probabilities in float32 and labels that are int64 or strings.
    """
    from skl2onnx.common.data_types import BooleanTensorType, DoubleTensorType, FloatTensorType
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    calculate_linear_classifier_output_shapes(operator)
    options = operator.scope_inst.get_options(operator.raw_operator, {"zipmap": True}, fail=False)
    if options["zipmap"] is True:
        operator.outputs[1].set_type(FloatTensorType(operator.outputs[1].type.shape))
    own = {"f": DoubleTensorType, "b": BooleanTensorType}.get(operator.raw_operator.classes_.dtype.kind)
    if own is not None and options["zipmap"] is False:
        operator.outputs[0].set_type(own(operator.outputs[0].type.shape))


def _regression_shapes(operator: Any) -> None:
    """Set the type of the predictions to the type of the rows."""
    rows = operator.inputs[0].type
    operator.outputs[0].type = type(rows)([rows.shape[0], 1])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the graph of an estimator to a graph of skl2onnx, with new names."""
    made = convert(convertible(operator.raw_operator))
    graph = made.graph
    width, expected = operator.inputs[0].type.shape[1], operator.raw_operator.n_features_in_
    if width not in (None, expected):
        raise ValueError(
            f"the steps before the estimator give {expected} columns in scikit-learn, but {width} in "
            "skl2onnx, which does not know one of their parameters, such as add_indicator"
        )
    if len(graph.input) != 1:
        raise ValueError("the estimator must have no categorical columns: encode them in a step before it")
    names = {name: operator.outputs[i].full_name for i, name in enumerate(_outputs(graph)) if name}
    names |= {"": ""}

    def renamed(name: str) -> str:
        if name not in names:
            names[name] = scope.get_unique_variable_name(name)
        return names[name]

    def renamed_nodes(nodes: Any) -> Iterator[Any]:
        for node in nodes:
            node = type(node).FromString(node.SerializeToString())
            node.name = scope.get_unique_operator_name(f"budgetrs_{node.op_type}")
            node.input[:] = [renamed(name) for name in node.input]
            node.output[:] = [renamed(name) for name in node.output]
            for body in (attribute.g for attribute in node.attribute if attribute.HasField("g")):
                for value in (*body.input, *body.output, *body.initializer):
                    value.name = renamed(value.name)
                inner = [*renamed_nodes(body.node)]
                del body.node[:]
                body.node.extend(inner)
            yield node

    finished = {}
    for name in [output.name for output in graph.output if output.name in names]:
        finished[name], names[name] = names[name], scope.get_unique_variable_name(name)
    _cast(
        scope,
        container,
        operator.inputs[0].full_name,
        renamed("X"),
        graph.input[0].type.tensor_type.elem_type,
    )
    for constant in graph.initializer:
        constant = type(constant).FromString(constant.SerializeToString())
        constant.name = renamed(constant.name)
        container.initializers.append(constant)
    container.nodes += renamed_nodes(graph.node)
    for opset in made.opset_import:
        container.node_domain_version_pair_sets.add((opset.domain, opset.version))
    for variable, (name, output) in zip(operator.outputs, finished.items(), strict=False):
        if name == "predictions":
            names[name] = _column(scope, container, names[name])
        elif name == "scores" and len(graph.output[1].type.tensor_type.shape.dim) == 1:
            # skl2onnx expects a column for each class.
            second = _column(scope, container, names[name])
            first, both = (scope.get_unique_variable_name(f"scores_{part}") for part in ("first", "both"))
            container.add_node("Neg", [second], [first], op_version=13, name=first)
            container.add_node("Concat", [first, second], [both], op_version=13, name=both, axis=1)
            names[name] = both
        kind = type(variable.type).__name__
        types = {
            "FloatTensorType": TensorProto.FLOAT,
            "DoubleTensorType": TensorProto.DOUBLE,
            "Int64TensorType": TensorProto.INT64,
            "StringTensorType": TensorProto.STRING,
            "BooleanTensorType": TensorProto.BOOL,
        }
        _cast(scope, container, names[name], output, types[kind])


def _column(scope: Any, container: Any, source: str) -> str:
    """Add the reshaping of a vector to a matrix of one column."""
    shape, column = (scope.get_unique_variable_name(name) for name in ("shape", "column"))
    container.initializers.append(numpy_helper.from_array(np.array([-1, 1], np.int64), shape))
    container.add_node("Reshape", [source, shape], [column], op_version=14, name=column)
    return column


def _outputs(graph: Any) -> list[str]:
    """Return the outputs that skl2onnx expects of an estimator: of a classifier label and scores."""
    names = [output.name for output in graph.output]
    if "label" not in names:
        return names
    return ["label", "probabilities" if "probabilities" in names else "scores"]


def _cast(scope: Any, container: Any, source: str, target: str, kind: int) -> None:
    name = scope.get_unique_operator_name("Cast")
    container.add_node("Cast", [source], [target], op_version=13, name=name, to=kind)
