"""Processes that are killed while they save a model, in a loop, at random moments."""

import subprocess
import sys
from pathlib import Path
from random import Random

from budgetrs import Classifier

# Large enough that the writing takes most of the time.
SAVING = """
import sys
import numpy as np
from budgetrs import Classifier
X = np.random.default_rng(0).normal(size=(200, 5000)).astype(np.float32)
model = Classifier("bsgd-random", budget=200, gamma=1e-4).learn(X, np.arange(200) % 2)
while True:
    model.save(sys.argv[1])
    print(end=".", flush=True)
"""


def kill_saving(path: Path, count: int, seed: int = 0) -> int:
    """Kill so many processes that save to the same file, and check the folder after each.

    The file must be whole, and after another save the only one of its folder. Returns how many of the
    processes left anything beside it: temporary files that were about to replace the file.
    """
    random, left = Random(seed), 0
    for i in range(count):
        with subprocess.Popen([sys.executable, "-c", SAVING, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.read(1)  # the first save is over
            try:
                process.wait(random.uniform(0, 0.05))
            except subprocess.TimeoutExpired:
                process.kill()
        found = sorted(file.name for file in path.parent.iterdir())
        temporary = f".{path.name}.budgetrs-new"
        assert found in ([path.name], [temporary, path.name]), f"kill {i} of seed {seed} left {found}"
        left += temporary in found
        Classifier.load(path).save(path)
        assert [file.name for file in path.parent.iterdir()] == [path.name], f"kill {i} of seed {seed}"
    return left
