"""Whether this checkout computes the results of another commit, at every SIMD level of this machine.

    python benches/compare_digests.py BASE [--every N] [--own-script]

`make digests BASE=COMMIT` runs it after building the extension module. The sources of BASE are unpacked in
out/digests, where its extension module is built once. `benches/digests.py` then runs with both packages, and
every case that differs is named. The exit code is 1 if any result differs. All cases take minutes per level
and package; the digests of BASE are kept for the next comparison.

Both packages run the script of this checkout. If public names changed since BASE, `--own-script` has BASE run
its script.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from digests import compare, read

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = Path("benches", "digests.py")
LEVELS = ("avx512", "avx2", "neon", "portable")


def git(*arguments: str) -> bytes:
    """The output of a git command in this checkout."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def environment(level: str, package: Path | None = None) -> dict[str, str]:
    """The environment of a process with a SIMD level, and with the package of a folder if one is given."""
    path = {} if package is None else {"PYTHONPATH": str(package)}
    return {**os.environ, "BUDGETRS_SIMD": level, **path}


def levels() -> list[str]:
    """The SIMD levels of this machine: importing the package fails with any other one."""
    command = [sys.executable, "-c", "import budgetrs"]
    return [
        level
        for level in LEVELS
        if subprocess.run(command, env=environment(level), capture_output=True, check=False).returncode == 0
    ]


class Base:
    """The commit to compare with: its sources, its built package and its digests, below out/digests."""

    def __init__(self, revision: str) -> None:
        commit = git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
        self.commit = commit
        self.folder = ROOT / "out" / "digests" / commit
        self.source = self.folder / "source"
        self.package = self.folder / "package"

    def build(self) -> None:
        """Build the package, unless an earlier comparison has built it."""
        if self.package.exists():
            return
        with tarfile.open(fileobj=io.BytesIO(git("archive", self.commit))) as archive:
            archive.extractall(self.source, filter="data")
        wheels = self.folder / "wheels"
        # One target folder, so that the dependencies are compiled once for both.
        variables = {"CARGO_TARGET_DIR": str(ROOT / "target"), "PYO3_PYTHON": sys.executable}
        maturin = [str(Path(sys.executable).with_name("maturin")), "build", "--profile", "dev", "--quiet"]
        subprocess.run(
            [*maturin, "--auditwheel", "skip", "--interpreter", sys.executable, "--out", str(wheels)],
            cwd=self.source,
            env={**os.environ, **variables},
            check=True,
        )
        (wheel,) = wheels.glob("*.whl")
        new = self.folder / "package.new"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(new)
        new.rename(self.package)

    def digests(self, script: Path, level: str, every: int) -> Path:
        """The file of the digests that a script prints with this package; it runs once."""
        version = hashlib.sha256(script.read_bytes()).hexdigest()[:8]
        file = self.folder / f"{level}-every-{every}-{version}.txt"
        if not file.exists():
            new = file.with_suffix(".new")
            with new.open("w") as out:
                command = [sys.executable, str(script), "--every", str(every)]
                subprocess.run(command, env=environment(level, self.package), stdout=out, check=True)
            new.rename(file)
        return file


def equal_at(level: str, base: Base, script: Path, every: int) -> bool:
    """Compare the digests at one SIMD level."""
    print(f"\n== {level}", flush=True)
    before = read(base.digests(script, level, every), every)
    command = [sys.executable, str(ROOT / SCRIPT), "--every", str(every)]
    with subprocess.Popen(command, env=environment(level), stdout=subprocess.PIPE, text=True) as process:
        pairs = (text.rstrip("\n").split(" ", 1) for text in process.stdout or ())
        equal = compare(before, ((name, text) for name, text in pairs))
    return equal and process.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", metavar="BASE", help="the commit to compare with")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run one case in N (1)")
    parser.add_argument("--own-script", action="store_true", help="BASE runs its own benches/digests.py")
    options = parser.parse_args()
    base = Base(options.base)
    base.build()
    script = (base.source if options.own_script else ROOT) / SCRIPT
    # A list, so that every level is compared.
    equal = [equal_at(level, base, script, options.every) for level in levels()]
    sys.exit(not all(equal))


if __name__ == "__main__":
    main()
