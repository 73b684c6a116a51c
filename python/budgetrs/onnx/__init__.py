"""Models as ONNX graphs. Only `to_onnx` needs the package onnx."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnx import ModelProto


def to_onnx(model: Any) -> "ModelProto":
    """Convert a model to ONNX, so that it predicts without budgetrs.

    Scaling, missing values, the metric, the kernel, the linear part and the probabilities are all in the
    graph, as operators of the domain ``ai.onnx`` (opset 17). It predicts as the model does now; a model that
    learns on must be converted again.

    Parameters
    ----------
    model : Classifier, Regressor or estimator
        A model that has learned.

    Returns
    -------
    onnx.ModelProto
        A graph with the input ``X``, of shape (n, n_features_in_) in the model's dtype; of a model that has
        learned words, with an input of shape (n, 1) for each column instead, under its name (with "_"
        behind it where an output has that name): numbers in the model's dtype, or strings; one that is not
        known counts as no word, and the empty string is a missing word where the model takes missing values
        and has not learned it as a word. A regressor has the output ``predictions`` of shape (n,). A
        classifier has ``label`` of shape (n,), in the type of the labels: int64, string, bool or double;
        ``scores`` of the shape that `decision_function` returns; and, if the model has `predict_proba`,
        ``probabilities`` of shape (n, n_classes). The metadata hold the algorithm and, of a classifier, the
        classes in order as JSON.

    Raises
    ------
    ImportError
        If onnx is missing.
    TypeError
        If `model` is no model of budgetrs.
    ValueError
        If it has not learned anything yet, or has `hash_features`: its rows may have any number of columns.

    Notes
    -----
    Scores differ from those of the model by rounding, because sums are in another order. Rows are dense. The
    graph takes rows that the model refuses: its predictions for infinity mean nothing, nor do those for NaN
    where the model takes no missing values.

    The graph computes in the model's dtype; only the probabilities of the online kernel machine are computed
    in float64, as the model does. The Laplacian kernel, and distances of rows so far apart that the product
    of matrices would cancel most digits, take one step per feature (the operator Scan) and are slower.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Classifier, to_onnx
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    >>> model = Classifier(budget=50).learn(X, X[:, 0] * X[:, 1] > 0)
    >>> graph = to_onnx(model)
    >>> [output.name for output in graph.graph.output]
    ['label', 'scores', 'probabilities']
    >>> import onnxruntime
    >>> session = onnxruntime.InferenceSession(graph.SerializeToString())
    >>> session.run(["label"], {"X": np.array([[0.5, 0.5], [0.5, -0.5]])})[0].tolist()
    [True, False]
    """
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise ImportError("a model in ONNX needs onnx: pip install 'budgetrs[onnx]'") from error
    from .._modelfile import read
    from ._convert import convert

    found = read(model)
    if (folded := found.params["hash_features"]) is not None:
        raise ValueError(
            "model must have hash_features=None, because a graph has no hash for rows of any number of "
            f"columns, got hash_features={folded}"
        )
    return convert(found)
