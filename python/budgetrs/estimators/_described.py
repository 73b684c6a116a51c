"""The docstrings of the estimators and of the methods that train them."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from .. import _core
from .._documents import attributes, documented, fill
from ._base import BudgetedEstimator

_Class = TypeVar("_Class", bound=type[BudgetedEstimator])


_X = "X : {array-like, CSR matrix, data frame} of shape (n_samples, n_features)"
_WEIGHT = """\
sample_weight : array-like of shape (n_samples,) or float, default=None
    Weights from 0 to 1e9; rows of weight 0 are skipped. In the online kernel machine a row acts as so
    many rows, relative to the mean weight. In the other estimators a weight multiplies the row's step,
    or its largest step if there is a `C`."""

_FIT = """\
Parameters
----------
{X}
    Finite numbers, or NaN where the estimator takes missing values. float32 is computed in
    float32, anything else in float64; rows whose squared norm or ``k(x, x)`` exceeds 1e28 (1e140 in
    float64) raise an error. Where all rows lie far from the origin relative to their distances,
    sparse rows are less precise than dense ones.
    Columns of a data frame (of pandas, or with the Arrow C stream interface: polars, pyarrow, DuckDB)
    may hold words, strings or categories: each word is a feature, 1 where it stands and 0 elsewhere.
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
    If data or parameters are not legal, or with `warm_start` the {fixed} are others than those of
    the fitted model. The fitted model stays as it was.

Warns
-----
PoorFitWarning
    If it predicts clearly worse than always {baseline}.
UserWarning
    If the kernel cannot tell rows apart: nearly all of its values are 0, or 1."""

_PARTIAL_FIT = """\
The parameters except {read_later} are read at the first call; `max_iter`, `shuffle`, `warm_start` and
`verbose` are those of `fit`. With ``gamma="scale"``, gamma is recomputed just before rows 2, 4, 8, ...,
1024 are learned, from the variance of all earlier rows; after that it is constant.

Parameters
----------
{X}
    Finite numbers, or NaN as in `fit`. The first call determines the dtype of the model: float32
    or float64.
y : array-like of shape (n_samples,)
    {more_targets}
{weight}

Returns
-------
self
    The {kind}.

Warns
-----
PoorFitWarning
    As `fit`, but at most once per stream.
UserWarning
    As `fit`, of the first call."""


def trained_by(**words: str) -> Callable[[_Class], _Class]:
    """Document `fit` and `partial_fit` of a base class; `words` fill the places of the texts."""

    def assemble(cls: _Class) -> _Class:
        for method, text in ((cls.fit, _FIT), (cls.partial_fit, _PARTIAL_FIT)):  # pyright: ignore[reportAttributeAccessIssue]
            fill(method, "{training}", text.format(X=_X, weight=_WEIGHT, **words).splitlines())
        return cls

    return assemble


def described(
    *,
    fitted: Mapping[str, str] | None = None,
    own: Mapping[str, tuple[str, str]] | None = None,
    **more: str,
) -> Callable[[_Class], _Class]:
    """Document the parameters and attributes of an estimator; see `documented`.

    `fitted` has texts for attributes that differ from the texts of other estimators, `own` types and texts of
    attributes that no other estimator has, and `more` one more sentence for some parameters.
    """

    def assemble(cls: _Class) -> _Class:
        regression = cls._native is _core.Regressor
        legal = _core._choices(cls._algorithm, regression)
        for maintenance, other in cls._by_maintenance.items():
            text = _core._choices(other, regression)["maintenance"][maintenance]
            legal["maintenance"][maintenance] = text

        def applies(choice: str, value: str) -> set[str]:
            by_maintenance = cls._by_maintenance if choice == "maintenance" else {}
            return set(_core.applicable(by_maintenance.get(value, cls._algorithm), **{choice: value}))

        _take_known_names(cls)
        gamma = "In `fit` the variance is that of all of X."
        found = attributes(regression=regression, texts=fitted or {}, first=own or {})
        return documented(legal=legal, applies=applies, found=found, **{"gamma": gamma, **more})(cls)

    return assemble


def _take_known_names(cls: Any) -> None:
    """Have the constructor suggest the nearest name for an unknown parameter, as the native classes do."""
    init: Callable[..., None] = cls.__init__
    names = cls._get_param_names()

    @wraps(init)
    def checked(self: BudgetedEstimator, *args: Any, **params: Any) -> None:
        _core._refuse_unknown(list(params), names)
        init(self, *args, **params)

    # Python's errors show the qualified name.
    checked.__qualname__ = init.__qualname__ = f"{cls.__name__}.__init__"
    cls.__init__ = checked
