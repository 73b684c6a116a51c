"""The directive `printed`: what a program of the repository prints, run when the site is built.

``.. printed:: experiments.calibration.report`` runs ``python -m experiments.calibration.report`` in the root
of the repository and shows the command and its output. The option `from` leaves out what comes before the
first line that begins so, `until` what comes from such a line on. The option `picture` shows one that the
program draws into the folder after ``--pictures``.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures" / "drawn"


@functools.cache
def output(arguments: str) -> str:
    """Return what ``python -m arguments`` prints; an error ends the build."""
    command = [sys.executable, "-m", *arguments.split()]
    environment = {**os.environ, "COLUMNS": "90"}  # as wide as a block of the page
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout


class Printed(Directive):
    """A literal block with the output of a program."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = dict.fromkeys(("from", "until", "picture"), directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Run the program and make the block."""
        lines = output(self.arguments[0]).strip("\n").splitlines()
        if "from" in self.options:
            lines = lines[find(lines, self.options["from"]) :]
        if "until" in self.options:
            lines = lines[: find(lines, self.options["until"])]
        command = f"$ python -m {self.arguments[0]}".replace("python -m budgetrs ", "budgetrs ")
        text = "\n".join([command, *lines]).rstrip()
        block = nodes.literal_block(text, text, classes=["printed"])
        block["language"] = "none"
        if "picture" not in self.options:
            return [block]
        name = self.options["picture"]
        output(f"{self.arguments[0]} --pictures {PICTURES}")
        return [nodes.image(uri=f"/pictures/drawn/{name}", alt="the figure of this table"), block]


def find(lines: list[str], beginning: str) -> int:
    """Return the number of the first line that begins so."""
    return next(i for i, line in enumerate(lines) if line.startswith(beginning))


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("printed", Printed)
    return {"parallel_read_safe": True}
