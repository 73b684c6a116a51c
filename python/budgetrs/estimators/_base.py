"""The base of all estimators: the native model, passes over the data, fitted attributes."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from inspect import signature
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import _check_feature_names_in, _check_y, check_is_fitted, validate_data

from .. import _core
from .._arrays import reject_masked
from .._call_errors import unqualified
from .._errors import ParameterError, PoorFitWarning, shown
from .._frames import Frame
from .._hints import ESTIMATOR, hinting
from .._importances import feature_importances
from .._kernel_values import rows_warning
from .._parameters import AlgorithmName
from .._plot import plot_model
from .._table import CHOICES, TABLE
from ._baseline import Baseline, BaselineMonitor, Counters
from ._checks import (
    advise,
    canonical,
    check_weights,
    checked_numbers,
    exact_labels,
    is_plain_array,
    is_plain_target,
    kept_rows,
    reject_deep,
)
from ._columns import checked_frame, reject_without_names
from ._progress import Progress, checked_verbose
from ._saved import SavedEstimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The native model checks every number and names the row of one that is not finite.
_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "ensure_all_finite": False,
}

_COMPARED_ROWS = 250
"""The smallest number of rows of a fit that are compared with a baseline."""


@unqualified
class BudgetedEstimator(SavedEstimator):
    """Base class of all estimators: scikit-learn's conventions for a native model in ``_model``.

    A subclass takes ``__init__`` from its base in ``_parameters.py``, which is written from the core's table.
    The classifier and regressor base classes handle labels and weights.
    """

    # The native algorithm, and the algorithms that replace it for some maintenance strategies.
    _algorithm: ClassVar[AlgorithmName]
    _by_maintenance: ClassVar[dict[str, str]]
    # The baseline of the warning about poor fits, and what the warning suggests.
    _baseline: ClassVar[type[Baseline]]
    # Whether rows of later passes are learned as known rows: only errors of the first pass are counted.
    _later_passes_repeat: ClassVar[bool] = False
    # The first rows of `partial_fit`, whose steps may be long, are not compared with the baseline.
    _skipped_rows: ClassVar[int] = 1000
    _alternatives: ClassVar[tuple[str, ...]]
    _has_numeric_y: ClassVar[bool] = False
    _monitor: BaselineMonitor | None = None
    n_iter_: int

    budget: Any
    maintenance: Any
    kernel: Any
    gamma: Any
    scaling: Any
    hash_features: Any
    degree: Any
    coef0: Any
    max_iter: Any
    shuffle: Any
    n_jobs: Any
    random_state: Any
    warm_start: Any
    verbose: Any

    def __init__(self) -> None:
        raise TypeError(
            f"{type(self).__name__} is a base class without parameters: create an estimator, such as "
            "OnlineKernelClassifier or OnlineKernelRegressor"
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows in ``max_iter`` passes.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            Finite numbers, or NaN if the estimator accepts missing values. Text and categorical columns of a
            data frame are one-hot encoded. float32 is computed in float32, all other types in float64.
        y : array-like of shape (n_samples,)
            Labels of one type: bool, str, float or 64-bit integer; of a regressor targets from -1e15 to 1e15.
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows, from 0 to 1e9. Rows of weight 0 are skipped.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X, y or a parameter is invalid, or if features or classes differ from the fitted model with
            `warm_start`. The fitted model stays unchanged.

        Warns
        -----
        PoorFitWarning
            If the model is not better than the most frequent class, or a constant.
        UserWarning
            If nearly all kernel values are 0 or 1, because gamma is too large or too small.
        """
        with self._unchanged_if_rejected():
            warm = self._is_warm()
            X, y = self._validate(X, y, reset=not warm)
            classes = self._classes_of_fit(y, warm)
            weight = self._fit_weight(y, check_weights(sample_weight, X), classes, warm)
            kept = kept_rows(weight)
            self._check_passes()
            if warm:
                model = self._copied_model()
            else:
                more = {} if classes is None else {"classes": classes}
                count = X.shape[0] if kept is None else len(kept)
                gamma = self._gamma_of(X, kept)
                model = self._new_model(self._draw_seed(), gamma=gamma, rows=count, **more)
            warning = self._learn_passes(model, X, y, weight)
            self._model = model
            self._monitor = None
        self._warn_kernel_values(X)
        self._warn_poor_fit(warning)
        self._warn_ignored(continues=warm)
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator, which count from the next fit from scratch on.

        Parameters
        ----------
        **params
            Names and values. `partial_fit` and `fit` with `warm_start` continue the fitted model, and warn
            that these values have no effect on it.

        Returns
        -------
        self
            The estimator.

        Raises
        ------
        ParameterError
            If a parameter is unknown.
        """
        _core._reject_unknown(list(params), self._get_param_names(), self._has_numeric_y)
        before = {name: getattr(self, name) for name in params if name in _defaults(type(self))}
        super().set_params(**params)
        if self.__sklearn_is_fitted__():
            self._replaced = {**before, **vars(self).get("_replaced", {})}
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class or the target of each row.

        Parameters
        ----------
        X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels of the type of ``classes_``, or targets in the dtype of the model.
        """
        return self._scores(X, "predict")

    def _classes_of_fit(self, y: np.ndarray, warm: bool) -> np.ndarray | None:  # noqa: ARG002
        """Return the classes of a classifier for fit; None in regression."""
        return None

    def _fit_weight(self, y: np.ndarray, weight: Any, classes: Any, warm: bool) -> Any:  # noqa: ARG002
        """Return the weights of the rows for fit."""
        return weight

    def _native_params(self) -> tuple[str, dict[str, Any]]:
        """Return the native algorithm and its parameters, without defaults that do not apply."""
        algorithm: str = self._algorithm
        if isinstance(self.maintenance, str):
            algorithm = self._by_maintenance.get(self.maintenance, algorithm)
        defaults = _defaults(type(self))
        own = {name: getattr(self, name) for name in defaults}
        names = _core.applicable(algorithm, **{name: own[name] for name in CHOICES if name in own})
        return algorithm, {
            name: value for name, value in own.items() if name in names or not _is_same(value, defaults[name])
        }

    def _new_model(self, seed: int, *, gamma: Any = None, rows: int | None = None, **more: Any) -> Any:
        """Create the native model.

        `gamma` replaces the parameter if it was computed from the rows; `rows` is the length of the stream if
        it is known.
        """
        algorithm, params = self._native_params()
        rate = params.get("rate")
        is_auto = isinstance(rate, str) and rate == "auto"
        if is_auto and params.get("stream_length") is None and rows is not None:
            params["stream_length"] = self.max_iter * rows
        if gamma is not None and "gamma" in params:
            params["gamma"] = gamma
        try:
            model = self._native(algorithm, n_jobs=self.n_jobs, seed=seed, **params, **more)
        except ParameterError as error:
            # The user chose the class, not the algorithm.
            chosen = type(self).__name__
            if algorithm != self._algorithm:
                chosen = f'maintenance = "{self.maintenance}"'
            message = str(error).replace(f'algorithm = "{algorithm}"', chosen)
            raise ParameterError(message, error.parameter) from None
        model._checks.done.add("kernel values")
        return model

    def _is_warm(self) -> bool:
        """Return whether `fit` continues the fitted model."""
        if not isinstance(self.warm_start, bool | np.bool_):
            raise TypeError(f"warm_start must be True or False, got {shown(self.warm_start)}")
        return bool(self.warm_start) and self.__sklearn_is_fitted__()

    def _copied_model(self) -> Any:
        """Copy the model, so that a fit that fails or is interrupted leaves it unchanged.

        A warm start ignores changed parameters, but invalid ones raise here too.
        """
        self._new_model(0, rows=self._model.params.get("stream_length"))
        return self._native.from_bytes(self._model.to_bytes(), n_jobs=self.n_jobs)

    def _draw_seed(self) -> int:
        """Draw the seed of the fit from ``random_state``."""
        return int(check_random_state(self.random_state).randint(0, 2**64, dtype=np.uint64))

    def _check_passes(self) -> None:
        """Check ``max_iter`` and ``shuffle``."""
        if isinstance(self.max_iter, bool) or not isinstance(self.max_iter, Integral):
            raise TypeError(f"max_iter must be an integer >= 1, got {shown(self.max_iter)}")
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be an integer >= 1, got {shown(self.max_iter)}")
        if not isinstance(self.shuffle, bool | np.bool_):
            raise TypeError(f"shuffle must be True or False, got {shown(self.shuffle)}")

    def _learn_passes(self, model: Any, X: Any, y: np.ndarray, weight: Any) -> str | None:
        """Learn all rows ``max_iter`` times, in a new order each time if ``shuffle`` is set.

        Sets ``n_iter_``, and returns the text of a warning about a poor fit, if any.
        """
        monitor, warning = self._new_monitor(weight, _COMPARED_ROWS), None
        before: Counters = model._counters
        progress = Progress(self._baseline, before, verbose=checked_verbose(self.verbose))

        def on_pass(
            number: int, passes: int, order: np.ndarray, halfway: Counters, end: Counters, n_support: int
        ) -> None:
            nonlocal before, warning
            self.n_iter_ = number
            progress.pass_ended(
                number, passes, end, n_support, repeated=self._later_passes_repeat and number > 1
            )
            # The pass whose errors tell about the fit.
            is_watched = number == (1 if self._later_passes_repeat else passes)
            if monitor is not None and is_watched:
                if number > 1:
                    monitor.begin(before)
                elif len(order) >= 2 * _COMPARED_ROWS:
                    # Only the second half is compared.
                    monitor.begin(halfway)
                    order = order[len(order) // 2 :]
                warning = monitor.update(end, y[order])
            before = end

        passes, shuffle = self.max_iter, self.shuffle
        model.fit(X, y, sample_weight=weight, passes=passes, shuffle=shuffle, on_pass=on_pass)
        return warning

    def _new_monitor(self, weight: Any, rows: int) -> BaselineMonitor | None:
        """Return the monitor of at least `rows` rows; None if the model predicts neither class nor mean."""
        averages = getattr(self, "average", False) is not False and self._algorithm != "online-kernel"
        has_other_aim = averages or getattr(self, "loss", None) == "quantile"
        weighted = weight is not None or getattr(self, "class_weight", None) is not None
        if weighted and not self._baseline.allows_weights:
            return None
        return None if has_other_aim else BaselineMonitor(self._baseline(), rows)

    def _learn_batch(self, model: Any, X: Any, y: np.ndarray, weight: Any, *, first: bool) -> str | None:
        """Learn rows of a stream; return the text of a warning about a poor fit, if any."""
        model.learn(X, y, sample_weight=weight)
        if first:
            self._model = model
            self.n_iter_ = 1
        if first or (weight is not None and not self._baseline.allows_weights):
            self._monitor = self._new_monitor(weight, self._skipped_rows)
        if self._monitor is None:
            return None
        return self._monitor.update(model._counters, y if weight is None else y[weight > 0])

    def _warn_kernel_values(self, X: Any) -> None:
        """Warn the caller of `fit` or the first `partial_fit` if kernel values cannot tell rows apart."""
        message = rows_warning(self._model, X)
        if message is not None:
            text = (
                f'{type(self).__name__}: {message} another gamma, standardised features or scaling="online"'
            )
            warnings.warn(text, stacklevel=4)

    def _warn_ignored(self, *, continues: bool) -> None:
        """Warn the caller of `fit` or `partial_fit` of new parameters that have no effect on the model."""
        if not continues:
            vars(self).pop("_replaced", None)
        replaced = vars(self).get("_replaced", {})
        ignored = {
            name: value for name, value in replaced.items() if not _is_same(getattr(self, name), value)
        }
        if ignored:
            kept = ", ".join(f"{name}={value!r}" for name, value in ignored.items())
            new = ", ".join(f"{name}={getattr(self, name)!r}" for name in ignored)
            text = (
                f"{type(self).__name__} continues its fitted model with {kept}: for {new} call fit with "
                "warm_start=False, or train a clone of the estimator"
            )
            warnings.warn(text, stacklevel=4)

    def _warn_poor_fit(self, message: str | None) -> None:
        """Warn the caller of `fit` or `partial_fit`."""
        if message is not None:
            first = () if getattr(self, "scaling", "online") == "online" else ('scaling="online"',)
            *others, last = (*first, *self._alternatives)
            alternatives = f"{', '.join(others)} or {last}" if others else last
            text = f"{type(self).__name__} {message}: try {alternatives}"
            warnings.warn(text, PoorFitWarning, stacklevel=4)

    def _validate(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, np.ndarray]:
        """Check X and y as scikit-learn does, except the values of X, which the native model checks.

        Returns X as a 2-d array, a CSR matrix or a frame; float32 stays, all else becomes float64.
        """
        fits = is_plain_array(X) and is_plain_target(y) and len(X) == len(y)
        if fits and self._takes_as_it_is(X, reset=reset):
            return X, y
        reject_masked("X", X)
        reject_masked("y", y)
        y = checked_numbers(y, "y") if self._has_numeric_y else y
        y = exact_labels("y", y)
        frame = checked_frame(self, X, reset=reset)
        if frame is not None:
            y = _check_y(y, estimator=self, y_numeric=self._has_numeric_y)
            check_consistent_length(frame, y)
            return frame, y
        if not reset:
            reject_without_names(self._model)
        reject_deep(X, y)
        X, y = validate_data(
            self, checked_numbers(X, "X"), y, **_ACCEPTED, reset=reset, y_numeric=self._has_numeric_y
        )
        return canonical(X), y

    def _takes_as_it_is(self, X: Any, *, reset: bool) -> bool:
        """Return whether scikit-learn would return X unchanged, and set the attributes that it would set.

        Its check for frames of many libraries takes as long as predicting a hundred rows.
        """
        if not is_plain_array(X):
            return False
        if reset:
            vars(self)["n_features_in_"] = X.shape[1]
            vars(self).pop("feature_names_in_", None)
            return True
        known = vars(self)
        return known.get("n_features_in_") == X.shape[1] and "feature_names_in_" not in known

    def _scores(self, X: Any, method: str, **options: Any) -> np.ndarray:
        check_is_fitted(self)
        # n_jobs changes no result, so that a new value takes effect without a fit.
        self._model.n_jobs = self.n_jobs
        if not self._takes_as_it_is(X, reset=False):
            reject_masked("X", X)
            frame = checked_frame(self, X, reset=False)
            if frame is None:
                reject_without_names(self._model)
                X = canonical(validate_data(self, checked_numbers(X, "X"), **_ACCEPTED, reset=False))
            else:
                X = frame
        return getattr(self._model, method)(X, **options)

    def _gamma_of(self, X: Any, kept: np.ndarray | None) -> Any:
        """Return gamma for `fit`, computed from all rows of X or from the rows `kept`; None is the parameter.

        Standardised rows have variance 1 in every feature that is not constant. Hashed rows have the expected
        norm of the raw rows, and mean 0.
        """
        if not (isinstance(self.gamma, str) and self.gamma in ("scale", "standardized")):
            return None
        X = X if kept is None else X[kept]
        if isinstance(X, Frame):
            X = np.column_stack([*X.features().values()])
        is_scale = self.gamma == "scale"
        hashed = self.hash_features
        if self.scaling == "none" and hashed is not None:
            return _standardized_gamma(X) / 8.0 if is_scale else _standardized_gamma(X)
        if self.scaling == "none":
            return _scale_gamma(X) if is_scale else _standardized_gamma(X)
        width = X.max(axis=0) - X.min(axis=0)
        varying = width.count_nonzero() if hasattr(width, "count_nonzero") else np.count_nonzero(width)
        varying = int(varying) if hashed is None else min(int(varying), hashed)
        return (1.0 if is_scale else 8.0) / max(varying, 1)

    @contextmanager
    def _unchanged_if_rejected(self) -> Iterator[None]:
        """Restore the attributes if the call fails: a failed fit leaves the fitted model unchanged."""
        before = dict(vars(self))
        try:
            yield
        except BaseException as error:
            advise(error, "Regressor" if self._has_numeric_y else "Classifier")
            # Key by key, since another thread may be predicting with unchanged attributes.
            for key in vars(self).keys() - before.keys():
                del vars(self)[key]
            vars(self).update(before)
            raise

    if not TYPE_CHECKING:  # type checkers report unknown attributes
        __getattr__ = hinting(ESTIMATOR)

    def plot(self, ax: "Axes | None" = None, *, X: Any = None, y: Any = None) -> "Axes":
        """Plot the model with `budgetrs.plot_model`, which describes the parameters; return the axes."""
        check_is_fitted(self)
        return plot_model(self, ax, X=X, y=y)

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.categorical = True
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the name of each feature after one-hot encoding: the columns of ``support_vectors_``.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of X; by default ``feature_names_in_``, or else ``"x0"``, ``"x1"``, ...
            They must equal ``feature_names_in_`` where the columns have names.

        Returns
        -------
        ndarray of str, shape (d,)
            The column, or "column=category" for each category of a categorical column, in the order of the
            columns of ``support_vectors_``, ``linear_coef_`` and ``components_``.

        Raises
        ------
        ValueError
            If the estimator is not fitted, hashes its features, or has columns of other names.
        """
        check_is_fitted(self)
        if self._model.params["hash_features"] is not None:
            raise ValueError("get_feature_names_out needs hash_features=None: hashed features have no names")
        names = _check_feature_names_in(self, input_features)
        if hasattr(self._model, "feature_names_in_"):
            return self._model.get_feature_names_out()
        return np.asarray(names)

    @property
    def support_vectors_(self) -> np.ndarray:
        """Support vectors in insertion order, shape (n_support_vectors_, d).

        d counts the features after one-hot encoding (one per category) and hashing.
        """
        return self._learned("support_vectors_")

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of the support vectors.

        The shape is (1, n_support_vectors_) for two classes and for regression, otherwise (n_classes,
        n_support_vectors_).
        """
        return self._learned("dual_coef_")

    @property
    def n_support_vectors_(self) -> int:
        """Number of support vectors."""
        return self._learned("n_support_vectors_")

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows learned over all passes, without rows of weight 0."""
        return self._learned("n_samples_seen_")

    @property
    def n_updates_(self) -> int:
        """Number of rows that changed the model."""
        return self._learned("n_updates_")

    @property
    def n_maintenances_(self) -> int:
        """Number of budget maintenance steps: how often `maintenance` was applied (diagnostic)."""
        return self._learned("n_maintenances_")

    @property
    def mean_weight_degradation_(self) -> float:
        """Mean norm of the change of the weight vector per application of `maintenance` (diagnostic)."""
        return self._learned("mean_weight_degradation_")

    @property
    def recent_error_(self) -> float:
        """Error of about the last 1,000 rows, each predicted just before it was first learned."""
        return self._learned("recent_error_")

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importance of each column of X for the prediction, which `plot_importances` describes."""
        check_is_fitted(self)
        return feature_importances(self)

    @property
    def gamma_(self) -> float:
        """Present value of gamma."""
        return self._learned("gamma_")


@cache
def _defaults(estimator: type) -> dict[str, Any]:
    """Return the defaults of an estimator's native parameters; the classifiers handle `class_weight`."""
    parameters = signature(estimator).parameters
    own = (name for name in sorted(parameters) if name in TABLE and name != "class_weight")
    return {name: parameters[name].default for name in own}


def _scale_gamma(X: Any) -> float | None:
    try:
        return _core.scale_gamma(X)
    except ParameterError:
        return None  # Learning raises an error with the name of the column.


def _standardized_gamma(X: Any) -> float:
    """Return 8 over the mean squared norm of the rows, clipped to the valid range of gamma."""
    values = np.asarray(X.data if hasattr(X, "data") and hasattr(X, "indptr") else X, np.float64)
    sq_norm = float(np.square(values).sum()) / X.shape[0]
    return float(np.clip(8.0 / sq_norm, 1e-30, 1e30)) if sq_norm > 0 else 8.0


def _is_same(value: Any, default: Any) -> bool:
    """Return whether a parameter has its default value; an array never has."""
    if value is default:
        return True
    return isinstance(value, str | bool | int | float | np.generic) and bool(value == default)
