"""SIGKILL while models are saved: the file is whole, an old one or a new one, and alone in its folder."""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import budgetrs

from .cases import Draw, expect
from .pool import ROOT

SECONDS = 60.0

SAVES = """
import sys, budgetrs, numpy as np
rng = np.random.default_rng(0)
model = budgetrs.Classifier("bsgd-random", budget=2000, gamma=1e-3)
model.learn(rng.normal(size=(2500, 100)).astype("float32"), rng.integers(0, 2, 2500))
print("ready", flush=True)
while True:
    model.learn_one(rng.normal(size=100).astype("float32"), 1)
    model.save(sys.argv[1])
"""


def case(draw: Draw) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        if draw.index % 2:
            train(draw, path)
        else:
            save(draw, path)


def killed(process: subprocess.Popen, after: float) -> None:
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()


def whole(path: Path, among: set[str]) -> None:
    """Expect a whole file alone in its folder; what a kill at the exchange left is gone after a save."""
    left = {one.name for one in path.parent.iterdir()} - among
    expect(not left - {path.name, f".{path.name}.budgetrs-new"}, f"nothing else is left: {sorted(left)}")
    if path.exists():
        model = budgetrs.Classifier.load(path)
        model.save(path)
    left = {one.name for one in path.parent.iterdir()} - among
    expect(not left - {path.name}, f"no file but the model is left in the folder: {sorted(left)}")


def save(draw: Draw, path: Path) -> None:
    """Kill a program that saves all the time, a few times over the same file."""
    for _ in range(3):
        program = [sys.executable, "-c", SAVES, str(path)]
        process = subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        expect(process.stdout and process.stdout.readline(), "the program begins")
        after = draw.random.uniform(0, 0.1)
        draw.note(f"killed after {after:.4f} s of saving")
        killed(process, after)
        if process.stdout:
            process.stdout.close()
    whole(path, set())


def train(draw: Draw, path: Path) -> None:
    """Kill a training that goes on from a model and writes over it."""
    rng, data = random.Random(0), path.with_name("data.csv")
    lines = (
        ",".join(f"{rng.gauss(0, 1):.3f}" for _ in range(20)) + f",{rng.randrange(2)}" for _ in range(3000)
    )
    data.write_text("\n".join(lines))
    numbers = np.random.default_rng(0).normal(size=(50, 20)).astype("float32")
    budgetrs.Classifier("bsgd-random", budget=2000, gamma=0.01).learn(numbers, np.arange(50) % 2).save(path)
    command = [
        sys.executable,
        "-m",
        "budgetrs",
        "train",
        str(data),
        "-o",
        str(path),
        "-q",
        "--resume",
        str(path),
    ]
    start = time.monotonic()
    subprocess.run(command, cwd=ROOT, check=True)
    took = time.monotonic() - start
    for _ in range(3):
        # Most of the kills fall where the model is written, at the end.
        after = took * draw.random.choice((draw.random.uniform(0.1, 1.1), draw.random.uniform(0.8, 1.0)))
        draw.note(f"killed after {after:.4f} s of {took:.4f} s")
        killed(subprocess.Popen(command, cwd=ROOT), after)
        budgetrs.Classifier.load(path)
    whole(path, {"data.csv"})
