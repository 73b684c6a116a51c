"""All benchmarks in their short forms, in minutes: ``make bench``.

A benchmark that fails does not stop the others. At the end, failed benchmarks and missing data files and
programs are listed; the exit code is 1 if a benchmark failed, else 0.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MISSING = 77  # exit code of a script that skipped parts because data or programs are missing
CRITERION = ["--warm-up-time", "0.5", "--measurement-time", "1.5", "--sample-size", "10", "--noplot"]
QUESTIONS = ("memory", "text", "sparse", "files", "defaults", "other_libraries", "cost", "growth")
BENCHMARKS = {
    "core": ["cargo", "bench", "--bench", "core", "--", *CRITERION],
    "latency": [sys.executable, str(HERE / "latency.py"), "--quick"],
    "counts": [sys.executable, str(HERE / "counts.py")],
    **{name: [sys.executable, "-m", "measure", name, "--quick"] for name in QUESTIONS},
}


def run(command: list[str]) -> tuple[int, list[str]]:
    """Run a benchmark and show its output; return its exit code, and the missing data and programs."""
    missing = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE.parent) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            if line.startswith("missing: "):
                missing.append(line.removeprefix("missing: ").strip())
    return process.returncode, missing


def main() -> None:
    failed, missing = [], []
    for name, command in BENCHMARKS.items():
        print(f"\n== {name}", flush=True)
        code, missed = run(command)
        missing += missed
        if code not in (0, MISSING):
            failed.append(f"{name} (exit code {code})")
    print()
    if missing:
        print("left out, for these are missing (BUDGETRS_DATA names the folder of data files):")
        print("\n".join(f"  {what}" for what in dict.fromkeys(missing)))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
    print("all benchmarks have run" if not missing else "all other benchmarks have run")


if __name__ == "__main__":
    main()
