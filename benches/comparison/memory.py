"""Peak memory while learning a long stream: from a generator, and from a file through the command line.

Each runs in a separate process, whose peak resident memory is read after 10%, 50% and 100% of the stream. The
peak must not grow.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from budgetrs import Classifier
from budgetrs._core import checkerboard

SHARES = (0.1, 0.5, 1.0)
BLOCK = 100_000  # rows made, learned or written at a time
SLACK = 8.0  # MB that the peak may grow after the first tenth, for saving the model


def learn_generated(n_rows: int, budget: int) -> None:
    """The child of the first run: prints the peak in MB at each share of the stream."""
    model = Classifier("bsgd-merge", budget=budget, gamma=4.0, classes=[0, 1])
    marks = [round(share * n_rows) for share in SHARES]
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        model.learn(*checkerboard(n, seed=start))
        for _ in (mark for mark in marks if start < mark <= start + n):
            print(peak_memory(), flush=True)


def write_checkerboard(path: Path, n_rows: int) -> None:
    """LIBSVM text, 23 bytes to the row: `+1 1:0.12345 2:3.12345`."""
    values = np.array([f"{i / 1e5:.5f}".encode() for i in range(400_000)]).view(np.uint8).reshape(-1, 7)
    template = np.frombuffer(b"+1 1:0.00000 2:0.00000\n", np.uint8)
    with path.open("wb") as file:
        for start in range(0, n_rows, BLOCK):
            x, y = checkerboard(min(BLOCK, n_rows - start), seed=start)
            lines = np.tile(template, (len(x), 1))
            lines[:, 0] = np.where(y == 1, ord("+"), ord("-"))
            index = ((x + 2) * 1e5).astype(np.int64)  # from [-1.73, 1.73] to positive numbers of one digit
            lines[:, 5:12], lines[:, 15:22] = values[index[:, 0]], values[index[:, 1]]
            file.write(lines.tobytes())


def peak_memory(pid: int | str = "self") -> float:
    """The peak resident memory of a process so far, in MB; of this process if there is no /proc."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024


def position(pid: int, path: Path) -> int:
    """How far a process has read a file, from /proc."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        if link.resolve() == path:
            return int(Path(f"/proc/{pid}/fdinfo/{link.name}").read_text().split()[1])
    return 0


def watch_command(command: list[str], path: Path) -> list[float]:
    """Run a command that reads `path`; its peak in MB when it has read each share of it, and at its end."""
    size, peaks, peak = path.stat().st_size, [], 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                if len(peaks) < len(SHARES) - 1 and position(process.pid, path) >= SHARES[len(peaks)] * size:
                    peaks.append(peak_memory(process.pid))
                peak = max(peak, peak_memory(process.pid))
            except OSError:  # it ended while we were looking
                pass
            time.sleep(0.005)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return [*peaks, peak]


def verdict(name: str, peaks: list[float], seconds: float) -> bool:
    flat = len(peaks) == len(SHARES) and peaks[-1] - peaks[0] <= SLACK
    shown = ", ".join(f"{share:.0%} {peak:.1f} MB" for share, peak in zip(SHARES, peaks, strict=False))
    print(f"{name}: {shown} ({'flat' if flat else 'NOT FLAT'}; {seconds:.1f} s)", flush=True)
    return flat


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--budget", type=int, default=500)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        learn_generated(options.rows, options.budget)
        return
    shared = ["--rows", str(options.rows), "--budget", str(options.budget)]
    began = time.perf_counter()
    child = subprocess.run(
        [sys.executable, __file__, *shared, "--child"], capture_output=True, text=True, check=False
    )
    if child.returncode != 0:
        sys.exit(child.stderr)
    flat = verdict("generator", [float(line) for line in child.stdout.split()], time.perf_counter() - began)
    if not Path("/proc/self/fdinfo").is_dir():
        sys.exit("the run over a file needs /proc to see how far it was read")
    with tempfile.TemporaryDirectory() as folder:
        path, model = Path(folder).resolve() / "checkerboard.libsvm", Path(folder) / "checkerboard.model"
        write_checkerboard(path, options.rows)
        print(f"file of {path.stat().st_size / 1e6:.0f} MB, {os.cpu_count()} processors", flush=True)
        command = [sys.executable, "-m", "budgetrs", "train", str(path), "--algorithm", "bsgd-merge"]
        command += ["--budget", str(options.budget), "--set", "gamma=4", "-q", "-o", str(model)]
        began = time.perf_counter()
        peaks = watch_command(command, path)
        flat &= verdict("command line", peaks, time.perf_counter() - began)
    sys.exit(0 if flat else 1)


if __name__ == "__main__":
    main()
