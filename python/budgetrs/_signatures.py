"""The signatures and docstrings of the native classes; scripts/parameters.py writes their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter, Signature, signature
from typing import Any, Unpack

import numpy as np

from . import _core
from ._parameters import AlgorithmName, ClassifierParameters, RegressorParameters
from ._table import TABLE


class ClassifierSignature:
    """Kernel classifier that learns from a stream in one pass, with at most `budget` support vectors.

    Use it for streams: `learn` learns a batch, `learn_one` a single row, and `predict` works at any time. New
    classes, and new categories of data frame columns, may appear at any time. `fit` makes several passes over
    data in memory. Use `OnlineKernelClassifier` for scikit-learn's interface. Use a linear model if a linear
    model is as accurate, because its cost per row does not depend on a budget.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of `ALGORITHMS`. Keep the default unless you reproduce a paper: it needs no tuning and no scaled
        features. The algorithm sets the other defaults; these are the defaults of "online-kernel".
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    loss : str, default="hinge"
        The loss that training minimises: see the page "Parameters" of the documentation.
    forget : "auto", int or None, default="auto"
        How the model forgets earlier rows: "auto" after a drift, a number n so that about the last n rows
        count, None never.
    class_weight : "balanced", dict or None, default=None
        "balanced" gives all classes the same total weight; a dict has a weight for each label.
    scaling : {"none", "online"}, default="online"
        "online" standardises each feature by its running mean and standard deviation.
    missing : {"error", "mean"}, default="mean"
        What happens to NaN: "mean" replaces it by the running mean of the feature.
    missing_values : float, list of float or None, default=None
        The numbers that mean missing, such as -999; NaN always does.
    kernel : str, default="rational-quadratic"
        The kernel, such as "rbf" or "rational-quadratic".
    gamma : "scale", "auto", "standardized" or float, default="standardized"
        The inverse squared width of the kernel. A larger gamma fits finer structure; multiply or divide it by
        3 to tune it.
    seed : int, default=0
        The seed of all random choices.
    classes : sequence, ndarray or None, default=None
        All labels of the stream, to raise an error for any other label.
    n_jobs : int or None, default=None
        Number of threads of prediction; it changes no result. -1 is all processors.
    feature_space : model or None, default=None
        A trained model whose gamma, scaling, metric and columns the new model shares, so that
        `budgetrs.combine` accepts both.
    others : optional
        maintenance, grad_tol, n_neighbors, may_discard_new, rate, max_size, stream_length, average, alpha,
        project_to_ball, C, C0, C_decay, noise_margin, margin, eta, eta0, max_coef, hash_features,
        metric_learning, linear_weight, degree, coef0, alpha_rq: see the page "Parameters" of the
        documentation.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels: sorted if `classes` was given or the labels are bools, otherwise in order of appearance.
    progressive_error_, recent_error_ : float
        Share of the rows that the model predicted wrongly just before it learned them: of all rows, and of
        about the last 1,000.
    no_change_error_, majority_error_ : float
        The same share for two predictions that need no model: the label of the previous row, and the most
        frequent label so far. A useful model has a smaller progressive error than both.
    n_samples_seen_, n_updates_, n_mistakes_, n_support_vectors_ : int
        Number of rows learned, of rows that changed the model, of rows predicted wrongly just before they
        were learned, and of support vectors.
    n_drifts_, drift_rows_ : int and ndarray of int
        Number of abrupt drifts detected, and the values of `n_samples_seen_` at the last 16 of them.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Importance of each column for the prediction: see `plot_importances`.

    Raises
    ------
    ParameterError
        If a parameter is invalid or does not apply, or two parameters cannot be combined.

    Warns
    -----
    UserWarning
        Each once: if nearly all kernel values are 0 or 1, because gamma is too large or too small; if a text
        column should probably not be categorical; if labels look like numbers or dates; if labels come in
        runs far longer than in random order; if a value repeats far outside the range of its feature.

    See Also
    --------
    Regressor : The same algorithms for numeric targets.
    OnlineKernelClassifier : scikit-learn's interface.
    KeyedModels : One model per key.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. A learned metric
    matrix adds O(features^2).

    Batches of any size give the same model as single rows. Exception: if new features appear during the
    stream, the model of "online-kernel" depends on the batch in which they appear. A call with invalid input
    leaves the model unchanged. After Ctrl-C the model keeps the rows learned so far. Other threads may
    predict while one thread learns.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Classifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (2000, 2)) * [1e3, 1e-3]  # raw rows: features in any units
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "even", "odd")
    >>> model = Classifier(budget=50).learn(X, y)
    >>> model.predict([[500.0, 0.0005], [500.0, -0.0005]]).tolist()
    ['even', 'odd']
    """

    def __init__(
        self,
        algorithm: AlgorithmName = "online-kernel",
        *,
        classes: Sequence[Any] | np.ndarray | None = None,
        n_jobs: int | None = None,
        feature_space: _core.NativeModel | None = None,
        **params: Unpack[ClassifierParameters],
    ) -> None: ...


class RegressorSignature:
    """Kernel regressor that learns from a stream in one pass, with at most `budget` support vectors.

    Use it for streams: `learn` learns a batch, `learn_one` a single row, and `predict` works at any time.
    `fit` makes several passes over data in memory. Use `OnlineKernelRegressor` for scikit-learn's interface.
    Use a linear model if a linear model is as accurate.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of `ALGORITHMS`. Keep the default unless you reproduce a paper: it needs no tuning and no scaled
        features. The algorithm sets the other defaults; these are the defaults of "online-kernel".
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    loss : str, default="epsilon_insensitive"
        The loss that training minimises: see the page "Parameters" of the documentation.
    epsilon : float, default=0.1
        The largest error without loss.
    forget : "auto", int or None, default="auto"
        How the model forgets earlier rows: "auto" after a drift, a number n so that about the last n rows
        count, None never.
    scaling : {"none", "online"}, default="online"
        "online" standardises each feature by its running mean and standard deviation.
    missing : {"error", "mean"}, default="mean"
        What happens to NaN: "mean" replaces it by the running mean of the feature.
    missing_values : float, list of float or None, default=None
        The numbers that mean missing, such as -999; NaN always does.
    kernel : str, default="rational-quadratic"
        The kernel, such as "rbf" or "rational-quadratic".
    gamma : "scale", "auto", "standardized" or float, default="standardized"
        The inverse squared width of the kernel. A larger gamma fits finer structure; multiply or divide it by
        3 to tune it.
    seed : int, default=0
        The seed of all random choices.
    n_jobs : int or None, default=None
        Number of threads of prediction; it changes no result. -1 is all processors.
    feature_space : model or None, default=None
        A trained model whose gamma, scaling, metric and columns the new model shares, so that
        `budgetrs.combine` accepts both.
    others : optional
        maintenance, delta, quantile, n_neighbors, may_discard_new, rate, max_size, stream_length, average,
        alpha, project_to_ball, C, C0, C_decay, hash_features, metric_learning, linear_weight, degree, coef0,
        alpha_rq: see the page "Parameters" of the documentation.

    Attributes
    ----------
    mean_absolute_error_, mean_squared_error_ : float
        Progressive errors: of the predictions made just before each row was learned. They are not the errors
        of `predict` on the training rows.
    recent_error_ : float
        Mean absolute error of about the last 1,000 of these predictions.
    no_change_error_, constant_error_ : float
        The mean squared errors of two predictions that need no model: the target of the previous row, and the
        mean of the targets so far. A useful model has a smaller `mean_squared_error_` than both.
    n_samples_seen_, n_updates_, n_support_vectors_, n_drifts_, drift_rows_, feature_importances_
        As for `Classifier`.

    Raises
    ------
    ParameterError
        If a parameter is invalid or does not apply, two parameters cannot be combined, or the algorithm has
        no loss for regression.

    Warns
    -----
    UserWarning
        Each once: if nearly all kernel values are 0 or 1; if a text column should probably not be
        categorical; if a value repeats far outside the range of its feature; after at least 1,000 rows, if
        the previous target has less than half the root mean squared error of the model and of the mean
        target, as in many time series.

    See Also
    --------
    Classifier : The same algorithms for class labels.
    OnlineKernelRegressor : scikit-learn's interface.
    KeyedModels : One model per key.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. Batches, invalid
    input, Ctrl-C and threads are handled as by `Classifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Regressor
    >>> X = np.random.default_rng(0).uniform(0, 1000, (3000, 2))  # raw rows and targets, in any units
    >>> y = 1e6 * np.sin(X[:, 0] / 200) + 1e3 * X[:, 1]
    >>> model = Regressor(budget=50).learn(X, y)
    >>> bool(np.corrcoef(model.predict(X), y)[0, 1] > 0.95)
    True
    """

    def __init__(
        self,
        algorithm: AlgorithmName = "online-kernel",
        *,
        n_jobs: int | None = None,
        feature_space: _core.NativeModel | None = None,
        **params: Unpack[RegressorParameters],
    ) -> None: ...


def describe(kind: Any, described: type, parameters: Any) -> None:
    """Give a native class the docstring of a class of this module, and a signature with all parameters."""
    kind.__doc__ = described.__doc__
    kind.__signature__ = named(signature(described), kind, parameters)


def named(own: Signature, kind: Any, parameters: Any) -> Signature:
    """Return a signature with the parameters of a native class instead of the last one, `**params`."""
    *last, _ = own.parameters.values()
    first = [last.pop(0) for each in [*last] if each.kind is not Parameter.KEYWORD_ONLY]
    types, defaults = parameters.__annotations__, kind().params
    keywords = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=defaults.get(name, row["default"]),
            annotation=types[name].__forward_arg__,
        )
        for name, row in TABLE.items()
        if name in types
    ]
    return own.replace(parameters=[*first, *keywords, *last])
