"""The output of a benchmark, kept in the folder results below the command that printed it."""

from __future__ import annotations

import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
REPOSITORY = RESULTS.parents[2]
PICTURES = REPOSITORY / "docs" / "pictures"
README = REPOSITORY / "README.md"


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

    def replace_table(self, path: Path, command: str) -> None:
        """Replace the table above the line that names the command by the table of the output."""
        table = [line for line in self.lines if line.startswith("|")]
        lines = path.read_text().splitlines()
        end = next(at for at, line in enumerate(lines) if f"{command}` printed this table" in line) - 1
        start = end
        while lines[start - 1].startswith("|"):
            start -= 1
        path.write_text("\n".join([*lines[:start], *table, *lines[end:]]) + "\n")
