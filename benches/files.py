"""Rows per second of ``budgetrs train`` on real files: decompressing, parsing, looking through, learning.

The files are looked for in the folder that BUDGETRS_DATA names, by default ../shared/data beside the
repository. Those that are missing are left out and listed; the exit code is then 77.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("BUDGETRS_DATA") or REPOSITORY.parent / "shared" / "data")
MISSING = 77
SGD = ["--algorithm", "bsgd-merge"]  # fast, so that reading shows
RUNS = {  # the file, and the options of the model
    "a9a.train.libsvm.xz": [*SGD, "--gamma", "0.01"],
    "ijcnn1.train.libsvm.xz": [*SGD, "--gamma", "1"],
    "covertype.libsvm.xz": [*SGD, "--gamma", "0.3", "--standardize"],
}


def train(path: Path, options: list[str]) -> dict[str, str]:
    """Train a model on a file; what the command printed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "budgetrs", "train", str(path), "-q", "-o", f"{folder}/model"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path.name}: {done.stderr.strip()}")
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budget", type=int, default=100, metavar="N", help="support vectors (100)")
    options = parser.parse_args()
    missing = [name for name in RUNS if not (DATA / name).is_file()]
    for name, model in RUNS.items():
        if name not in missing:
            found = train(DATA / name, ["--budget", str(options.budget), *model])
            accuracy = found["progressive accuracy"]
            print(
                f"{name}: {found['rows/s']} rows/s, {accuracy} progressive accuracy, {found['peak memory']}"
            )
    for name in missing:
        print(f"missing: {DATA / name}")
    sys.exit(MISSING if missing else 0)


if __name__ == "__main__":
    main()
