"""The check that a graph can be used: the types of its nodes and, where onnxruntime is installed, a run."""

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper

_ROWS = 2


def check(made: ModelProto) -> None:
    """Raise an error if a graph is invalid or onnxruntime, if installed, cannot run it on two rows.

    Graphs of 2 GiB or more cannot be serialised in one piece, and are not checked.
    """
    if made.ByteSize() >= onnx.checker.MAXIMUM_PROTOBUF:
        return
    onnx.checker.check_model(made, full_check=True)
    try:
        import onnxruntime
    except ImportError:
        return
    options = onnxruntime.SessionOptions()
    # The caller gets errors as exceptions. Two rows need no pool of threads.
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    session.run(None, {value.name: _rows(value) for value in made.graph.input})


def _rows(value: onnx.ValueInfoProto) -> np.ndarray:
    """Return rows of zeros or empty strings for an input."""
    tensor = value.type.tensor_type
    shape = (_ROWS, *(dim.dim_value for dim in tensor.shape.dim[1:]))
    if tensor.elem_type == TensorProto.STRING:
        return np.full(shape, "", dtype=object)
    return np.zeros(shape, helper.tensor_dtype_to_np_dtype(tensor.elem_type))
