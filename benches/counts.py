"""Instructions of small fixed runs beside recorded ones: slowdowns, whatever the load of the machine.

    python benches/counts.py [--record]

valgrind counts the instructions of examples/counted.rs, run by run, without the generation of the rows.
Counts depend on the SIMD level (valgrind supports AVX2 at most, not AVX-512) and on the compiler: only counts
of equal level, compiler and profile are compared. If a run takes over 3% more instructions than recorded in
benches/results/counts.txt, the exit code is 1; `--record` writes that file instead. Without valgrind the exit
code is 77.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
RECORDED = Path(__file__).resolve().parent / "results" / "counts.txt"
COMMAND = "$ python benches/counts.py"
PROFILE = "dist"
MISSING = 77
SLOWER = 1.03  # times as many instructions are reported

Counts = dict[str, tuple[int, int]]  # rows and instructions of each run


def build() -> Path:
    """The program, compiled with the profile of the wheels."""
    command = ["cargo", "build", "--quiet", "--profile", PROFILE, "--example", "counted"]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    told = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    (folder,) = re.findall(r'"target_directory":"([^"]+)"', told.stdout)
    return Path(folder) / PROFILE / "examples" / "counted"


def instructions(program: Path, name: str, part: str) -> tuple[int, str]:
    """The number of instructions of one process, and its SIMD level."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, name, part]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit(f"{name}: {done.stderr.strip()}")
    return int(found[1]), done.stdout.strip()


def read() -> tuple[str, Counts]:
    """The recorded environment and counts; empty if there is no file."""
    if not RECORDED.is_file():
        return "", {}
    _, where, _, *lines = RECORDED.read_text().splitlines()
    found = {}
    for line in lines:
        name, rows, count, _ = line.replace(",", "").split()
        found[name] = (int(rows), int(count))
    return where, found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", action="store_true", help="write benches/results/counts.txt")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("missing: valgrind")
        sys.exit(MISSING)
    program = build()
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    runs = {name: int(rows) for name, rows in (line.split() for line in listed.splitlines())}
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout
    where, recorded = read()
    lines, slower, here = [], [], ""
    for name, rows in runs.items():
        before, _ = instructions(program, name, "prepare")
        count, level = instructions(program, name, "measure")
        count -= before
        if not here:
            here = f"{' '.join(compiler.split()[:2])}, profile {PROFILE}, {level}"
            head = f"{'run':20}{'rows':>8}{'instructions':>16}{'per row':>10}"
            lines += [here, head]
            print(f"{here}\n{head}  of those recorded")
            if recorded and where != here:
                print(f"not compared, for the record is of {where}")
        line = f"{name:20}{rows:8,}{count:16,}{count / rows:10,.0f}"
        lines.append(line)
        told = ""
        if where == here and recorded.get(name, (0, 0))[0] == rows:
            ratio = count / recorded[name][1]
            told = f"{ratio:9.3f}" + (" SLOWER" if ratio > SLOWER else "")
            slower += [name] if ratio > SLOWER else []
        print(f"{line}{told}", flush=True)
    if options.record:
        RECORDED.write_text("\n".join([COMMAND, *lines]) + "\n")
    elif slower:
        sys.exit(f"over {SLOWER - 1:.0%} more instructions than recorded: {', '.join(slower)}")


if __name__ == "__main__":
    main()
