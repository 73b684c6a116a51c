"""Pipelines of scikit-learn in ONNX, by skl2onnx, with a converter for the estimators of budgetrs."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper

from ._convert import convert, convertible


def register() -> None:
    """Register the converter of every estimator of budgetrs."""
    skl2onnx = _skl2onnx()
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes

    from .. import estimators

    for name in estimators.__all__:
        kind = getattr(estimators, name)
        if not isinstance(kind, type):
            continue
        is_classifier = hasattr(kind, "classes_") or name.endswith("Classifier")
        shapes = calculate_linear_classifier_output_shapes if is_classifier else _regression_shapes
        options = {"zipmap": [True, False, "columns"], "nocl": [True, False]} if is_classifier else {}
        skl2onnx.update_registered_converter(
            kind, f"Budgetrs{name}", shapes, _convert, overwrite=True, options=options
        )


def convert_pipeline(pipeline: Any) -> ModelProto:
    """Convert a pipeline of rows of numbers, in the float type of its last step."""
    register()
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    last = pipeline.steps[-1][1]
    tensor = FloatTensorType if last._model.dtype == np.float32 else DoubleTensorType
    types = [("X", tensor([None, pipeline.n_features_in_]))]
    options = {id(last): {"zipmap": False}} if hasattr(last, "classes_") else None
    made = convert_sklearn(pipeline, initial_types=types, options=options, target_opset=17)
    return cast("ModelProto", made)


def _skl2onnx() -> Any:
    try:
        import skl2onnx
    except ImportError as error:
        raise ImportError("a pipeline in ONNX needs skl2onnx: pip install skl2onnx") from error
    return skl2onnx


def _regression_shapes(operator: Any) -> None:
    """Set the type of the predictions to the type of the rows."""
    rows = operator.inputs[0].type
    operator.outputs[0].type = type(rows)([rows.shape[0], 1])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the graph of an estimator to a graph of skl2onnx, with new names."""
    made = convert(convertible(operator.raw_operator))
    graph = made.graph
    if len(graph.input) != 1:
        raise ValueError(
            "a pipeline in ONNX needs an estimator without categorical columns: encode them before it"
        )
    names = {name: operator.outputs[i].full_name for i, name in enumerate(_outputs(graph)) if name}
    names |= {"": ""}

    def renamed(name: str) -> str:
        if name not in names:
            names[name] = scope.get_unique_variable_name(name)
        return names[name]

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
    for node in graph.node:
        node = type(node).FromString(node.SerializeToString())
        node.name = scope.get_unique_operator_name(node.op_type)
        node.input[:] = [renamed(name) for name in node.input]
        node.output[:] = [renamed(name) for name in node.output]
        container.nodes.append(node)
    for opset in made.opset_import:
        container.node_domain_version_pair_sets.add((opset.domain, opset.version))
    for variable, (name, output) in zip(operator.outputs, finished.items(), strict=False):
        if name == "predictions":
            shape = scope.get_unique_variable_name("shape")
            container.initializers.append(numpy_helper.from_array(np.array([-1, 1], np.int64), shape))
            column = scope.get_unique_variable_name("column")
            container.add_node("Reshape", [names[name], shape], [column], op_version=14, name=column)
            names[name] = column
        kind = type(variable.type).__name__
        types = {
            "FloatTensorType": TensorProto.FLOAT,
            "DoubleTensorType": TensorProto.DOUBLE,
            "Int64TensorType": TensorProto.INT64,
            "StringTensorType": TensorProto.STRING,
        }
        _cast(scope, container, names[name], output, types[kind])


def _outputs(graph: Any) -> list[str]:
    """Return the outputs that skl2onnx expects of an estimator: of a classifier label and scores."""
    names = [output.name for output in graph.output]
    if "label" not in names:
        return names
    return ["label", "probabilities" if "probabilities" in names else "scores"]


def _cast(scope: Any, container: Any, source: str, target: str, kind: int) -> None:
    name = scope.get_unique_operator_name("Cast")
    container.add_node("Cast", [source], [target], op_version=13, name=name, to=kind)
