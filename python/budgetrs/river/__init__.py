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

import contextlib
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

try:
    from river import base, conf
except ImportError as _error:
    raise ImportError("budgetrs.river needs River: pip install 'budgetrs[river]'") from _error

from .. import _core
from ._columns import Row
from ._frames import pandas_frame
from ._model import Model

if TYPE_CHECKING:
    import pandas as pd

    from .._parameters import ClassifierParameters, RegressorParameters

__all__ = ["Classifier", "Regressor"]


class Classifier(Model, base.MiniBatchClassifier):
    """Kernel classifier for River, with at most `budget` support vectors.

    It is `budgetrs.Classifier` with rows as dicts. The default algorithm needs no tuning and no scaled
    features, and follows drift. Encode strings with `river.preprocessing.OneHotEncoder` first.

    Features are matched by name. A feature that a row lacks is 0, as in River's linear models. None or NaN is
    a missing value and is replaced by the running mean of the feature (``missing="mean"``, the default of
    "online-kernel"). New features may appear at any time and count as 0 in earlier rows; with
    ``gamma="auto"`` new features raise an error.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of `budgetrs.ALGORITHMS`. Algorithms other than "online-kernel" scale features only with
        ``scaling="online"``.
    **params
        Parameters of `budgetrs.Classifier`, such as `budget` and `seed`.

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
    not grow with the features. Computation is in float64.

    Examples
    --------
    >>> from river import compose, datasets, evaluate, metrics, preprocessing
    >>> from budgetrs.river import Classifier
    >>> model = compose.Pipeline(preprocessing.StandardScaler(), Classifier("pa-merge", budget=50, gamma=0.3))
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy()).get() > 0.85
    True
    """

    def __init__(self, algorithm: str = "online-kernel", **params: Unpack[ClassifierParameters]) -> None:
        self.algorithm: str = algorithm
        self.params: ClassifierParameters = params
        self._begin(_core.Classifier(algorithm, **params))
        self._labels: list[base.typing.ClfTarget] = []

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Row, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Learn a row and its label, which may be a new class.

        Parameters
        ----------
        x : dict
            Numbers by feature name; None, NaN or NA if missing. A row without features is all zeros, and
            is skipped while no feature is known.
        y : bool, str or int
            The label; all labels have one type.
        w : float, default=1.0
            Weight of the row, from 0 to 1e9. A row of weight 0 is skipped.

        Raises
        ------
        TypeError, ParameterError
            If a value is not a number, or the label has another type. The model stays unchanged.
        """
        self._learn_one(x, y, w)

    def predict_one(self, x: Row, **kwargs: Any) -> base.typing.ClfTarget | None:  # noqa: ARG002
        """Predict the label of a row; None before the first row.

        Parameters
        ----------
        x : dict
            As in `learn_one`. Unknown features are ignored.

        Returns
        -------
        bool, str, int or None
            The label.
        """
        return self._predict_one(x) if self._has_learned else None

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
        if not self._has_learned:
            return {}
        p = self._native.predict_proba(self._row(x)[None])
        return dict(zip(self._labels_of(p), p[0].tolist(), strict=True))

    def predict_set_one(self, x: Row, coverage: float = 0.9) -> set[base.typing.ClfTarget]:
        """Predict a set of labels for a row; empty before the first row.

        In the long run at least a share `coverage` of the labels of a stream lies in the sets predicted just
        before each row is learned, even after drift.

        Parameters
        ----------
        x : dict
            As in `predict_one`.
        coverage : float, default=0.9
            The share of the labels, from 0.5 to 0.99.

        Returns
        -------
        set
            Labels, including the predicted label.

        Raises
        ------
        ValueError
            If the coverage is out of range, or with an algorithm other than "online-kernel".
        """
        if not self._has_learned:
            with contextlib.suppress(AttributeError):  # the coverage is checked before the model
                self._native.predict_set(np.empty((0, 1)), coverage)
            return set()
        members = self._native.predict_set(self._row(x)[None], coverage)
        return {label for label, member in zip(self._labels_of(members), members[0], strict=True) if member}

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a frame one after the other.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            Numbers, NaN for a missing value. A feature without a column is 0. Frames of polars and pyarrow
            are accepted too.
        y : Series of shape (n,)
            The labels of the rows.

        Raises
        ------
        ValueError
            If a number or a label is invalid. Nothing is learned.
        """
        self._learn_many(X, y)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the labels of the rows of a frame; None before the first row.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            As in `learn_many`.

        Returns
        -------
        Series of shape (n,)
            The labels, with the index of X.
        """
        import pandas as pd

        X = pandas_frame(X)
        if not self._has_learned:
            return pd.Series([None] * len(X), index=X.index, dtype=object)
        return pd.Series(self._native.predict(self._columns.rows(X)), index=X.index)

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
        X = pandas_frame(X)
        if not self._has_learned:
            return pd.DataFrame(index=X.index)
        p = self._native.predict_proba(self._columns.rows(X))
        return pd.DataFrame(p, columns=self._labels_of(p), index=X.index)

    def _reject_without_probabilities(self) -> None:
        """Raise what River expects of a classifier without probabilities."""
        if not self._native.has_probabilities:
            raise NotImplementedError(
                f'{self.algorithm} has no probabilities: use "online-kernel", or "bsgd-merge" with '
                'loss="log_loss"'
            )

    def _labels_of(self, p: np.ndarray) -> list[base.typing.ClfTarget]:
        """Return the labels of the columns of p: where there are more than before, ask for them."""
        if len(self._labels) != p.shape[1]:
            self._labels = self._native.classes_.tolist()
        return self._labels


class Regressor(Model, base.MiniBatchRegressor):
    """Kernel regressor for River, with at most `budget` support vectors.

    It is `budgetrs.Regressor` with rows as dicts. Rows and features are handled as by `Classifier`.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of the `budgetrs.ALGORITHMS` for regression.
    **params
        Parameters of `budgetrs.Regressor`, such as `budget` and `seed`.

    Raises
    ------
    ParameterError
        If a parameter is invalid or does not apply.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from budgetrs.river import Regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval(), Regressor(), metrics.MAE()).get() < 0.5
    True
    """

    def __init__(self, algorithm: str = "online-kernel", **params: Unpack[RegressorParameters]) -> None:
        self.algorithm: str = algorithm
        self.params: RegressorParameters = params
        self._begin(_core.Regressor(algorithm, **params))

    def learn_one(self, x: Row, y: base.typing.RegTarget, w: float = 1.0) -> None:
        """Learn a row and its target.

        Parameters
        ----------
        x : dict
            Numbers by feature name; None, NaN or NA if missing. A row without features is all zeros, and
            is skipped while no feature is known.
        y : float
            The target, from -1e15 to 1e15.
        w : float, default=1.0
            Weight of the row, from 0 to 1e9. A row of weight 0 is skipped.

        Raises
        ------
        TypeError, ParameterError
            If a value is not a number. The model stays unchanged.
        """
        self._learn_one(x, y, w)

    def predict_one(
        self,
        x: Row,
        with_interval: bool = False,
        coverage: float = 0.9,
        **kwargs: Any,  # noqa: ARG002
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
            return self.predict_interval_one(x, coverage)
        return self._predict_one(x) if self._has_learned else 0.0

    def predict_interval_one(self, x: Row, coverage: float = 0.9) -> conf.Interval:
        """Predict an interval for the target of a row; from 0 to 0 before the first row.

        In the long run a share `coverage` of the targets of a stream lies in the intervals predicted just
        before each row is learned, even after drift.

        Parameters
        ----------
        x : dict
            As in `predict_one`.
        coverage : float, default=0.9
            The share of the targets, from 0.5 to 0.99.

        Returns
        -------
        river.conf.Interval
            The interval, with the attributes `lower` and `upper`.

        Raises
        ------
        ValueError
            If the coverage is out of range, or with an algorithm other than "online-kernel".
        """
        if not self._has_learned:
            with contextlib.suppress(AttributeError):  # the coverage is checked before the model
                self._native.predict_interval(np.empty((0, 1)), coverage)
            return conf.Interval(0.0, 0.0)
        lower, upper = self._native.predict_interval(self._row(x)[None], coverage)[0].tolist()
        return conf.Interval(lower, upper)

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a frame one after the other.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            Numbers, NaN for a missing value. A feature without a column is 0. Frames of polars and pyarrow
            are accepted too.
        y : Series of shape (n,)
            The targets of the rows.

        Raises
        ------
        ValueError
            If a number is invalid. Nothing is learned.
        """
        self._learn_many(X, y)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the targets of the rows of a frame; 0 before the first row.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            As in `learn_many`.

        Returns
        -------
        Series of shape (n,)
            The predictions, with the index of X.
        """
        import pandas as pd

        X = pandas_frame(X)
        rows = self._native.predict(self._columns.rows(X)) if self._has_learned else np.zeros(len(X))
        return pd.Series(rows, index=X.index)
