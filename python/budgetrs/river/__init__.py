"""The native models as River models: rows are dicts, features have names, classes come as they come.

They need River (``pip install 'budgetrs[river]'``) and go into its pipelines, `evaluate`, `model_selection`
and `imblearn`.

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
from ._columns import Columns, Row
from ._frames import pandas_frame
from ._model import Model

if TYPE_CHECKING:
    import pandas as pd

    from .._parameters import ClassifierParameters, RegressorParameters

__all__ = ["Classifier", "Regressor"]


class Classifier(Model, base.MiniBatchClassifier):
    """A kernel classifier with at most `budget` support vectors, for River.

    By default it needs no tuning and takes raw rows: it scales them by what it has seen, learns the metric of
    its kernel, and follows a stream that changes. It is `budgetrs.Classifier` with rows that are dicts.

    A feature that a row lacks is 0, as in River's linear models; None or NaN is a missing value, which counts
    as the mean of its feature so far (``missing="mean"``, the default of "online-kernel"). A feature that
    comes late was 0 before; ``gamma="auto"`` refuses rows that have one. A row costs time and memory by the
    number of all features; with `hash_features` the model's memory does not grow with them. All is computed
    in float64.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of `budgetrs.ALGORITHMS`. Other algorithms do not scale the rows, unless ``scaling="online"``.
    **params
        Those of `budgetrs.Classifier`.

    Raises
    ------
    ParameterError
        When a parameter is not legal or does not apply.

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
        self._native, self._columns = _core.Classifier(algorithm, **params), Columns()
        self._labels: list[base.typing.ClfTarget] = []

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Row, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Learn a row and its label, which may be a new one.

        Parameters
        ----------
        x : dict
            Numbers by the names of their features; None or NaN where one is missing. A row of no
            features is all zeros, and is skipped while no feature is known.
        y : bool, str or int
            The label; all labels have one type.
        w : float, default=1.0
            The weight of the row, 0 to 1e9; one of weight 0 is skipped.

        Raises
        ------
        TypeError, ParameterError
            When a value is no number, or the label is of another type; the model is as before.
        """
        self._learn_one(x, y, w)

    def predict_one(self, x: Row, **kwargs: Any) -> base.typing.ClfTarget | None:  # noqa: ARG002
        """Predict the label of a row; None before the first one is learned.

        Parameters
        ----------
        x : dict
            As `learn_one` takes it; features that were never learned are left out.

        Returns
        -------
        bool, str, int or None
            The label.
        """
        return self._predict_one(x) if self._has_learned else None

    def predict_proba_one(self, x: Row, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:  # noqa: ARG002
        """Compute the probability of each label for a row; none before the first one is learned.

        Parameters
        ----------
        x : dict
            As `predict_one` takes it.

        Returns
        -------
        dict
            The probabilities of the labels that were seen; they add up to 1.

        Raises
        ------
        NotImplementedError
            When the algorithm has none.
        """
        self._refuse_without_probabilities()
        if not self._has_learned:
            return {}
        p = self._native.predict_proba(self._row(x)[None])
        return dict(zip(self._labels_of(p), p[0].tolist(), strict=True))

    def predict_set_one(self, x: Row, coverage: float = 0.9) -> set[base.typing.ClfTarget]:
        """Predict a set of labels for a row; empty before the first one is learned.

        In the long run a share `coverage` of the labels of a stream lies in the sets of its rows, each
        predicted before the row is learned, also after the stream has changed.

        Parameters
        ----------
        x : dict
            As `predict_one` takes it.
        coverage : float, default=0.9
            The share of the labels, from 0.5 to 0.99.

        Returns
        -------
        set
            Labels; the predicted one is among them.

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
            Numbers; NaN where one is missing. A feature without a column is 0. Frames of polars and
            pyarrow are taken too.
        y : Series of shape (n,)
            Their labels.

        Raises
        ------
        ValueError
            When a number or a label is not legal; nothing is learned.
        """
        self._learn_many(X, y)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the labels of the rows of a frame; None before the first one is learned.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            As `learn_many` takes it.

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
            As `learn_many` takes it.

        Returns
        -------
        DataFrame of shape (n, n_classes)
            A column to the label; no columns before the first row is learned.

        Raises
        ------
        NotImplementedError
            When the algorithm has none.
        """
        import pandas as pd

        self._refuse_without_probabilities()
        X = pandas_frame(X)
        if not self._has_learned:
            return pd.DataFrame(index=X.index)
        p = self._native.predict_proba(self._columns.rows(X))
        return pd.DataFrame(p, columns=self._labels_of(p), index=X.index)

    def _refuse_without_probabilities(self) -> None:
        """Raise what River expects of a classifier without probabilities."""
        if not self._native.has_probabilities:
            raise NotImplementedError(
                f'{self.algorithm} has no probabilities; online-kernel has, and SGD with loss="log_loss"'
            )

    def _labels_of(self, p: np.ndarray) -> list[base.typing.ClfTarget]:
        """Return the labels of the columns of p: where there are more than before, ask for them."""
        if len(self._labels) != p.shape[1]:
            self._labels = self._native.classes_.tolist()
        return self._labels


class Regressor(Model, base.MiniBatchRegressor):
    """A kernel regressor with at most `budget` support vectors, for River.

    It is `budgetrs.Regressor` with rows that are dicts; for the rows see `Classifier`.

    Parameters
    ----------
    algorithm : str, default="online-kernel"
        One of `budgetrs.ALGORITHMS` that learn numbers.
    **params
        Those of `budgetrs.Regressor`.

    Raises
    ------
    ParameterError
        When a parameter is not legal or does not apply.

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
        self._native, self._columns = _core.Regressor(algorithm, **params), Columns()

    def learn_one(self, x: Row, y: base.typing.RegTarget, w: float = 1.0) -> None:
        """Learn a row and its target.

        Parameters
        ----------
        x : dict
            Numbers by the names of their features; None or NaN where one is missing. A row of no
            features is all zeros, and is skipped while no feature is known.
        y : float
            The target, finite.
        w : float, default=1.0
            The weight of the row, 0 to 1e9; one of weight 0 is skipped.

        Raises
        ------
        TypeError, ParameterError
            When a value is no number; the model is as before.
        """
        self._learn_one(x, y, w)

    def predict_one(
        self,
        x: Row,
        with_interval: bool = False,
        coverage: float = 0.9,
        **kwargs: Any,  # noqa: ARG002
    ) -> Any:
        """Predict the target of a row; 0 before the first one is learned.

        Parameters
        ----------
        x : dict
            As `learn_one` takes it; features that were never learned are left out.
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
        """Predict an interval for the target of a row; from 0 to 0 before the first one is learned.

        In the long run a share `coverage` of the targets of a stream lies in the intervals of its rows, each
        predicted before the row is learned, also after the stream has changed.

        Parameters
        ----------
        x : dict
            As `predict_one` takes it.
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
            Numbers; NaN where one is missing. A feature without a column is 0. Frames of polars and
            pyarrow are taken too.
        y : Series of shape (n,)
            Their targets.

        Raises
        ------
        ValueError
            When a number is not legal; nothing is learned.
        """
        self._learn_many(X, y)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the targets of the rows of a frame; 0 before the first one is learned.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            As `learn_many` takes it.

        Returns
        -------
        Series of shape (n,)
            The predictions, with the index of X.
        """
        import pandas as pd

        X = pandas_frame(X)
        rows = self._native.predict(self._columns.rows(X)) if self._has_learned else np.zeros(len(X))
        return pd.Series(rows, index=X.index)
