"""What the native classes have that is written in Python: HTML for notebooks."""

from html import escape
from typing import Any

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


def complete(base: Any) -> None:
    """Add these methods to the base of the native classes."""
    base._repr_html_ = _html
