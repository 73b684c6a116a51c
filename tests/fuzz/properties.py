"""The property tests of the core (proptest) and of the package (hypothesis), with the seed of the run."""

import os
import subprocess
import sys

from .cases import Draw, expect
from .pool import ROOT

# Compiling the tests of the core takes minutes. They run to their end, without a share of the time.
SECONDS = 3600.0
CASES = 2


def case(draw: Draw) -> None:
    seed = str(draw.seed)
    if draw.index:
        command = [sys.executable, "-m", "pytest", "-m", "hypothesis", "--hypothesis-profile=fuzz"]
        command += [f"--hypothesis-seed={seed}", "-q"]
    else:
        command = ["cargo", "test", "--workspace", "--lib"]
    draw.note(" ".join(command))
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PROPTEST_RNG_SEED": seed},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    expect(ended.returncode == 0, f"exit code {ended.returncode} of {command[0]}:\n{ended.stdout[-6000:]}")
