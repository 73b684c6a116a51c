"""Progress on standard error: a bar on a terminal, a plain line every few seconds elsewhere."""

import shutil
import sys
import time
from typing import Any, Self

_REDRAW = 0.1
_LINES = 5.0


class Progress:
    """Shows nothing; the base of those that do.

    `update` may be called as often as there is news: drawing is limited in time.
    """

    interval = float("inf")

    def __init__(self, title: str) -> None:
        self.title = title
        self.start = time.perf_counter()
        self._last = self.start

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, fraction: float | None, rows: int, status: str = "") -> None:
        """Tell how far it is: the part done (None: unknown), the rows, and more text."""
        now = time.perf_counter()
        if now - self._last < self.interval:
            return
        self._last = now
        per_second = rows / max(now - self.start, 1e-9)
        self.draw(fraction, f"{rows:,} rows  {per_second:,.0f} rows/s  {status}".rstrip())

    def draw(self, fraction: float | None, text: str) -> None:
        """Draw the present state."""

    def close(self) -> None:
        """Leave the line."""


class Lines(Progress):
    """A line every few seconds, for logs."""

    interval = _LINES

    def draw(self, fraction: float | None, text: str) -> None:  # noqa: D102
        share = "" if fraction is None else f"{100 * fraction:3.0f}%  "
        print(f"{self.title}: {share}{text}", file=sys.stderr, flush=True)


class Bar(Progress):
    """One line that is drawn over and over."""

    interval = _REDRAW
    _width = 24

    def __init__(self, title: str) -> None:
        super().__init__(title)
        unicode = (sys.stderr.encoding or "").lower().startswith("utf")
        self._full, self._empty = ("█", "░") if unicode else ("#", "-")
        self._drawn = False

    def draw(self, fraction: float | None, text: str) -> None:  # noqa: D102
        bar = ""
        if fraction is not None:
            full = round(fraction * self._width)
            bar = f"{self._full * full}{self._empty * (self._width - full)} {100 * fraction:3.0f}%  "
        columns = shutil.get_terminal_size().columns
        line = f"{self.title}  {bar}{text}"[: columns - 1]
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()
        self._drawn = True

    def close(self) -> None:  # noqa: D102
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class RichBar(Progress):
    """The same with rich."""

    interval = _REDRAW

    def __init__(self, title: str) -> None:
        super().__init__(title)
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[status]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: Any = self._bar.add_task(title, total=None, status="")
        self._bar.start()

    def draw(self, fraction: float | None, text: str) -> None:  # noqa: D102
        total = None if fraction is None else 1.0
        self._bar.update(self._task, total=total, completed=fraction or 0.0, status=text)

    def close(self) -> None:  # noqa: D102
        self._bar.stop()


def progress(title: str, *, quiet: bool = False) -> Progress:
    """Choose how to show the progress of a task."""
    if quiet:
        return Progress(title)
    if not sys.stderr.isatty():
        return Lines(title)
    try:
        return RichBar(title)
    except ImportError:
        return Bar(title)
