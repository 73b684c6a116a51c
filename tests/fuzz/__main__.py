"""The command: ``python -m tests.fuzz``."""

import argparse
import re
import secrets
import sys
import time
from collections import Counter
from pathlib import Path

from .cases import PARTS, module
from .pool import ROOT, Worker

# Of failures that look alike, so many are written.
LIKE = 3
# A case that was too slow is repeated with so many times its time: on a busy machine it may have waited.
PATIENCE = 5


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Run random cases for minutes.")
    parser.add_argument(
        "--minutes", type=float, default=5.0, help="how long all parts take together (default: 5)"
    )
    parser.add_argument("--seed", type=int, help="the seed (default: a new one)")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)} (default: all)")
    parser.add_argument("--cases", type=int, help="run so many cases of each part, whatever time they take")
    parser.add_argument("--case", type=int, help="run the case of this number alone, and keep its files")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz", help="where failures are written")
    given = parser.parse_args()
    given.parts = [part for part in re.split("[, ]+", given.parts) if part]
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"--parts must be some of {','.join(PARTS)}, got {part!r}")
    given.seed = secrets.randbits(32) if given.seed is None else given.seed
    return given


def record(part: str, seed: int, index: int, found: dict, alike: Counter, out: Path) -> bool:
    """Repeat a case that failed, write what it shows, and return whether it has failed.

    A case that was slow, and is not when it is repeated with more time, has not failed.
    """
    # Numbers apart, what happened is the same.
    like = re.sub(r"-?\d[\d.e+-]*|0x[0-9a-f]+", "#", found["kind"])[:120]
    slow = found["kind"].startswith("no answer")
    if not slow and alike[like] >= LIKE:
        return True
    out.mkdir(parents=True, exist_ok=True)
    with Worker(part, seed, PATIENCE * module(part).SECONDS, out) as worker:
        again = worker.run(index)
    failed = not (slow and again["ok"])
    alike[like] += failed
    path = out / f"{part}-{seed}-{index}.txt"
    if not failed or alike[like] > LIKE:
        for file in out.glob(f"{path.stem}.*"):
            file.unlink()
        return failed
    command = f"python -m tests.fuzz --parts {part} --seed {seed} --case {index}"
    repeated = "it happens again" if not again["ok"] else "it did not happen again"
    noted = out / f"{path.stem}.notes.txt"
    notes = noted.read_text() if noted.exists() else ""
    noted.unlink(missing_ok=True)
    path.write_text(f"{command}\n({repeated})\n\n{found['kind']}\n\n{notes}\n\n{found['error']}\n")
    print(f"  {part} {index}: {found['kind'][:160]}\n    {path}", flush=True)
    return True


def run_part(part: str, given: argparse.Namespace, seconds: float) -> int:
    """Run a part for some seconds, or so many cases of it; return the number of failures."""
    run, alike, cases, failures = module(part), Counter(), 0, 0
    start = time.monotonic()
    most = min(filter(None, [given.cases, run.CASES]), default=None)
    indices = [given.case] if given.case is not None else range(2**63 if most is None else most)
    with Worker(part, given.seed, run.SECONDS) as worker:
        for index in indices:
            found = worker.run(index)
            cases += 1
            if not found["ok"]:
                failures += record(part, given.seed, index, found, alike, given.out)
            if most is None and given.case is None and time.monotonic() - start > seconds:
                break
    took = time.monotonic() - start
    print(f"{part}: {cases} cases, {failures} failures, {took:.0f} seconds", flush=True)
    return failures


def main() -> int:
    given = arguments()
    print(f"seed {given.seed}", flush=True)
    timed = [part for part in given.parts if module(part).CASES is None]
    shares = sum(module(part).SHARE for part in timed)
    failures = 0
    for part in given.parts:
        share = 60 * given.minutes * module(part).SHARE / shares if part in timed else 0.0
        failures += run_part(part, given, share)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
