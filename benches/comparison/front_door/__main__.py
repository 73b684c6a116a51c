"""The default model without tuning, on raw rows, beside the models that users would choose instead.

    python -m benches.comparison.front_door --table classification --sets letter a9a
    python -m benches.comparison.front_door --table drift --budgets 100 --no-peers
    python -m benches.comparison.front_door --quick    # a part of each table: less than a minute

Run it from the root of the repository. Each finished run is one line of OUTPUT/TABLE.csv. Finished runs are
not repeated, so an interrupted benchmark continues (use a new folder after a change of the model). Each
figure of budgetrs is followed by the floor, which is the figure of a prototype, and by "ok" if the figure is
at least the floor less two standard errors of its runs.

Data are read from the folder that BUDGETRS_DATA names, by default ../shared/data beside the repository; sets
whose file is missing are skipped and listed, and the exit code is then 77. The peers need their packages
(``pip install '.[peers]'``); peers whose package is missing are skipped as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from experiments.common import MissingDataError
from experiments.common.data import REPOSITORY

from . import arrivals, classification, drift, passes, probabilities, regression, robust, speed
from .cells import Table

MISSING = 77
QUICK = ("letter", "a9a", "ijcnn1", "cadata", "abalone", "space_ga", "hyperplane")  # the sets of --quick
TABLES = {
    "classification": classification,
    "regression": regression,
    "drift": drift,
    "arrivals": arrivals,
    "probabilities": probabilities,
    "robust": robust,
    "passes": passes,
    "speed": speed,
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.front_door",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sets = sorted({name for table in TABLES.values() for name in table.SETS})
    parser.add_argument("--table", choices=[*TABLES, "all"], default="all", help="which table (all)")
    parser.add_argument(
        "--sets", nargs="+", choices=sets, default=sets, metavar="SET", help=f"of {', '.join(sets)} (all)"
    )
    parser.add_argument("--budgets", nargs="+", type=int, default=[100, 500], metavar="B", help="(100 500)")
    parser.add_argument("--permutations", type=int, metavar="N", help="runs of each cell (5; large sets 3)")
    parser.add_argument("--rows", type=int, metavar="N", help="rows to learn and to test on at most (all)")
    parser.add_argument("--algorithm", default="online-kernel", metavar="NAME", help="ours (online-kernel)")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True, help="run the peers")
    parser.add_argument("--svm-rows", type=int, default=30_000, metavar="N", help="of SVC and SVR (30000)")
    parser.add_argument("--svm-seconds", type=float, default=1800, metavar="S", help="at most (1800)")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "out" / "front_door", metavar="DIR")
    parser.add_argument(
        "--quick", action="store_true", help="2 runs of small sets with 100 vectors, no peers, nothing kept"
    )
    return parser.parse_args()


def main() -> None:
    options = parse()
    if not options.quick:
        run(options)
        return
    options.sets, options.budgets, options.permutations, options.peers = QUICK, [100], 2, False
    with tempfile.TemporaryDirectory() as folder:
        options.output = Path(folder)
        run(options)


def run(options: argparse.Namespace) -> None:
    missing, failed = set(), 0
    for title in TABLES if options.table == "all" else [options.table]:
        module = TABLES[title]
        chosen = [name for name in module.SETS if name in options.sets]
        if not chosen:
            continue
        print(f"\n{title}: {module.__doc__.splitlines()[0]}", flush=True)
        table = Table(title, module.MEASURES, options)
        for name in chosen:
            try:
                module.run(name, table, options)
            except MissingDataError as error:
                missing.add(str(error))
        failed += table.failed
    for reason in sorted(missing):
        print(f"missing: {reason}")
    if failed:
        sys.exit(f"{failed} cells failed")
    sys.exit(MISSING if missing else 0)


if __name__ == "__main__":
    main()
