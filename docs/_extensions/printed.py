"""The directive `printed`: what a program of the repository prints, run when the site is built.

``.. printed:: measure calibration --report`` runs ``python -m measure calibration --report`` in the root
of the repository and shows the command and its output. The option `picture` shows a picture that the program
draws into the folder after ``--pictures``.
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
    option_spec: ClassVar[dict[str, Any]] = {"picture": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Run the program and make the block."""
        lines = output(self.arguments[0]).strip("\n").splitlines()
        command = f"$ python -m {self.arguments[0]}".replace("python -m budgetrs ", "budgetrs ")
        text = "\n".join([command, *lines]).rstrip()
        block = nodes.literal_block(text, text, classes=["printed"])
        block["language"] = "none"
        if "picture" not in self.options:
            return [block]
        name = self.options["picture"]
        output(f"{self.arguments[0]} --pictures {PICTURES}")
        return [nodes.image(uri=f"/pictures/drawn/{name}", alt="the figure of this table"), block]


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("printed", Printed)
    return {"parallel_read_safe": True}
