"""Progress on standard error: a bar on a terminal, a plain line every few seconds elsewhere."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Self

from . import report
from .errors import discard_output
from .report import Line


class Progress:
    """Shows nothing; the base class of progress displays.

    `update` may be called at any rate: output is limited to once per `interval` seconds.
    """

    interval: float = float("inf")

    def __init__(self, title: str) -> None:
        self.title = title
        self.start: float = time.perf_counter()
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
        speed = f"{rows / max(seconds, 1e-9):,.0f} rows/s"
        first, *rest = [str(line.value) for line in status] or [""]
        left = seconds_left(fraction, seconds)
        texts = ["" if left is None else f"{_clock(left)} left", f"{rows:,} rows", first, speed, *rest]
        self._show(self.drawn(fraction, list(filter(None, texts))))

    def drawn(self, fraction: float | None, parts: Sequence[str]) -> str:
        """Format the current state."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Print a line of text."""
        self._show(f"{text}\n")

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.say(f"budgetrs: warning: {text}")

    def _show(self, text: str) -> None:
        """Write to standard error; if that is closed, continue without."""
        if text and sys.stderr is not None:
            try:
                sys.stderr.write(text)
                sys.stderr.flush()
            except OSError:
                self.interval = float("inf")
                discard_output(sys.stderr)


class Lines(Progress):
    """A line every few seconds, for logs."""

    interval: float = 5.0

    def drawn(self, fraction: float | None, parts: Sequence[str]) -> str:  # noqa: D102
        share = [] if fraction is None else [f"{100 * fraction:3.0f}%"]
        return f"{self.title}: {'  '.join([*share, *parts])}\n"


class Bar(Progress):
    """One line that is redrawn; strings that do not fit a narrow terminal are omitted.

    The width of the bar depends only on the terminal, so that it does not move with the strings after it.
    """

    interval: float = 0.1
    _shortest, _longest = 6, 30
    # The bar takes one part in so many of the terminal's width.
    _share = 8

    def __init__(self, title: str) -> None:
        super().__init__(title)
        unicode = (sys.stderr.encoding or "").lower().startswith("utf")
        self._full, self._empty = ("█", "░") if unicode else ("#", "-")

    def __exit__(self, *_: object) -> None:
        if self._last > self.start:
            self._show("\r\x1b[K")

    def say(self, text: str) -> None:  # noqa: D102
        super().say(f"\r\x1b[K{text}")

    def drawn(self, fraction: float | None, parts: Sequence[str]) -> str:  # noqa: D102
        columns = _columns()
        room, texts = columns - 1, [self.title]
        if fraction is not None:
            width = min(self._longest, max(self._shortest, columns // self._share))
            full = round(fraction * width)
            share = f"{100 * fraction:3.0f}%"
            if len("  ".join([self.title, share])) + width + 2 <= room:
                texts.append(self._full * full + self._empty * (width - full))
            texts.append(share)
        for part in parts:
            if len("  ".join([*texts, part])) > room:
                break
            texts.append(part)
        return f"\r{'  '.join(texts)[:room]}\x1b[K"


class Objects(Progress):
    """One JSON object per line, on standard output."""

    interval: float = Bar.interval

    def show(self, fraction: float | None, rows: int, seconds: float, status: Sequence[Line]) -> None:  # noqa: D102
        fields = {name: value for line in status for name, value in line.fields.items()}
        if (left := seconds_left(fraction, seconds)) is not None:
            fields["seconds_left"] = left
        fields = {
            "fraction": fraction,
            "rows": rows,
            "rows_per_second": report.share(rows, seconds),
            **fields,
        }
        report.event("progress", stage=self.title, **fields)


def seconds_left(fraction: float | None, seconds: float) -> float | None:
    """Estimate the remaining seconds; None in the first second, and if the fraction is unknown."""
    if not fraction or fraction >= 1 or seconds < 1:
        return None
    return seconds * (1 - fraction) / fraction


def _clock(seconds: float) -> str:
    """Format a duration: 0:05, 12:34 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


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
