"""What the native classes have that is written in Python: HTML for notebooks, and an error for skops."""

from html import escape
from typing import Any, NoReturn

from . import _core


def _html(self: _core.NativeModel) -> str:
    """Return the model's ``repr`` as HTML, with its parameters to be unfolded; notebooks show it."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(repr(value))}</td></tr>"
        for name, value in self.params.items()
    )
    rows_seen = getattr(self, "n_seen_", 0)
    return (
        f"<details><summary>{escape(repr(self))}, {rows_seen:,} rows learned</summary>"
        f"<table>{rows}</table></details>"
    )


def _refuse_state(self: _core.NativeModel) -> NoReturn:
    """Refuse to give a state: skops would load a model that has learned nothing.

    `pickle`, `joblib`, `cloudpickle` and `copy` do not ask for it; they write the whole model.
    """
    name = type(self).__name__
    raise TypeError(
        f"a {name} cannot be written by its state: write the bytes of to_bytes and read them by "
        f"{name}.from_bytes, or write an estimator"
    )


def complete(base: Any) -> None:
    """Add these methods to the base of the native classes."""
    base._repr_html_ = _html
    base.__getstate__ = _refuse_state
