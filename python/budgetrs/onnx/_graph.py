"""A graph under construction: operators are added by name, numbers become constants."""

from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper


class Graph:
    """Nodes and constants of an ONNX graph; every operator returns the name of its output.

    An argument of an operator is the name of an output, or a number or array, which becomes a constant.
    Floats, arrays of floats and Python's integers become constants of the graph's dtype; other arrays keep
    their dtype. All names except inputs and outputs start with `prefix`, so that they differ from the names
    of inputs and of an enclosing graph.
    """

    def __init__(self, dtype: Any, prefix: str = "") -> None:
        self.dtype = np.dtype(dtype)
        self.prefix = prefix
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def at(self, dtype: Any) -> "Graph":
        """Return the graph with another dtype for further constants."""
        other = Graph(dtype, self.prefix)
        other.nodes, other.constants = self.nodes, self.constants
        return other

    @property
    def element(self) -> int:
        """The element type of `dtype`."""
        return helper.np_dtype_to_tensor_dtype(self.dtype)

    @property
    def rows(self) -> str:
        """The name of the rows."""
        return f"{self.prefix}X"

    def constant(self, value: Any) -> str:
        """Add a constant."""
        array = np.asarray(value)
        if array.dtype.kind == "f" or isinstance(value, int):
            array = array.astype(self.dtype)
        name = f"{self.prefix}constant_{len(self.constants)}"
        self.constants.append(_tensor(array, name))
        return name

    def op(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """Add an operator; optional inputs that are left out are empty strings."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        name = output or f"{self.prefix}{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, names, [name], name=f"make_{name}", **attributes))
        return name

    def sum(self, x: str, width: int) -> str:
        """Sum the columns of (n, width) into (n, 1); ReduceSum of no rows fails in onnxruntime up to 1.23."""
        return self.op("MatMul", x, np.ones((width, 1)))

    def cast(self, x: str, dtype: Any) -> str:
        """Convert to another dtype."""
        return self.op("Cast", x, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


LAST = np.array([-1], dtype=np.int64)


def _tensor(array: np.ndarray, name: str) -> TensorProto:
    if array.dtype.kind == "U":
        array = array.astype(object)
    return numpy_helper.from_array(np.array(array, order="C"), name)
