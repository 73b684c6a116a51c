"""Peak memory while learning a long stream: from a generator, and from files through the command line.

The peak is read after 10%, 50% and 100% of the stream, and of files of these lengths. It must not grow.
"""

import tempfile
from pathlib import Path

from ..cells import Options, Output
from ..clock import in_new_process, peak_memory
from .files import train

SHARES = (0.1, 0.5, 1.0)
BLOCK = 100_000  # rows made, learned or written at a time
SLACK = 8.0  # MB that the peak may grow after the first tenth
OPTIONS = {"rows": (10_000_000, "rows"), "budget": (500, "support vectors")}
QUICK = {"rows": 1_000_000}


def learn_generated(n_rows: int, budget: int) -> list[float]:
    """The peak in MB at each share of the stream."""
    from budgetrs import Classifier
    from budgetrs._core import checkerboard

    model = Classifier("bsgd-merge", budget=budget, gamma=4.0, classes=[0, 1])
    marks, peaks = [round(share * n_rows) for share in SHARES], []
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        model.learn(*checkerboard(n, seed=start))
        peaks += [peak_memory() for mark in marks if start < mark <= start + n]
    return peaks


def write_checkerboard(path: Path, n_rows: int) -> None:
    """The same stream as LIBSVM text, of 23 bytes per row."""
    from budgetrs._core import checkerboard

    with path.open("w") as file:
        for start in range(0, n_rows, BLOCK):
            x, y = checkerboard(min(BLOCK, n_rows - start), seed=start)
            rows = zip((x + 2).tolist(), y.tolist(), strict=True)  # from [-1.73, 1.73] to positive numbers
            file.writelines(f"{'+' if label else '-'}1 1:{a:.5f} 2:{b:.5f}\n" for (a, b), label in rows)


def main(options: Options, output: Output) -> None:
    peaks = {"generator": in_new_process(learn_generated, options.rows, options.budget), "command line": []}
    model = ["--algorithm", "bsgd-merge", "--budget", str(options.budget), "--set", "gamma=4"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkerboard.libsvm"
        for share in SHARES:
            in_new_process(write_checkerboard, path, round(share * options.rows))
            peaks["command line"].append(float(train(path, model)["peak memory"].partition(" ")[0]))
    for name, found in peaks.items():
        flat = found[-1] - found[0] <= SLACK
        shown = ", ".join(f"{share:.0%} {peak:.1f} MB" for share, peak in zip(SHARES, found, strict=True))
        output(f"{name}: {shown} ({'flat' if flat else 'NOT FLAT'})")
        output.failed += not flat
