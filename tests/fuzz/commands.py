"""Mutated data files through the command line, in this process.

It ends with a documented exit code and without a traceback, and writes a model only where the exit code is 0.
"""

import contextlib
import io
import tempfile
from pathlib import Path

from budgetrs import Classifier, Regressor
from budgetrs.cli import main

from .cases import Draw, expect
from .readers import MEMORY as MEMORY
from .readers import drawn, start

SECONDS = 3.0


def case(draw: Draw) -> None:
    run(draw, *drawn(draw))


def run(draw: Draw, kind: str, ending: str, data: bytes) -> None:
    """Train on the file, predict it, and measure on it."""
    with tempfile.TemporaryDirectory() as folder:
        path, model = Path(folder, f"data.{ending}"), Path(folder, "model")
        path.write_bytes(data)
        task = draw.choice(("classification", "regression"))
        options = ["--task", task, "--budget", "5", "-q", "--passes", draw.choice(("1", "1", "2"))]
        if draw.chance(0.3):
            options += ["--json"]
        code = called(draw, "train", str(path), "-o", str(model), *options)
        expect(model.exists() == (code == 0), f"a model is written where the exit code is 0, got {code}")
        if not code:
            (Regressor if task == "regression" else Classifier).load(model)
            good = Path(folder, f"good.{ending}")
            good.write_bytes(start(kind))
            for name, rows in (("predict", path), ("evaluate", path), ("evaluate", good)):
                called(draw, name, str(model), str(rows))


def called(draw: Draw, *arguments: str) -> int:
    """Run the command line: its exit code, which is a documented one."""
    out, err = io.StringIO(), io.StringIO()
    draw.note("budgetrs " + " ".join(arguments))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = end.code
    said = err.getvalue()
    expect(code in (0, 1, 2), f"the exit code is 0, 1 or 2, got {code}: {said}")
    expect("Traceback" not in said, f"no traceback: {said}")
    expect(code == 0 or said.strip(), "an error is said")
    return code
