"""The kernels as operators, one function per kernel: the values of rows `z` with all support vectors."""

from collections.abc import Callable

import numpy as np
from onnx import helper

from .._modelfile import Model
from ._graph import LAST, Graph

# The largest gamma |s - mean|^2 of a support vector s for which distances are |z|^2 + |s|^2 - 2 z.s. The
# cancellation error of scores grows with it: measured, about 2e-5 of the largest score at the limit of
# float32, and 1e-6 at the limit of float64.
_FARTHEST = {"float32": 64.0, "float64": 1e9}

# The s^2 beyond which the Matern kernels are zero in both types.
_FAR = 1e7


def kernel_values(graph: Graph, model: Model, z: str) -> str:
    """Add the kernel of the model: (n, m) for rows of shape (n, d)."""
    return _KERNELS[model.kernel](graph, model, z)


def _rbf(graph: Graph, model: Model, z: str) -> str:
    return graph.op("Exp", graph.op("Mul", _squared_distances(graph, model, z), -model.gamma))


def _laplacian(graph: Graph, model: Model, z: str) -> str:
    return graph.op("Exp", graph.op("Mul", _differences(graph, model.vectors, z, "Abs"), -model.gamma))


def _rational_quadratic(graph: Graph, model: Model, z: str) -> str:
    alpha = model.params["alpha_rq"]
    distances = graph.op("Mul", _squared_distances(graph, model, z), model.gamma / alpha)
    if alpha == 2.0:
        root = graph.op("Reciprocal", graph.op("Add", distances, 1.0))
        return graph.op("Mul", root, root)
    # Infinity would give NaN.
    distances = graph.op("Min", distances, float(np.finfo(graph.dtype).max) / 4)
    base = graph.op("Add", distances, 1.0)
    # log(1 + e) is log u + (e - (u - 1)) / u of the rounded sum u; a large alpha would multiply the rounding.
    lost = graph.op("Sub", distances, graph.op("Sub", base, 1.0))
    logarithm = graph.op("Add", graph.op("Log", base), graph.op("Div", lost, base))
    return graph.op("Exp", graph.op("Mul", logarithm, -alpha))


def _matern32(graph: Graph, model: Model, z: str) -> str:
    _, s = _lengths(graph, model, z, 6.0)
    return graph.op("Mul", graph.op("Add", s, 1.0), graph.op("Exp", graph.op("Neg", s)))


def _matern52(graph: Graph, model: Model, z: str) -> str:
    square, s = _lengths(graph, model, z, 10.0)
    polynomial = graph.op("Add", graph.op("Add", s, 1.0), graph.op("Mul", square, 1.0 / 3.0))
    return graph.op("Mul", polynomial, graph.op("Exp", graph.op("Neg", s)))


def _lengths(graph: Graph, model: Model, z: str, factor: float) -> tuple[str, str]:
    """Return ``s^2 = factor gamma |z - s|^2`` and s."""
    square = graph.op("Mul", _squared_distances(graph, model, z), factor * model.gamma)
    square = graph.op("Min", square, _FAR)
    return square, graph.op("Sqrt", square)


def _linear(graph: Graph, model: Model, z: str) -> str:
    return graph.op("MatMul", z, model.vectors.T)


def _polynomial(graph: Graph, model: Model, z: str) -> str:
    return graph.op("Pow", _affine(graph, model, z), model.params["degree"])


def _sigmoid(graph: Graph, model: Model, z: str) -> str:
    return graph.op("Tanh", _affine(graph, model, z))


def _affine(graph: Graph, model: Model, z: str) -> str:
    """Return ``gamma z.s + coef0``."""
    return graph.op(
        "Add", graph.op("Mul", _linear(graph, model, z), model.gamma), float(model.params["coef0"])
    )


def _cosine(graph: Graph, model: Model, z: str) -> str:
    vectors = model.vectors.astype(np.float64)
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    directions = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    length = graph.op("Sqrt", graph.sum(graph.op("Mul", z, z), vectors.shape[1]))
    # The kernel of a zero row is zero.
    divisor = graph.op("Where", graph.op("Greater", length, 0.0), length, 1.0)
    return graph.op("MatMul", graph.op("Div", z, divisor), directions.T)


_KERNELS: dict[str, Callable[[Graph, Model, str], str]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "rational-quadratic": _rational_quadratic,
    "matern32": _matern32,
    "matern52": _matern52,
    "linear": _linear,
    "poly": _polynomial,
    "sigmoid": _sigmoid,
    "cosine": _cosine,
}


def _squared_distances(graph: Graph, model: Model, z: str) -> str:
    """Return ``|z - s|^2``, from the rows relative to the mean of the support vectors."""
    vectors = model.vectors.astype(np.float64)
    centre = vectors.mean(axis=0).astype(model.dtype)
    vectors = vectors - centre
    norms = (vectors**2).sum(axis=1)
    if not model.gamma * norms.max() <= _FARTHEST[model.dtype.name]:
        return _differences(graph, model.vectors, z, "Mul")
    z = graph.op("Sub", z, centre)
    own = graph.sum(graph.op("Mul", z, z), vectors.shape[1])
    products = graph.op("MatMul", z, -2.0 * vectors.T)
    return graph.op("Max", graph.op("Add", graph.op("Add", products, own), norms), 0.0)


def _differences(graph: Graph, vectors: np.ndarray, z: str, kind: str) -> str:
    """Return the sums of the differences, absolute ("Abs") or squared ("Mul"): a loop over the features.

    The differences of all features together would take n m d numbers.
    """
    body = Graph(graph.dtype, f"{graph.prefix}loop_")
    sums, feature, entries, more = (f"{body.prefix}{name}" for name in ("sums", "feature", "entries", "more"))
    column = body.op("Unsqueeze", feature, LAST)
    difference = body.op("Sub", column, entries)
    term = body.op(kind, *[difference] * (2 if kind == "Mul" else 1))
    body.op("Add", sums, term, output=more)
    loop = helper.make_graph(
        body.nodes,
        "one_feature",
        [
            helper.make_tensor_value_info(sums, graph.element, ["n", "m"]),
            helper.make_tensor_value_info(feature, graph.element, ["n"]),
            helper.make_tensor_value_info(entries, graph.element, ["m"]),
        ],
        [helper.make_tensor_value_info(more, graph.element, ["n", "m"])],
        body.constants,
    )
    rows = graph.op("Shape", z, start=0, end=1)
    shape = graph.op("Concat", rows, np.array([len(vectors)], dtype=np.int64), axis=0)
    zeros = graph.op("Expand", np.zeros((1, 1)), shape)
    return graph.op("Scan", zeros, z, vectors, body=loop, num_scan_inputs=2, scan_input_axes=[1, 1])
