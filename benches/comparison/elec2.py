"""Accuracy along the electricity stream Elec2, beside River's models: predict each row, then learn it.

    python -m benches.comparison.elec2 [--keep]

Run it from the root of the repository; it takes two minutes. The stream and the models are defined in
`on_river.py`. Each line has the accuracy over all rows so far. `--keep` writes the output to
benches/comparison/results/elec2.txt; `python -m scripts.pictures elec2` draws it.
"""

from __future__ import annotations

import argparse
import sys

from benches.comparison.kept import Shown
from experiments.common import MissingDataError

from .on_river import MODELS, elec2

MISSING = 77
STEP = 1_000
DRAWN = (
    *("budgetrs, B = 100", "budgetrs, B = 500"),
    *("HoeffdingAdaptiveTree", "ARFClassifier", "LogisticRegression, scaled"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.elec2",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--keep", action="store_true", help="write the result file")
    options = parser.parse_args()
    try:
        stream = elec2()
    except MissingDataError as error:
        print(f"missing: {error}")
        sys.exit(MISSING)
    models = {name: MODELS[name]() for name in DRAWN}
    right = dict.fromkeys(models, 0)
    show = Shown()
    show("accuracy in % of all rows so far: " + "; ".join(models))
    for number, (x, y) in enumerate(stream, 1):
        for name, model in models.items():
            right[name] += model.predict_one(x) == y
            model.learn_one(x, y)
        if number % STEP == 0:
            show(f"{number:6}" + "".join(f"{100 * count / number:8.2f}" for count in right.values()))
    if options.keep:
        show.keep("elec2")


if __name__ == "__main__":
    main()
