"""budgetrs beside scikit-learn, LightGBM and River in one run: accuracy, speed, latency, memory and size.

    python -m benches.comparison.peers [--quick] [--sets a9a letter ...] [--keep]

Run it from the root of the repository; it takes a quarter of an hour. Each model learns and predicts in a
separate process, in one thread; models that learn sets in one pass take turns in several rounds, and medians
are shown. Rows per second are of processor time, latencies of wall time. `models.py` has the settings of the
models. `--keep` writes the output to benches/comparison/results/peers.txt; `python -m scripts.pictures speed
peers` draws it.

Data are read from the folder that BUDGETRS_DATA names, by default ../shared/data beside the repository; sets
whose file is missing are skipped and listed, and the exit code is then 77. The peers need their packages
(``pip install '.[peers]'``); peers whose package is missing are skipped as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benches.comparison.kept import Shown
from experiments.common import MissingDataError

from . import data, tables
from .limits import FULL, QUICK
from .models import ENTRANTS, NYSTROEM, OF_STREAMS, TREE
from .runs import Cells

MISSING = 77
QUICK_SETS = ("a9a", "letter", "covertype-200k", "elec2")
NOT_QUICK = (NYSTROEM, TREE)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sets = [*data.SETS, *data.STREAMS]
    parser.add_argument("--sets", nargs="+", choices=sets, metavar="SET", help=f"of {', '.join(sets)} (all)")
    parser.add_argument("--rounds", type=int, help="times that models of one pass learn a set (3)")
    parser.add_argument("--quick", action="store_true", help="a part of the sets and of the models, once")
    parser.add_argument("--keep", action="store_true", help="write the result file")
    return parser.parse_args()


def main() -> None:
    options = parse()
    limits = QUICK if options.quick else FULL
    if options.rounds:
        limits = replace(limits, rounds=options.rounds)
    chosen = options.sets or (QUICK_SETS if options.quick else [*data.SETS, *data.STREAMS])
    show, missing, cells = Shown(), [], Cells(limits)
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            try:
                found = (
                    data.load_stream(name, limits) if name in data.STREAMS else data.load_set(name, limits)
                )
            except MissingDataError as error:
                missing.append(str(error))
                continue
            titles = OF_STREAMS if found.is_stream else tuple(ENTRANTS)
            if options.quick:
                titles = tuple(title for title in titles if title not in NOT_QUICK)
            cells.run(Path(folder) / name, found, titles)
            tables.show_set(show, found, cells, titles)
    tables.show_ratios(show, cells)
    for reason in missing:
        show(f"missing: {reason}")
    if cells.failed:
        sys.exit(f"{cells.failed} cells failed")
    if options.keep:
        show.keep("peers")
    sys.exit(MISSING if missing else 0)


if __name__ == "__main__":
    main()
