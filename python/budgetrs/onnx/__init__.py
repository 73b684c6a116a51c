"""Models as ONNX graphs. Only `to_onnx` needs the package onnx."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["register_skl2onnx", "to_onnx"]


def to_onnx(model: Any) -> "ModelProto":
    """Convert a model to ONNX, so that it predicts without budgetrs.

    Use it to predict in other languages. The graph has scaling, missing values, metric, kernel, linear term
    and probabilities, as operators of the domain ``ai.onnx`` (opset 17). Convert the model again after
    further training. Models with `hash_features` cannot be converted.

    Parameters
    ----------
    model : Classifier, Regressor, estimator or sklearn.pipeline.Pipeline
        A trained model; or a pipeline of rows of numbers whose last step is one of the estimators, converted
        by skl2onnx.

    Returns
    -------
    onnx.ModelProto
        A graph with the input ``X`` of shape (n, n_features_encoded_), in the float type of the model. A
        regressor has the output ``predictions`` of shape (n,). A classifier has ``label`` of shape (n,), as
        int64, string, bool or double; ``scores`` of the shape that `decision_function` returns; and, if the
        model has `predict_proba`, ``probabilities`` of shape (n, n_classes). The metadata have the algorithm
        and, for a classifier, the classes in order as JSON.

        A model with categorical columns has one input of shape (n, 1) per column instead, with the name of
        the column: numbers in the float type of the model, or strings. Unknown categories are encoded as
        zeros. The empty string is a missing value if the model accepts missing values and has not learned the
        empty string as a category.

        A pipeline has the outputs ``label``, in the type of the labels, and ``probabilities`` of shape (n,
        n_classes), which are scores if the classifier has no probabilities; or ``variable`` of shape (n, 1).

    Raises
    ------
    ImportError
        If onnx is missing, or skl2onnx for a pipeline.
    TypeError
        If `model` is not a model of budgetrs, or the last step of the pipeline is none.
    ValueError
        If the model has not learned any rows, has `hash_features`, or has a column whose name is empty or the
        name of an output; or if a step of the pipeline cannot be converted, takes other inputs than rows of
        numbers, or is not in onnxruntime in the float type of the model.
    RuntimeError
        If the graph of a model is invalid or does not run in the installed onnxruntime.

    Notes
    -----
    The types of the graph are checked and, where onnxruntime is installed, the graph predicts two rows. This
    takes about 10 ms, and less time than the conversion for models of 1 MB or more.

    Scores differ from the scores of the model by rounding, because sums are computed in another order. Rows
    are dense. The graph does not raise for invalid rows: predictions are undefined for infinity, and for NaN
    if the model does not accept missing values.

    The graph computes in the float type of the model. Exception: the probabilities of "online-kernel"
    are computed in float64, as in the model. The slower operator Scan is used for the Laplacian
    kernel, and for rows whose distances would lose precision in a matrix product, by cancellation.

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
    if hasattr(model, "steps"):
        from ._pipeline import convert_pipeline

        return convert_pipeline(model)
    from ._check import check
    from ._convert import convert, convertible

    made = convert(convertible(model))
    try:
        check(made)
    except Exception as error:
        raise RuntimeError(
            f"the graph of the model must be valid and run, but onnx or onnxruntime raised {error!r}: "
            "upgrade both packages, and report the error if it persists"
        ) from error
    return made


def register_skl2onnx() -> None:
    """Register converters of the estimators with skl2onnx, which then converts pipelines with them.

    `to_onnx` of a pipeline calls it. Call it before `skl2onnx.to_onnx` or `skl2onnx.convert_sklearn`, for
    pipelines with named columns or other types of input. Check that the graph loads: onnxruntime has some
    steps only in float32.

    Raises
    ------
    ImportError
        If skl2onnx is missing.
    """
    from ._pipeline import register

    register()
