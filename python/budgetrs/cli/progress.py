"""Progress on standard error: a bar on a terminal, a plain line every few seconds elsewhere."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Self

from . import report
from .errors import forget
from .report import Line


class Progress:
    """Shows nothing; the base class of progress displays.

    `update` may be called at any rate: output is limited to one per `interval` seconds.
    """

    interval = float("inf")

    def __init__(self, title: str) -> None:
        self.title = title
        self.start = time.perf_counter()
        self._last = self.start

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Clear the line."""

    def update(self, fraction: float | None, rows: int, *status: Line) -> None:
        """Show the fraction done (None: unknown), the rows, and more lines, the most important first."""
        now = time.perf_counter()
        if now - self._last < self.interval:
            return
        self._last = now
        self.show(fraction, rows, now - self.start, status)

    def show(self, fraction: float | None, rows: int, seconds: float, status: Sequence[Line]) -> None:
        """Show the current state."""
        per_second = rows / max(seconds, 1e-9)
        texts = [str(line.value) for line in status]
        self._show(self.drawn(fraction, [f"{rows:,} rows", f"{per_second:,.0f} rows/s", *texts]))

    def drawn(self, fraction: float | None, parts: Sequence[str]) -> str:
        """Format the current state."""
        raise NotImplementedError

    def _show(self, text: str) -> None:
        """Write to standard error; if that is closed, continue without."""
        if text and sys.stderr is not None:
            try:
                sys.stderr.write(text)
                sys.stderr.flush()
            except OSError:
                self.interval = float("inf")
                forget(sys.stderr)


class Lines(Progress):
    """A line every few seconds, for logs."""

    interval = 5.0

    def drawn(self, fraction: float | None, parts: Sequence[str]) -> str:  # noqa: D102
        share = [] if fraction is None else [f"{100 * fraction:3.0f}%"]
        return f"{self.title}: {'  '.join([*share, *parts])}\n"


class Bar(Progress):
    """One line that is redrawn; strings that do not fit a narrow terminal are omitted."""

    interval = 0.1
    _shortest, _longest = 6, 30

    def __init__(self, title: str) -> None:
        super().__init__(title)
        unicode = (sys.stderr.encoding or "").lower().startswith("utf")
        self._full, self._empty = ("█", "░") if unicode else ("#", "-")

    def __exit__(self, *_: object) -> None:
        if self._last > self.start:
            self._show("\r\x1b[K")

    def drawn(self, fraction: float | None, parts: Sequence[str]) -> str:  # noqa: D102
        room, bar = _columns() - 1, 0
        texts = [self.title]
        if fraction is not None:
            texts.append(f"{100 * fraction:3.0f}%")
            bar = self._shortest
        for part in parts:
            if len("  ".join([*texts, part])) + (bar and bar + 2) > room:
                break
            texts.append(part)
        if fraction is not None:
            bar = min(self._longest, room - len("  ".join(texts)) - 2)
            full = round(fraction * bar)
            if bar >= self._shortest:
                texts.insert(1, self._full * full + self._empty * (bar - full))
        return f"\r{'  '.join(texts)[:room]}\x1b[K"


class Objects(Progress):
    """An object in JSON a line, on standard output."""

    interval = Bar.interval

    def show(self, fraction: float | None, rows: int, seconds: float, status: Sequence[Line]) -> None:  # noqa: D102
        fields = {name: value for line in status for name, value in line.fields.items()}
        report.event(
            "progress",
            stage=self.title,
            fraction=fraction,
            rows=rows,
            rows_per_second=report.share(rows, seconds),
            **fields,
        )


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def progress(title: str, *, quiet: bool = False) -> Progress:
    """Choose the display for the progress of a task."""
    if quiet:
        return Progress(title)
    if report.is_json():
        return Objects(title)
    if sys.stderr is None:
        return Progress(title)
    terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return Bar(title) if terminal else Lines(title)
