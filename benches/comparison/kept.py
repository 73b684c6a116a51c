"""The output of a benchmark, kept in the folder results below the command that printed it."""

from __future__ import annotations

import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
REPOSITORY = RESULTS.parents[2]


class Shown:
    """Prints lines and remembers them."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, line: str = "") -> None:
        print(line, flush=True)
        self.lines.append(line.rstrip())

    def keep(self, name: str, variant: str = "") -> None:
        """Write the lines to the file of a benchmark, or of a variant of it, atomically."""
        options = [option for option in sys.argv[1:] if option != "--keep"]
        command = " ".join(["$ python -m", f"benches.comparison.{name}", *options])
        file = f"{name}-{variant}" if variant else name
        new = RESULTS / f"{file}.new"
        new.write_text("\n".join([command, *self.lines]) + "\n")
        new.replace(RESULTS / f"{file}.txt")
