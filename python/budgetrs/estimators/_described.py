"""The docstrings of the estimators and of the methods that train them."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from .. import _core
from .._documents import attributes, diagnostics, documented, fill
from ._base import BudgetedEstimator

_Class = TypeVar("_Class", bound=type[BudgetedEstimator])


# Descriptions of parameters without the algorithms and strategies that only the native classes have.
_TEXTS = {
    "n_neighbors": "The number of support vectors that the removed one is projected onto: the ones most "
    "correlated with it. More of them lose less of the model and take longer. None is 4.",
    "stream_length": "The number of rows of the whole stream. An `average` over a share of the rows is exact "
    "only with this number. None means unknown.",
    "project_to_ball": "Whether the weight vector is projected onto the ball of radius ``1 / sqrt(alpha)`` "
    "after each update.",
    "C": "The largest step of an update. Decrease it on noisy data: try 0.01 to 10. Sample weights multiply "
    "it.",
    "epsilon": "The largest error without loss, in the units of y.",
    "scaling": '"online" standardises each feature by its running mean and standard deviation and clips the '
    'result at 3 standard deviations; "none" does not scale. Use "online" unless the features are scaled '
    "already. A value more than 30 median absolute deviations from the median does not update the "
    "running mean and standard deviation. Any other value more than ``2 sqrt(n)`` standard deviations from "
    "the mean of n rows updates them as if it were at this distance. Zeros are shifted too, so a sparse row "
    "takes time proportional to the number of features.",
    "linear_weight": "The weight of a linear term, which needs no support vectors: the kernel becomes ``k + "
    "linear_weight * (x @ x' + 1) / (n_features + 1)``. Use a linear term if part of the target is "
    "linear. None has no linear term.",
    "margin": 'With ``maintenance="distill"``, support vectors whose leave-one-out margin is at least '
    "`margin` are removed (beta in Crammer, Kandola and Singer 2003). None is 0.01.",
}

_X = "X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)"
_WEIGHT = """\
sample_weight : array-like of shape (n_samples,) or float, default=None
    Weights of the rows, from 0 to 1e9. In `OnlineKernelClassifier` and `OnlineKernelRegressor` a row of q
    times the mean weight acts as about q rows. In the other estimators a weight multiplies the step of the
    row, or `C`. Rows of weight 0 are skipped."""

_FIT = """\
Parameters
----------
{X}
    Finite numbers, or NaN if the estimator accepts missing values. Text and categorical columns of a data
    frame (of pandas, or with the Arrow C stream interface: polars, pyarrow, DuckDB) are one-hot encoded.
    float32 is computed in float32, all other types in float64.
y : array-like of shape (n_samples,)
    {targets}
{weight}

Returns
-------
self
    The fitted {kind}.

Raises
------
ValueError
    If X, y or a parameter is invalid, if the squared norm or ``k(x, x)`` of a row exceeds 1e28 (1e140 in
    float64), or if the {fixed} with `warm_start` differ from the fitted model. The fitted model stays
    unchanged.

Warns
-----
PoorFitWarning
    If the model is not better than {baseline}: see `PoorFitWarning`.
UserWarning
    If nearly all kernel values are 0 or 1, because gamma is too large or too small. Checked only without
    scaling, hashing and metric learning."""

_PARTIAL_FIT = """\
The first call reads the parameters. Later calls, and calls after `fit`, read only {read_later}.
`max_iter`, `shuffle`, `warm_start` and `verbose` apply to `fit` only. With ``gamma="scale"``, gamma is
recomputed just before rows 2, 4, 8, ..., 1024 from the variance of all earlier rows; after row 1024 it is
constant.

Parameters
----------
{X}
    Finite numbers, or NaN as in `fit`. The first call determines the float type of the model.
y : array-like of shape (n_samples,)
    {more_targets}
{weight}

Returns
-------
self
    The {kind}.

Raises
------
ValueError
    As `fit`. The model stays unchanged.

Warns
-----
PoorFitWarning
    As `fit`, at most once per stream.
UserWarning
    As `fit`, in the first call."""


def trained_by(**texts: str) -> Callable[[_Class], _Class]:
    """Document `fit` and `partial_fit` of a base class; `texts` replace the placeholders."""

    def assemble(cls: _Class) -> _Class:
        for method, text in ((cls.fit, _FIT), (cls.partial_fit, _PARTIAL_FIT)):  # pyright: ignore[reportAttributeAccessIssue]
            fill(method, "{training}", text.format(X=_X, weight=_WEIGHT, **texts).splitlines())
        return cls

    return assemble


def described(
    *,
    fitted: Mapping[str, str] | None = None,
    own: Mapping[str, tuple[str, str]] | None = None,
    diagnosed: Mapping[str, str] | None = None,
    instead: Mapping[str, tuple[str, str]] | None = None,
    texts: Mapping[str, str] | None = None,
    **more: str,
) -> Callable[[_Class], _Class]:
    """Document the parameters and attributes of an estimator; see `documented`.

    `fitted` and `diagnosed` have texts of attributes and diagnostics that differ from the texts of other
    estimators, `own` types and texts of attributes that no other estimator has, `instead` types and texts of
    parameters, `texts` descriptions of parameters that replace the core's, and `more` one more sentence for
    some parameters.
    """

    def assemble(cls: _Class) -> _Class:
        regression = cls._native is _core.Regressor
        valid = _core._choices(cls._algorithm, regression)
        for maintenance, other in cls._by_maintenance.items():
            text = _core._choices(other, regression)["maintenance"][maintenance]
            valid["maintenance"][maintenance] = text

        def applies(choice: str, value: str) -> set[str]:
            by_maintenance = cls._by_maintenance if choice == "maintenance" else {}
            return set(_core.applicable(by_maintenance.get(value, cls._algorithm), **{choice: value}))

        _take_known_names(cls)
        gamma = '`fit` computes "scale" and "standardized" from all rows of X.'
        length = "Exception: in `fit`, None is the number of rows times `max_iter`."
        return documented(
            valid=valid,
            applies=applies,
            found=attributes(regression=regression, texts=fitted or {}, first=own or {}),
            diagnosed=diagnostics(regression=regression, texts=diagnosed or {}),
            instead=instead or {},
            texts={**_TEXTS, **(texts or {})},
            **{"gamma": gamma, "stream_length": length, **more},
        )(cls)

    return assemble


def _take_known_names(cls: Any) -> None:
    """Have the constructor suggest the nearest name for an unknown parameter, as the native classes do."""
    init: Callable[..., None] = cls.__init__
    names = cls._get_param_names()

    @wraps(init)
    def checked(self: BudgetedEstimator, *args: Any, **params: Any) -> None:
        _core._reject_unknown(list(params), names)
        init(self, *args, **params)

    # Python's errors show the qualified name.
    checked.__qualname__ = init.__qualname__ = f"{cls.__name__}.__init__"
    cls.__init__ = checked
