"""The methods of the native classes that are written in Python: HTML for notebooks, a figure, hints."""

from html import escape
from typing import Any

from . import _core
from ._call_errors import explained_call
from ._explanation import explain_one
from ._hints import NATIVE, NO_SKLEARN, add_hints
from ._importances import feature_importances
from ._plot import plot_model
from ._table import TABLE


def _repr(self: _core.NativeModel) -> str:
    """Return the class, the algorithm, the budget, and the number of support vectors."""
    name, budget = type(self).__name__, self.params.get("budget")
    return f'{name}("{self.algorithm}", budget={budget}) with {self.n_support_vectors_} support vectors'


def _html(self: _core.NativeModel) -> str:
    """Return the model's ``repr`` as HTML for notebooks, with its parameters folded."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(repr(value))}</td></tr>"
        for name, value in self.params.items()
    )
    return (
        f"<details><summary>{escape(repr(self))}, {self.n_samples_seen_:,} rows learned</summary>"
        f"<table>{rows}</table></details>"
    )


def _plot(self: _core.NativeModel, ax: Any = None, *, X: Any = None, y: Any = None) -> Any:
    """Plot the model with `budgetrs.plot_model`, which describes the parameters; return the axes."""
    return plot_model(self, ax, X=X, y=y)


def _importances(self: _core.NativeModel) -> Any:
    """Return the importance of each column for the prediction, which `plot_importances` describes."""
    self.n_features_in_  # noqa: B018  # raises before the first row
    return feature_importances(self)


def _set(self: _core.NativeModel, name: str, value: Any) -> None:
    # Other errors name the class that defines the attribute, which is private.
    try:
        object.__setattr__(self, name, value)
    except AttributeError:
        raise _read_only(self, name) from None


def _delete(self: _core.NativeModel, name: str) -> None:
    try:
        object.__delattr__(self, name)
    except AttributeError:
        raise _read_only(self, name) from None


def _read_only(model: _core.NativeModel, name: str) -> AttributeError:
    kind = type(model).__name__
    if name.startswith("_"):  # scikit-learn sets such attributes
        return AttributeError(NO_SKLEARN.format(kind=kind))
    advice = "parameters are arguments of the constructor, and learning sets the other attributes"
    return AttributeError(f"{name} of a {kind} cannot be set or deleted: {advice}")


def complete(base: Any) -> None:
    """Add what is written in Python to the base of the native classes: methods, hints and errors."""
    base.__setattr__, base.__delattr__ = _set, _delete
    base.__repr__, base._repr_html_ = _repr, _html
    for name, method in (("plot", _plot), ("explain_one", explain_one)):
        method.__name__, method.__qualname__ = name, f"{base.__name__}.{name}"
        setattr(base, name, method)
    base.feature_importances_ = property(_importances)
    for kind in (base, *base.__subclasses__()):
        for name in {"save", "predict_set", "predict_interval"} & vars(kind).keys():
            setattr(kind, name, explained_call(vars(kind)[name]))
    params = {name: f'read params["{name}"]' for name in TABLE}
    add_hints(base, params | NATIVE)
