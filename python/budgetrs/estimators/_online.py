"""The online kernel machine: a classifier and a regressor that need no tuning."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._call_errors import unqualified
from .._errors import ParameterError, shown
from ._base import BudgetedEstimator
from ._checks import suggests_names
from ._class_order import by_sorted_class
from ._classifier import BudgetedClassifier
from ._parameters import OnlineKernelClassifierParameters, OnlineKernelRegressorParameters
from ._regressor import BudgetedRegressor


class _OnlineKernel(BudgetedEstimator):
    """The base of both estimators."""

    _later_passes_repeat = True
    _skipped_rows = 200
    _alternatives = ("other features, because these do not predict y",)

    average: Any
    missing: Any
    missing_values: Any
    hash_features: int | None

    @property
    def n_drifts_(self) -> int:
        """Number of abrupt drifts detected."""
        return self._learned("n_drifts_")

    @property
    def drift_rows_(self) -> np.ndarray:
        """Values of `n_samples_seen_` at the last abrupt drifts, at most 16, in ascending order."""
        return self._learned("drift_rows_")

    @property
    def n_scaling_restarts_(self) -> int:
        """Number of times that the scaling of a feature restarted, summed over the features."""
        return self._learned("n_scaling_restarts_")

    @property
    def components_(self) -> np.ndarray:
        """Matrix A of the learned metric, shape (d, d), or the diagonal of A, shape (1, d).

        d counts the features after one-hot encoding and hashing. The diagonal is returned if the model
        started with more than 64 of these features.
        """
        return self._learned("components_")

    @property
    def linear_coef_(self) -> np.ndarray:
        """Coefficients of the linear term for scaled rows.

        The shape is (1, d) for two classes and for regression, otherwise (n_classes, d); d counts the
        features after one-hot encoding and hashing.
        """
        return self._learned("coef_")

    @property
    def linear_intercept_(self) -> np.ndarray:
        """Intercepts of the linear term: one for two classes and for regression, otherwise one per class."""
        return self._learned("intercept_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "mean" and self.hash_features is None
        return tags

    def _check_passes(self) -> None:
        """Check ``max_iter`` and ``shuffle``."""
        if not isinstance(self.max_iter, str):
            super()._check_passes()
        elif self.max_iter != "auto":
            raise ValueError(f'max_iter must be "auto" or an integer >= 1, got {shown(self.max_iter)}')

    def _gamma_of(self, X: Any, kept: np.ndarray | None) -> None:
        """Return None: the native model computes gamma from the first rows, scaled."""

    def _native_params(self) -> tuple[str, dict[str, Any]]:
        """Return the native algorithm and its parameters."""
        # Messages of the core about these name parameters that this class does not have.
        if self.budget is None:
            raise ParameterError("budget must be an integer from 1 to 16777216, got None", "budget")
        if isinstance(self.average, str) and self.average == "random":
            expected = '"polynomial", True, False, or a number from 0.001 to 1'
            raise ParameterError(f'average must be {expected}, got "random"', "average")
        names = ["budget", "C0", "average", "forget", "hash_features"]
        # A hashed feature is a sum of columns, in which no value can be missing.
        if self.hash_features is None:
            names += ["missing", "missing_values"]
        elif self.missing_values is not None:
            raise ParameterError(
                f"missing_values must be None with hash_features, got {self.missing_values!r}",
                "missing_values",
            )
        return self._algorithm, {name: getattr(self, name) for name in names}


@suggests_names
@unqualified
class OnlineKernelClassifier(OnlineKernelClassifierParameters, _OnlineKernel, BudgetedClassifier):
    """Kernel classifier without tuning: features in any units, at most `budget` support vectors.

    Use it for non-linear problems on tables and streams with drift. By default `fit` makes up to three passes
    over up to 100,000 rows, and one pass over more. Time and memory per row do not grow with the data. Use a
    linear model if a linear model is as accurate, and use sparse linear models for text.
    `budgetrs.Classifier` has the same algorithm for streams without scikit-learn, and accepts new classes at
    any time.

    The defaults are the algorithm ``online-kernel`` of `budgetrs.ALGORITHMS`. The class standardises features
    online, learns the metric of its kernel and a linear term, skips rows whose label is probably wrong,
    merges each new support vector with its best partner, the one whose merging changes the model least (Wang,
    Crammer and Vucetic 2012), and averages the recent models. Drift is detected. The steps are MIRA (Crammer
    and Singer 2003), with two classes PA-I (Crammer et al. 2006). Probabilities are calibrated on predictions
    made just before each row is learned, so calibration needs no separate data.

    Parameters
    ----------
    budget : int, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    average : "polynomial", bool or float, default="polynomial"
        The model used for prediction: "polynomial" averages all models and weights the newest tenth of the
        stream most. Other values need ``forget=None`` or a number as `forget`.
    C0 : float, default=60.0
        The largest step at the first row. Decrease it only if the labels or targets are noisy.
    forget : "auto", int or None, default="auto"
        How the model forgets earlier rows: "auto" after a drift, a number n so that about the last n rows
        count, None never.
    hash_features : int or None, default=None
        The number of features that the columns are hashed into, for text: try 2^10 to 2^18.
    missing : {"error", "mean"}, default="mean"
        What happens to NaN: "mean" replaces it by the running mean of the feature.
    missing_values : float, list of float or None, default=None
        The numbers that mean missing, such as -999; NaN always does.
    max_iter : "auto" or int, default="auto"
        Number of passes of `fit`.
    class_weight : dict, str or None, default=None
        "balanced" gives all classes the same total weight; a dict has a weight for each label.
    shuffle : bool, default=True
        Whether `fit` takes the rows in a new random order in each pass.
    n_jobs : int or None, default=None
        Number of threads of prediction; it changes no result. -1 is all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows and of all other random choices.
    warm_start : bool, default=False
        Whether `fit` continues training the fitted model.
    verbose : int, default=0
        1 prints a line per pass of `fit`.

    See Also
    --------
    OnlineKernelRegressor : The same algorithm for numeric targets.
    Classifier : The same algorithm for streams, without scikit-learn.
    sklearn.svm.SVC : Exact, but training time grows quadratically with the rows.
    sklearn.linear_model.SGDClassifier : Linear.
    sklearn.kernel_approximation.Nystroem : Kernel features for a linear model.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. With up to 64
    features, the full metric adds O(features^2). `predict` and the largest `predict_proba` can differ for
    rows whose two largest probabilities are almost equal.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from budgetrs import OnlineKernelClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = OnlineKernelClassifier(budget=50, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    def predict_set(self, X: Any, *, coverage: float | Sequence[float] | np.ndarray = 0.9) -> np.ndarray:
        """Predict a set of classes for each row; at least a share `coverage` of the sets contain the label.

        The set contains the predicted class and all classes whose probability exceeds a threshold. The
        threshold is tracked on the rows just before they are learned (adaptive conformal inference, Gibbs and
        Candes 2021), so the coverage holds in the long run, even after drift. The share is larger than
        `coverage` if the predicted class alone is right for a larger share of the rows. The coverage of
        single classes may differ.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.
        coverage : float or list of float, default=0.9
            The share of the rows, from 0.01 to 0.999. A list of k shares costs k predictions.

        Returns
        -------
        ndarray of bool, shape (n_samples, n_classes), or (n_samples, n_classes, k) for k coverages
            True where a class belongs to the set, in the order of ``classes_``. Each row has at least one.
        """
        return by_sorted_class(
            self._scores(X, "predict_set", coverage=coverage), self._model.classes_, axis=1
        )

    def _no_probabilities(self) -> None:
        """Return None: there are probabilities."""


@suggests_names
@unqualified
class OnlineKernelRegressor(OnlineKernelRegressorParameters, _OnlineKernel, BudgetedRegressor):
    """Kernel regressor without tuning: features and targets in any units, at most `budget` support vectors.

    Use it for non-linear problems on tables and streams with drift. By default `fit` makes up to three passes
    over up to 100,000 rows, and one pass over more. Time and memory per row do not grow with the data. Use a
    linear model if a linear model is as accurate. `budgetrs.Regressor` has the same algorithm for streams
    without scikit-learn.

    The defaults are the algorithm ``online-kernel`` of `budgetrs.ALGORITHMS`, for regression. The class
    standardises features online, takes passive-aggressive steps (Crammer et al. 2006), learns the metric of
    its kernel and, with second-order steps, a linear term (Crammer, Kulesza and Dredze 2009). It merges each
    new support vector with its best partner, the one whose merging changes the model least (Wang, Crammer and
    Vucetic 2012), and averages the recent models. Drift is detected. `fit` ends with a ridge regression of
    the residuals on the basis functions: the inputs of the linear term and the kernel functions of the
    support vectors.

    Parameters
    ----------
    budget : int, default=500
        The largest number of support vectors. A larger budget is more accurate and slower, and takes more
        memory: 100 to 1000 suits most data.
    average : "polynomial", bool or float, default="polynomial"
        The model used for prediction: "polynomial" averages all models and weights the newest tenth of the
        stream most. Other values need ``forget=None`` or a number as `forget`.
    C0 : float, default=10.0
        The largest step at the first row. Decrease it only if the labels or targets are noisy.
    forget : "auto", int or None, default="auto"
        How the model forgets earlier rows: "auto" after a drift, a number n so that about the last n rows
        count, None never.
    hash_features : int or None, default=None
        The number of features that the columns are hashed into, for text: try 2^10 to 2^18.
    missing : {"error", "mean"}, default="mean"
        What happens to NaN: "mean" replaces it by the running mean of the feature.
    missing_values : float, list of float or None, default=None
        The numbers that mean missing, such as -999; NaN always does.
    max_iter : "auto" or int, default="auto"
        Number of passes of `fit`.
    shuffle : bool, default=True
        Whether `fit` takes the rows in a new random order in each pass.
    n_jobs : int or None, default=None
        Number of threads of prediction; it changes no result. -1 is all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of rows and of all other random choices.
    warm_start : bool, default=False
        Whether `fit` continues training the fitted model.
    verbose : int, default=0
        1 prints a line per pass of `fit`.

    See Also
    --------
    OnlineKernelClassifier : The same algorithm for class labels.
    Regressor : The same algorithm for streams, without scikit-learn.
    sklearn.svm.SVR : Exact, but training time grows quadratically with the rows.
    sklearn.kernel_ridge.KernelRidge : Exact, but training time grows quadratically with the rows.

    Notes
    -----
    A row costs O(budget x features) time, and the model takes O(budget x features) memory. With up to 64
    features, the full metric adds O(features^2).

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from budgetrs import OnlineKernelRegressor
    >>> X, y = make_friedman1(5000, random_state=0)
    >>> reg = OnlineKernelRegressor(budget=100, random_state=0).fit(1000 * X, 1e6 * y)
    >>> bool(reg.score(1000 * X, 1e6 * y) > 0.85)
    True
    """

    def predict_interval(self, X: Any, *, coverage: float | Sequence[float] | np.ndarray = 0.9) -> np.ndarray:
        """Predict an interval for each row; a share `coverage` of the intervals contain the row's target.

        Intervals are wider where the errors of similar rows were larger. The width of the intervals is
        tracked on the rows just before they are learned (adaptive conformal inference, Gibbs and Candes
        2021), so the coverage holds in the long run, even after drift. The coverage of parts of the
        stream may differ.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.
        coverage : float or list of float, default=0.9
            The share of the rows, from 0.01 to 0.999. A list of k shares costs k predictions.

        Returns
        -------
        ndarray of shape (n_samples, 2), or (n_samples, 2, k) for k coverages
            Lower and upper ends. Unlike predictions they are not limited to the range of the targets: clip
            them if the targets have bounds, for example at 0.
        """
        return self._scores(X, "predict_interval", coverage=coverage)

    @property
    def tail_coef_(self) -> np.ndarray:
        """Slopes of the linear term from 3 to 40 standard deviations from the mean."""
        return self._learned("tail_coef_")
