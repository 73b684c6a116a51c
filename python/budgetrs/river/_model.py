"""The base class of the classifier and the regressor."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np

from river import base

from .._call_errors import unqualified
from .._errors import ParameterError, not_fitted, unexpected
from .._frames import Frame, frame_of
from .._hints import RIVER, add_hints
from .._signatures import named

if TYPE_CHECKING:
    import pandas as pd

Row = dict[base.typing.FeatureName, Any]
Name = base.typing.FeatureName
DEFAULT = "default"
"""The value of a parameter that is not given: the algorithm sets it."""

_Class = TypeVar("_Class", bound="type[Model]")


@unqualified
class Model(base.Estimator):
    """A `budgetrs.Classifier` or `budgetrs.Regressor` whose rows are dicts."""

    _kind: ClassVar[Any]
    # The types of the parameters, by name.
    _types: ClassVar[Any]
    # The prediction before the first row.
    _untrained: ClassVar[Any]
    _native: Any
    _given: dict[str, Any]
    algorithm: str

    def _begin(self, algorithm: str, n_jobs: int | None, own: dict[str, Any], params: dict[str, Any]) -> None:
        given = {
            name: value for name, value in params.items() if not (isinstance(value, str) and value == DEFAULT)
        }
        self._native = self._kind(algorithm, n_jobs=n_jobs, **own, **given)
        self._given = given
        vars(self).update(own, algorithm=algorithm)
        # The text of each name and the reverse, unless all names are strings.
        self._texts: dict[Name, str] = {}
        self._names: dict[str, Name] = {}

    @property
    def native(self) -> Any:
        """The `budgetrs.Classifier` or `budgetrs.Regressor`, whose columns have the names of the features."""
        return self._native

    @property
    def recent_error_(self) -> float:
        """Error of about the last 1,000 rows, each predicted just before it was learned."""
        return self._learned("recent_error_")

    @property
    def n_drifts_(self) -> int:
        """Number of abrupt drifts detected."""
        return self._learned("n_drifts_")

    @property
    def drift_rows_(self) -> np.ndarray:
        """Numbers of rows learned at the last abrupt drifts, at most 16, in ascending order."""
        return self._learned("drift_rows_")

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that apply, with their values."""
        return self._native.params

    @property
    def feature_names(self) -> tuple[Name, ...]:
        """The names of the features learned, in the order of the columns of `native`."""
        texts = getattr(self._native, "feature_names_in_", ())
        return tuple(self._names.get(text, text) for text in texts)

    @property
    def n_jobs(self) -> int | None:
        """Number of threads of `predict_many`, which `mutate` may change."""
        return self._native.n_jobs

    @n_jobs.setter
    def n_jobs(self, n_jobs: int | None) -> None:
        self._native.n_jobs = n_jobs

    @property
    def _mutable_attributes(self) -> set[str]:
        # After the first row the setters raise an error that says what to do instead.
        return {"n_jobs", *self._native.params}

    def _get_params(self) -> dict[str, Any]:
        params = super()._get_params()
        return params | {name: self._given.get(name, DEFAULT) for name in self._types.__annotations__}

    def __repr__(self) -> str:
        # Without the parameters that are not given.
        hidden = self._types.__annotations__.keys() - self._given
        lines = super().__repr__().splitlines()
        return "\n".join(line for line in lines if line.strip().partition("=")[0] not in hidden)

    def __or__(self, other: Any) -> NoReturn:
        # In River's pipeline the transformer would predict, and errors would name neither the order nor it.
        own, after = type(self).__name__, type(other).__name__
        raise TypeError(f"{own} must be the last step of a pipeline: {after}() | {own}()")

    def learn_one(self, x: Row, y: Any, w: float = 1.0) -> None:
        """Learn a row and its label or target.

        Parameters
        ----------
        x : dict
            Values by feature name: numbers, strings as categories, and None, NaN or NA if missing. A row
            without features is all zeros, and is skipped while no feature is known.
        y : bool, str, int or float
            The label, which may be a new class; all labels have one type. Or the target, from -1e15 to 1e15.
        w : float, default=1.0
            Weight of the row, from 0 to 1e9. A row of weight 0 is skipped.

        Raises
        ------
        TypeError, ParameterError
            If a value is neither a number nor a string, a feature has another type than before, or the label
            has another type. The model stays unchanged.
        """
        row = self._row(x, learns=True)
        if row or self._native.n_samples_seen_:
            try:
                self._native.learn_one(row, y, sample_weight=w, add_features=True)
            except ParameterError as error:
                if error.parameter != "sample_weight":
                    raise
                raise ParameterError(f"w must be a number from 0 to 1e9, got {w!r}", "w") from None

    def predict_one(self, x: Row, **kwargs: Any) -> Any:
        """Predict the label or target of a row; None or 0 before the first row.

        Parameters
        ----------
        x : dict
            As in `learn_one`. Unknown features are ignored.

        Returns
        -------
        bool, str, int, float or None
            The prediction.
        """
        for name in kwargs:
            raise unexpected("predict_one", name)
        row = self._row(x)
        try:
            return self._native.predict_one(row)
        except AttributeError:  # NotFittedError
            return self._untrained

    def learn_many(self, X: pd.DataFrame, y: pd.Series, w: float | pd.Series = 1.0) -> None:
        """Learn the rows of a frame one after the other.

        Parameters
        ----------
        X : DataFrame of shape (n, d)
            Values as in `learn_one`. A feature without a column is 0. Frames of polars and pyarrow are
            accepted too.
        y : Series of shape (n,)
            The labels or targets of the rows.
        w : float or Series of shape (n,), default=1.0
            Weight of all rows, or of each row, from 0 to 1e9. A row of weight 0 is skipped.

        Raises
        ------
        ValueError
            If a value is invalid. Nothing is learned.
        """
        frame = self._frame(X, learns=True)
        if len(frame) and (frame.names or self._native.n_samples_seen_):
            weight = np.full(len(frame), w) if np.ndim(w) == 0 else w
            try:
                self._native.learn(frame, y, sample_weight=weight, add_features=True)
            except ParameterError as error:
                if error.parameter != "sample_weight":
                    raise
                raise ParameterError(str(error).replace("sample_weight", "w"), "w") from None

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the labels or targets of the rows of a frame; None or 0 before the first row.

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

        frame = self._frame(X)
        found = self._ask(self._native.predict, frame, before=[self._untrained] * len(frame))
        return pd.Series(found, index=getattr(X, "index", None))

    def _learned(self, name: str) -> Any:
        """Return an attribute of the native model; the error before the first row names `learn_one`."""
        try:
            return getattr(self._native, name)
        except AttributeError as error:
            raise not_fitted(str(error).replace("learn(X, y)", "learn_one(x, y)")) from None

    def _ask(self, predict: Callable[..., Any], row: Any, *, before: Any, **options: Any) -> Any:
        """Return a prediction, or `before` if no row was learned."""
        try:
            return predict(row, **options)
        except AttributeError:  # NotFittedError
            return before

    def _row(self, x: Row, *, learns: bool = False) -> Mapping[Any, Any]:
        """Return a row whose names are strings."""
        if not isinstance(x, dict | Mapping):
            advice = ": dict(enumerate(x)) makes one of a list or an array"
            raise TypeError(
                f"x must be a dict of values by the names of their features, got {x!r:.100}{advice}"
            )
        texts = self._strings(x, learns)
        return x if texts is x else dict(zip(texts, x.values(), strict=True))

    def _frame(self, X: Any, *, learns: bool = False) -> Frame:
        """Return a frame whose columns have names that are strings."""
        is_pandas = hasattr(X, "iloc") and hasattr(X, "columns")
        frame = frame_of(X.set_axis(self._strings(X.columns, learns), axis=1) if is_pandas else X)
        if frame is None:
            raise TypeError(
                f"X must be a data frame, whose columns have names, got a {type(X).__name__}: "
                "pandas.DataFrame(X) makes one"
            )
        if not is_pandas:
            self._strings(frame.names, learns)
        return frame

    def _strings(self, names: Iterable[Name], learns: bool) -> Iterable[str]:
        """Return the names of features as strings; other names are remembered if they are learned."""
        if not self._texts and {*map(type, names)} <= {str}:
            return names  # pyright: ignore[reportReturnType]
        new = {name: str(name) for name in names if name not in self._texts}
        if new:
            known: dict[Any, Name] = self._names or {name: name for name in self.feature_names}
            own: dict[str, Name] = {}
            for name, text in new.items():
                if (other := known.get(text, own.setdefault(text, name))) != name:
                    raise ParameterError(f"rename the feature {other!r} or {name!r}: as text they are equal")
            if learns:
                known.update(own)
                self._texts.update(new)
                self._names = known
        return [self._texts[name] if name in self._texts else new[name] for name in names]


def one_coverage(coverage: Any) -> Any:
    """Return a coverage that is no list, which the native models accept."""
    if np.ndim(coverage):
        wanted = "coverage must be a number from 0.01 to 0.999"
        raise ParameterError(f"{wanted}, got {coverage!r}: call it once per coverage", "coverage")
    return coverage


add_hints(Model, RIVER)


def with_parameters(cls: _Class) -> _Class:
    """Name the parameters of a model in its signature, and make them attributes."""
    init: Any = cls.__init__
    init.__signature__ = named(inspect.signature(init), cls._kind, cls._types)
    for name in cls._types.__annotations__:
        setattr(cls, name, _parameter(name))
    return cls


def _parameter(name: str) -> property:
    """Return the attribute of a parameter: its value, or None if it does not apply."""

    def replace(model: Model, value: Any) -> None:
        if model._native.n_samples_seen_:
            raise AttributeError(
                f"{name} cannot change after the first row: clone({{{name!r}: ...}}) begins anew"
            )
        own = {key: vars(model)[key] for key in ("classes", "feature_space") if key in vars(model)}
        model._begin(model.algorithm, model.n_jobs, own, {**model._given, name: value})

    return property(lambda model: model._native.params.get(name), replace)
