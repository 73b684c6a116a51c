"""The base of the classifiers: labels, class weights, fit and partial_fit."""

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils import compute_class_weight

from .. import _core
from .._arrays import reject_masked
from .._call_errors import unqualified
from .._errors import shown
from ._base import BudgetedEstimator
from ._baseline import MostFrequent
from ._checks import (
    checked_classes,
    exact_labels,
    kept_rows,
    reject_unseen,
    stream_weights,
)
from ._class_order import by_sorted_class
from ._probabilities import ProbabilityMethod
from ._sklearn import ClassifierMixin


@unqualified
class BudgetedClassifier(ClassifierMixin, BudgetedEstimator):
    """Base class of the classifiers; a subclass adds its parameters."""

    _native = _core.Classifier
    _baseline = MostFrequent
    _alternatives = ("other parameters", "OnlineKernelClassifier, which needs no tuning")

    class_weight: Any
    # The weight of each class that `fit` computed for "balanced".
    _balanced: np.ndarray | None = None

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue training with more rows, in the order given.

        The first call reads the parameters. Later calls, and calls after `fit`, read only `class_weight` and
        `n_jobs`, and warn if another parameter was set. `max_iter`, `shuffle`, `warm_start` and `verbose`
        apply to `fit` only. With ``gamma="scale"``, gamma is recomputed just before rows 2, 4, 8, ..., 1024
        from the variance of all earlier rows.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            As in `fit`. The first call determines the float type of the model.
        y : array-like of shape (n_samples,)
            Labels. Each label must be one of the classes.
        classes : array-like of shape (n_classes,), default=None
            All class labels of the stream, for the first call; by default the labels of the first batch.
        sample_weight : array-like of shape (n_samples,) or float, default=None
            As in `fit`.

        Returns
        -------
        self
            The classifier.

        Raises
        ------
        ValueError
            As `fit`. The model stays unchanged. It warns as `fit`, at most once per stream.
        """
        with self._unchanged_if_rejected():
            first = not self.__sklearn_is_fitted__()
            X, y = self._validate(X, y, reset=first)
            known = self._known_classes(y, classes)
            weight = None if sample_weight is None else stream_weights(X, sample_weight)
            if first:
                more: dict[str, Any] = {}
                if isinstance(self.class_weight, str):
                    more["class_weight"] = self.class_weight
                model = self._new_model(self._draw_seed(), classes=known, **more)
            else:
                model = self._model
            weight = _times(weight, self._stream_by_class(model, y, known), known, y)
            warning = self._learn_batch(model, X, y, weight, first=first)
        if first:
            self._warn_kernel_values(X)
        self._warn_poor_fit(warning)
        self._warn_ignored(continues=not first)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores of each row.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes one score, positive for ``classes_[1]``; otherwise one score per class, the
            largest of which is predicted.
        """
        return by_sorted_class(self._scores(X, "decision_function"), self._model.classes_, axis=1)

    @ProbabilityMethod
    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the probability of each class, with `OnlineKernelClassifier` or ``loss="log_loss"``.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``; each row sums to 1.

        Raises
        ------
        AttributeError
            If the estimator has no probabilities.
        """
        return by_sorted_class(self._scores(X, "predict_proba"), self._model.classes_, axis=1)

    @ProbabilityMethod
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the logarithm of the probability of each class, if there is `predict_proba`.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Natural logarithms, in the order of ``classes_``; -inf for a probability of 0.

        Raises
        ------
        AttributeError
            If the estimator has no probabilities.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _no_probabilities(self) -> str | None:
        """Return why there is no `predict_proba`; None if there is."""
        return 'use OnlineKernelClassifier or BSGDClassifier(loss="log_loss")'

    def _learned(self, name: str) -> Any:
        """Read an attribute of the native model, by class in the order of ``classes_``."""
        value = super()._learned(name)
        ordered = name in ("classes_", "dual_coef_", "coef_", "intercept_")
        return by_sorted_class(value, self._model.classes_, axis=0) if ordered else value

    @property
    def classes_(self) -> np.ndarray:
        """The class labels, sorted."""
        return self._learned("classes_")

    @property
    def progressive_error_(self) -> float:
        """Share of the rows predicted wrongly just before they were learned for the first time."""
        return self._learned("progressive_error_")

    @property
    def no_change_error_(self) -> float:
        """Share of the same rows whose label differs from the label of the row learned before."""
        return self._learned("no_change_error_")

    @property
    def majority_error_(self) -> float:
        """Share of the same rows whose label differs from the most frequent label of the rows before."""
        return self._learned("majority_error_")

    @property
    def n_mistakes_(self) -> int:
        """Number of rows predicted wrongly just before they were learned."""
        return self._learned("n_mistakes_")

    @property
    def n_queries_(self) -> int:
        """Number of rows whose label could change the model when they were learned (diagnostic)."""
        return self._learned("n_queries_")

    def _classes_of_fit(self, y: np.ndarray, warm: bool) -> np.ndarray:
        """Return the classes of y for fit; with a warm start they must be the classes of the model."""
        classes = checked_classes(y)
        if warm and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"y must have the classes of the fitted model, {self.classes_.tolist()}, got "
                f"{classes.tolist()}: set warm_start=False or call partial_fit"
            )
        if len(classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
        return classes

    def _fit_weight(self, y: np.ndarray, weight: Any, classes: Any, warm: bool) -> Any:
        """Return the weights of the rows for fit, times the weights of their classes."""
        kept = kept_rows(weight)
        # A native model that balances classes goes on to do so.
        balances = warm and self._model.params["class_weight"] is not None
        by_class = None if balances else self._by_class(y if kept is None else y[kept], classes)
        self._balanced = by_class if isinstance(self.class_weight, str) else None
        return _times(weight, by_class, classes, y)

    def _known_classes(self, y: np.ndarray, classes: Any) -> np.ndarray:
        """Return the classes for partial_fit: of the model, or else the given ones, or else of y."""
        found = checked_classes(y)
        if classes is None:
            given = None
        else:
            reject_masked("classes", classes)
            given = np.unique(exact_labels("classes", classes))
        if self.__sklearn_is_fitted__():
            known = self.classes_
            if not np.isin(found, known).all():
                reject_unseen(y, known)
            if given is not None and not np.array_equal(given, known):
                raise ValueError(
                    f"classes must be {known.tolist()} as in the first call, got {given.tolist()}"
                )
            return known
        if given is None:
            given = found
            if len(given) < 2:
                raise ValueError(
                    "classes must be passed on the first call to partial_fit, because its batch has only "
                    "one class: pass classes=[...], all labels of the stream"
                )
        elif len(given) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(given)} class")
        return given

    def _by_class(self, y: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
        """Return the weight of each class; None if there are no class weights."""
        class_weight = self.class_weight
        if class_weight is None:
            return None
        if isinstance(class_weight, dict) and not all(isinstance(w, Real) for w in class_weight.values()):
            raise TypeError(f"class_weight must be a dict with numbers as values, got {shown(class_weight)}")
        if class_weight != "balanced" and isinstance(class_weight, str):
            native: Any = _core.Classifier
            native(class_weight=class_weight)  # raises the error of the native class
        by_class = compute_class_weight(class_weight, classes=classes, y=y)
        if not (np.isfinite(by_class).all() and (by_class >= 0).all()):
            raise ValueError(f"class_weight must be finite numbers >= 0, got {shown(class_weight)}")
        return by_class

    def _stream_by_class(self, model: Any, y: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
        """Return the class weights for partial_fit; None if the native model balances classes."""
        if model.params["class_weight"] is not None:
            return None
        if not isinstance(self.class_weight, str):
            return self._by_class(y, classes)
        if self._balanced is None:
            raise ValueError(
                f"class_weight={self.class_weight!r} must be set before the first call of partial_fit, "
                "because it counts the rows of all calls"
            )
        return self._balanced


def _times(weight: Any, by_class: np.ndarray | None, classes: np.ndarray, y: np.ndarray) -> Any:
    """Multiply the weight of each row by the weight of its class."""
    if by_class is None:
        return weight
    # An unknown label gets an arbitrary weight here: the native model raises an error that names it.
    index = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return by_class[index] if weight is None else weight * by_class[index]
