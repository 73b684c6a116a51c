"""River models: rows are dicts, and new features and classes may appear at any time.

The models need River (``pip install 'budgetrs[river]'``) and work in River's pipelines, `evaluate`,
`model_selection` and `imblearn`.

Examples
--------
>>> from river import datasets, evaluate, metrics
>>> from budgetrs.river import Classifier
>>> model = Classifier(budget=100)
>>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy()).get() > 0.88
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

try:
    from river import base, conf
except ImportError as _error:
    raise ImportError("budgetrs.river needs River: pip install 'budgetrs[river]'") from _error

from .. import _core
from .._call_errors import unqualified
from .._frames import frame_of_row
from .._parameters import AlgorithmName, ClassifierParameters, RegressorParameters
from ._model import Model, Row, one_coverage, with_parameters

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Classifier", "Regressor"]


@unqualified
@with_parameters
class Classifier(Model, base.MiniBatchClassifier):
    """Kernel classifier for River, with at most `budget` support vectors.

    It is `budgetrs.Classifier` with rows as dicts. The default algorithm needs no tuning and no scaled
    features, and follows drift.

    Features are matched by name. A feature that a row lacks is 0, as in River's linear models. None or NaN is
    a missing value and is replaced by the running mean of the feature (``missing="mean"``, the default of
    "online-kernel"). A string is a category. New features and categories may appear at any time and count as
    0 in earlier rows; with ``gamma="auto"`` they raise an error. Names that are not strings are passed to the
    native model as text, and features whose names have equal text, such as 1 and "1", raise an error.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of `ALGORITHMS`. Keep the default unless you reproduce a paper: it needs no tuning and no scaled
        features. The algorithm sets the other defaults; these are the defaults of "online-kernel".
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    classes : sequence, ndarray or None, default=None
        All labels of the stream, to raise an error for any other label.
    n_jobs : int or None, default=None
        Number of threads of prediction; it changes no result. -1 is all processors.
    feature_space : model or None, default=None
        A trained model whose gamma, scaling, metric and columns the new model shares, so that
        `budgetrs.combine` accepts both.
    others : optional
        maintenance, loss, grad_tol, n_neighbors, may_discard_new, rate, max_size, stream_length, average,
        alpha, project_to_ball, C, C0, C_decay, noise_margin, forget, margin, eta, eta0, max_coef,
        class_weight, hash_features, scaling, missing, missing_values, metric_learning, linear_weight, kernel,
        gamma, degree, coef0, alpha_rq, seed: see the page "Parameters" of the documentation.

    Raises
    ------
    ParameterError
        If a parameter is invalid or does not apply.

    See Also
    --------
    Regressor : Kernel regressor, for numeric targets.
    budgetrs.Classifier : The same model for arrays and data frames.

    Notes
    -----
    A row costs O(budget x features) time for all features seen so far. With `hash_features` the memory does
    not grow with the features, except for their names.

    """

    _kind = _core.Classifier
    _types = ClassifierParameters
    _untrained = None

    def __init__(
        self,
        algorithm: AlgorithmName = "online-kernel",
        *,
        classes: Sequence[Any] | None = None,
        n_jobs: int | None = None,
        feature_space: _core.NativeModel | None = None,
        **params: Unpack[ClassifierParameters],
    ) -> None:
        self._begin(algorithm, n_jobs, {"classes": classes, "feature_space": feature_space}, {**params})

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_proba_one(self, x: Row, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:  # noqa: ARG002
        """Compute the probability of each label for a row; empty before the first row.

        Parameters
        ----------
        x : dict
            As in `predict_one`.

        Returns
        -------
        dict
            Probabilities of the labels seen so far, which sum to 1.

        Raises
        ------
        NotImplementedError
            If the algorithm has no probabilities.
        """
        self._reject_without_probabilities()
        return self._ask(self._native.predict_proba_one, self._row(x), before={})

    def predict_set_one(self, x: Row, *, coverage: float = 0.9) -> set[base.typing.ClfTarget]:
        """Predict a set of labels for a row; empty before the first row.

        In the long run at least a share `coverage` of the labels of a stream lies in the sets predicted just
        before each row is learned, even after drift.

        Parameters
        ----------
        x : dict
            As in `predict_one`.
        coverage : float, default=0.9
            The share of the labels, from 0.01 to 0.999. Algorithms other than "online-kernel" raise an
            error.

        Returns
        -------
        set
            Labels, including the predicted label.
        """
        row = frame_of_row(self._row(x))
        (members,) = self._ask(self._native.predict_set, row, coverage=one_coverage(coverage), before=[()])
        return {label for label, member in zip(self._labels, members, strict=False) if member}

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Compute the probability of each label for the rows of a frame.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            As in `learn_many`.

        Returns
        -------
        DataFrame of shape (n, n_classes)
            One column per label; no columns before the first row.

        Raises
        ------
        NotImplementedError
            If the algorithm has no probabilities.
        """
        import pandas as pd

        self._reject_without_probabilities()
        frame = self._frame(X)
        p = self._ask(self._native.predict_proba, frame, before=np.empty((len(frame), 0)))
        return pd.DataFrame(p, columns=self._labels[: p.shape[1]], index=getattr(X, "index", None))

    @property
    def _labels(self) -> list[Any]:
        return getattr(self._native, "classes_", np.empty(0)).tolist()

    def _reject_without_probabilities(self) -> None:
        """Raise what River expects of a classifier without probabilities."""
        if not self._native.has_probabilities:
            try:
                self._native.predict_proba([])
            except ValueError as error:
                raise NotImplementedError(str(error)) from None


@unqualified
@with_parameters
class Regressor(Model, base.MiniBatchRegressor):
    """Kernel regressor for River, with at most `budget` support vectors.

    It is `budgetrs.Regressor` with rows as dicts. Rows and features are handled as by `Classifier`.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of `ALGORITHMS`. Keep the default unless you reproduce a paper: it needs no tuning and no scaled
        features. The algorithm sets the other defaults; these are the defaults of "online-kernel".
    budget : int or None, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    n_jobs : int or None, default=None
        Number of threads of prediction; it changes no result. -1 is all processors.
    feature_space : model or None, default=None
        A trained model whose gamma, scaling, metric and columns the new model shares, so that
        `budgetrs.combine` accepts both.
    others : optional
        maintenance, loss, epsilon, delta, quantile, n_neighbors, may_discard_new, rate, max_size,
        stream_length, average, alpha, project_to_ball, C, C0, C_decay, forget, hash_features, scaling,
        missing, missing_values, metric_learning, linear_weight, kernel, gamma, degree, coef0, alpha_rq, seed:
        see the page "Parameters" of the documentation.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from budgetrs.river import Regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), Regressor(), metrics.MAE()).get() < 0.5
    True
    """

    _kind = _core.Regressor
    _types = RegressorParameters
    _untrained = 0.0

    def __init__(
        self,
        algorithm: AlgorithmName = "online-kernel",
        *,
        n_jobs: int | None = None,
        feature_space: _core.NativeModel | None = None,
        **params: Unpack[RegressorParameters],
    ) -> None:
        self._begin(algorithm, n_jobs, {"feature_space": feature_space}, {**params})

    def predict_one(
        self, x: Row, with_interval: bool = False, *, coverage: float = 0.9, **kwargs: Any
    ) -> Any:
        """Predict the target of a row; 0 before the first row.

        Parameters
        ----------
        x : dict
            As in `learn_one`. Unknown features are ignored.
        with_interval : bool, default=False
            Whether to return a prediction interval instead, as River's conformal predictions do.
        coverage : float, default=0.9
            As in `predict_interval_one`.

        Returns
        -------
        float or river.conf.Interval
            The prediction, or the interval.
        """
        if with_interval:
            return self.predict_interval_one(x, coverage=coverage)
        return super().predict_one(x, **kwargs)

    def predict_interval_one(self, x: Row, *, coverage: float = 0.9) -> conf.Interval:
        """Predict an interval for the target of a row; from 0 to 0 before the first row.

        In the long run a share `coverage` of the targets of a stream lies in the intervals predicted just
        before each row is learned, even after drift.

        Parameters
        ----------
        x : dict
            As in `predict_one`.
        coverage : float, default=0.9
            The share of the targets, from 0.01 to 0.999. Algorithms other than "online-kernel" raise an
            error.

        Returns
        -------
        river.conf.Interval
            The interval, with the attributes `lower` and `upper`.
        """
        row = frame_of_row(self._row(x))
        predict, coverage = self._native.predict_interval, one_coverage(coverage)
        ((lower, upper),) = self._ask(predict, row, coverage=coverage, before=[(0.0, 0.0)])
        return conf.Interval(float(lower), float(upper))
