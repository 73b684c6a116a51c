"""The online kernel machine: a classifier and a regressor that need no tuning."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._importances import importances
from .._parameters import OnlineKernelClassifierParameters, OnlineKernelRegressorParameters
from ._base import BudgetedEstimator
from ._class_order import by_sorted_class
from ._classifier import BudgetedClassifier
from ._described import described
from ._intervals import recalibrate
from ._regressor import BudgetedRegressor
from ._ridge import BasisRows, refit

_FITTED = {
    "support_vectors_": "The support vectors, in insertion order, standardised and in the metric.",
    "gamma_": "The kernel's gamma: 8 over the mean squared length of the first rows, standardised.",
}


_PASSES = (
    '"auto" makes 3 passes over at most 100,000 rows, and 1 pass over more or if `shuffle` is False{unless}. '
    "Progressive errors, calibration and drift detection use the first pass only, in which the rows are new "
    "to the model."
)


def _own(outputs: str) -> dict[str, tuple[str, str]]:
    """Return types and texts of the attributes that no other estimator has, for a number of outputs."""
    return {
        "feature_importances_": (
            "ndarray of shape (n_features_in_,)",
            "How much each feature changes the scores: the mean absolute derivative at the support vectors "
            "times the deviation of the feature, divided by the sum. `plot_importances` has the details.",
        ),
        "components_": (
            "ndarray of shape (n_features_in_, n_features_in_) or (1, n_features_in_)",
            "The metric A of the kernel, of standardised rows; with more than 64 features its diagonal.",
        ),
        "coef_, intercept_": (
            f"ndarray of shape ({outputs}, n_features_in_) and ({outputs},)",
            "The linear part, of standardised rows.",
        ),
        **(
            {}
            if outputs != "1"
            else {
                "tail_coef_": (
                    "ndarray of shape (1, n_features_in_)",
                    "The slopes of the linear part from 3 to 40 standard deviations from the mean; `coef_` "
                    "are the slopes up to 3.",
                )
            }
        ),
        "n_drifts_": ("int", "Abrupt changes of the stream that were found."),
        "n_restarts_": (
            "int",
            "Number of times that the scaling of a feature started anew, for all features together.",
        ),
    }


_FEW_ROWS = 100_000
"""The largest number of rows over which `fit` makes several passes."""

_FEW_ROWS_PASSES = 3
"""The number of passes over few rows."""

_SHORT_PASS = 1000
"""The number of rows up to which the error of the first pass tells nothing about noise."""

_MAX_UNEXPLAINED = 0.4
"""The largest unexplained share of the targets' variance at which more passes do not just fit noise."""

_RARE = 0.1
"""A class is rare if it has less than this share of the rows of the other class."""

_MIN_RELATIVE_ERROR = 0.9
"""The error at which a model does not know a rare class, as a share of the error of never predicting it."""

_RARE_ROWS_PER_FEATURE = 10
"""With so many rows of a rare class for each feature, one pass is enough for the linear part."""

_LONG_PASS = 5000
"""The number of rows above which further passes make the scores of such a class rank worse."""


class _OnlineKernel(BudgetedEstimator):
    """The base of both estimators."""

    # Attributes that the base class reads and for which this estimator has no parameter.
    maintenance: Any = None
    kernel: Any = None
    gamma: Any = "standardized"
    scaling: str = "online"
    _later_passes_repeat = True
    _compared_rows = 200
    _alternatives = ("other features: these say little about y",)

    missing: str
    hash_features: int | None

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much each feature changes the scores; the sum is 1."""
        check_is_fitted(self)
        return importances(self)

    @property
    def n_drifts_(self) -> int:
        """The number of abrupt changes of the stream that were found."""
        return self._learned("n_drifts_")

    @property
    def n_restarts_(self) -> int:
        """The number of times that the scaling of a feature started anew, for all features together."""
        return self._learned("n_restarts_")

    @property
    def components_(self) -> np.ndarray:
        """The learned metric A: a matrix, or with more than 64 features its diagonal, of shape (1, d)."""
        return self._learned("components_")

    @property
    def coef_(self) -> np.ndarray:
        """The linear part's coefficients, of standardised rows."""
        return self._learned("coef_")

    @property
    def intercept_(self) -> np.ndarray:
        """The linear part's constants."""
        return self._learned("intercept_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "mean" and self.hash_features is None
        return tags

    def _passes(self, rows: int) -> int:
        """Return the number of passes over `rows` rows in `fit`."""
        if isinstance(self.max_iter, str) and self.max_iter == "auto":
            return _FEW_ROWS_PASSES if rows <= _FEW_ROWS and self.shuffle else 1
        if isinstance(self.max_iter, str):
            raise ValueError(f'max_iter must be "auto" or an integer >= 1, got {self.max_iter!r}')
        return super()._passes(rows)

    def _native_params(self) -> tuple[str, dict[str, Any]]:
        """Return the native algorithm and its parameters."""
        names = ["budget", "C0", "average", "forget", "hash_features"]
        # A hashed feature is a sum of columns, in which no value can be missing.
        names += ["missing"] if self.hash_features is None else []
        return self._algorithm, {name: getattr(self, name) for name in names}


@described(
    fitted=_FITTED,
    own=_own("1 or n_classes"),
    max_iter=_PASSES.format(
        unless=", or where a rare class overlaps with the other: more than 5,000 rows, without weights, "
        "of two classes, one of which has less than a tenth of the rows of the other and at least 10 for "
        "each feature, and a progressive error of at least 0.9 times the share of that class"
    ),
)
class OnlineKernelClassifier(OnlineKernelClassifierParameters, _OnlineKernel, BudgetedClassifier):
    """A kernel classifier for raw rows that needs no tuning, with at most `budget` support vectors.

    It learns from rows in any units, few rows in three passes and many in one: it standardises them by the
    rows so far, learns the metric of its kernel and a linear part beside it, leaves out rows whose labels are
    probably wrong, merges each new support vector with the one that changes the model least (Wang, Crammer
    and Vucetic 2010), and predicts by a mean of its late models. Changes of the stream are found and
    followed. Steps: MIRA (Crammer and Singer 2003), with two classes PA-I (Crammer et al. 2006).

    `predict_proba` is calibrated on the rows so far. Each row is scored before it is learned, so the
    calibration needs no rows of its own. The class of the largest probability may be another than that of
    `predict` where two are almost equally likely.

    `budgetrs.Classifier("online-kernel")` has the choices that are fixed here as parameters.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from budgetrs import OnlineKernelClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = OnlineKernelClassifier(budget=50, random_state=0).fit(X, y)
    >>> bool(clf.score(X, y) > 0.95)
    True
    """

    def _needs_more_passes(self, model: Any, y: np.ndarray, weight: Any) -> bool:
        """Return whether a further pass makes the model better.

        It does not where a rare class overlaps with the other: a model of further passes is not more
        accurate, and its scores rank new rows worse. Mistakes on weighted rows tell nothing about this.
        """
        if self.max_iter != "auto" or weight is not None or len(y) <= _LONG_PASS:
            return True
        counts = np.unique(y, return_counts=True)[1]
        if len(counts) != 2 or counts.min() >= _RARE * counts.max():
            return True
        has_few = counts.min() < _RARE_ROWS_PER_FEATURE * model.coef_.shape[1]
        return has_few or model.progressive_error_ * len(y) < _MIN_RELATIVE_ERROR * counts.min()

    def predict_set(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """Predict a set of classes for each row, which contains the class of a share `coverage` of the rows.

        The set of a row has the predicted class and all classes whose probability is above a threshold. The
        threshold follows the rows learned, each before it was learned (adaptive conformal inference, Gibbs
        and Candes 2021): in the long run the sets have this coverage, also after the stream has changed. If
        the predicted class alone is right more often, so are the sets. Single classes may be covered more or
        less often.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The share of the rows, from 0.5 to 0.99.

        Returns
        -------
        ndarray of bool, shape (n_samples, n_classes)
            True where a class belongs to the set, in the order of ``classes_``. Each row has at least one.
        """
        return by_sorted_class(self._scores(X, "predict_set", coverage), self._model.classes_, axis=1)

    def _no_probabilities(self) -> None:
        """Return None: there are probabilities, calibrated on the rows so far, each before it is learned."""


@described(
    fitted=_FITTED,
    own=_own("1"),
    max_iter=_PASSES.format(
        unless=", or where the first pass over more than 1,000 rows leaves more than 40% of the targets' "
        "variance unexplained"
    ),
)
class OnlineKernelRegressor(OnlineKernelRegressorParameters, _OnlineKernel, BudgetedRegressor):
    """A kernel regressor for raw rows that needs no tuning, with at most `budget` support vectors.

    It learns from rows and targets in any units, few rows in three passes and many in one: it standardises
    rows by those so far, takes passive-aggressive steps in deviations of the targets (Crammer et al. 2006),
    learns the metric of its kernel, and beside it a linear part with steps of second order (Crammer, Kulesza
    and Dredze 2009). Each new support vector is merged with the one that changes the model least (Wang,
    Crammer and Vucetic 2010), and a mean of its late models predicts. `fit` ends with a ridge regression of
    the residuals on these functions. Changes of the stream are found and followed.

    `budgetrs.Regressor("online-kernel")` has the choices that are fixed here as parameters.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from budgetrs import OnlineKernelRegressor
    >>> X, y = make_friedman1(5000, random_state=0)
    >>> reg = OnlineKernelRegressor(budget=100, random_state=0).fit(1000 * X, 1e6 * y)
    >>> bool(reg.score(1000 * X, 1e6 * y) > 0.85)
    True
    """

    def predict_interval(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """Predict an interval for each row, which contains the target of a share `coverage` of the rows.

        The intervals are wide where the errors of the rows near by were large. Their width follows the rows
        learned, each before it was learned (adaptive conformal inference, Gibbs and Candes 2021): in the long
        run the intervals have this coverage, also after the stream has changed. Single kinds of rows may be
        covered more or less often.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The share of the rows, from 0.5 to 0.99.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper ends. Unlike predictions they are not limited to the range of the targets: clip
            them if the targets have bounds, for example at 0.
        """
        return self._scores(X, "predict_interval", coverage)

    @property
    def tail_coef_(self) -> np.ndarray:
        """The slopes of the linear part from 3 to 40 standard deviations from the mean."""
        return self._learned("tail_coef_")

    def _mean_error_since(self, model: Any, losses: list[float], rows: int) -> float:
        """Return the mean absolute error of the last `rows` rows, before which the sums were `losses`."""
        return (model._absolute_error - losses[1]) / rows

    def _needs_more_passes(self, model: Any, y: np.ndarray, weight: Any) -> bool:  # noqa: ARG002
        """Return whether a further pass makes the model better: not where it would fit noise.

        In a pass over few rows most of the error comes from learning, not from noise.
        """
        is_short = model.n_samples_seen_ <= _SHORT_PASS
        return self.max_iter != "auto" or is_short or model._unexplained_variance <= _MAX_UNEXPLAINED

    def _end_fit(
        self,
        model: Any,
        X: Any,
        y: Any,
        weight: Any,
        kept: np.ndarray | None,
        rng: np.random.Generator,
        late_error: float,
    ) -> None:
        """Improve the model by ridge regression on its basis functions, and calibrate its intervals.

        Both read all rows alike, so they are left out where recent rows count more: without shuffling, and
        with a window of `forget` rows.
        """
        if not self.shuffle or isinstance(self.forget, int):
            return
        if BasisRows.fits(model):
            rows, expected = BasisRows(model, X, y, weight, kept, rng), model._expected_errors()
            recalibrate(model, rows, expected, rows.theta + refit(model, rows), late_error)
