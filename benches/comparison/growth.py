"""Training time and model size against the number of rows, beside a kernel SVM trained on all rows at once.

    python -m benches.comparison.growth [--quick] [--keep]

Run it from the root of the repository; it takes two minutes. The rows are a 4 x 4 checkerboard of which 5% of
the labels are wrong. Time is processor time in one thread, size the bytes of the saved model, accuracy is on
20,000 rows without wrong labels. `--keep` writes the output to benches/comparison/results/growth.txt;
`python -m scripts.pictures growth` draws it.
"""

from __future__ import annotations

import argparse
import pickle
import time

import numpy as np
from benches.comparison.kept import Shown
from sklearn.svm import SVC

from budgetrs import Classifier
from budgetrs._core import checkerboard

ROWS = tuple(1_000 << i for i in range(11))
SVC_ROWS = 64_000  # above, the SVM takes minutes
BUDGET, GAMMA = 100, 4.0
WRONG = 0.05


def rows(count: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = checkerboard(count, seed=count)
    return x, np.where(np.random.default_rng(count).random(count) < WRONG, 1 - y, y)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.comparison.growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="at most 16,000 rows")
    parser.add_argument("--keep", action="store_true", help="write the result file")
    options = parser.parse_args()
    show = Shown()
    test, truth = checkerboard(20_000, seed=1)
    show(f"budgetrs: budget {BUDGET}, nothing tuned; SVC: scikit-learn, rbf, gamma {GAMMA:g}, C 1")
    show(f"{'model':10}{'rows':>10}{'seconds':>10}{'model kB':>10}{'vectors':>9}{'accuracy':>10}")
    for count in ROWS[:5] if options.quick else ROWS:
        x, y = rows(count)
        for name in ("budgetrs", "SVC"):
            if name == "SVC" and count > SVC_ROWS:
                continue
            began = time.process_time()
            if name == "SVC":
                model = SVC(gamma=GAMMA).fit(x, y)
                seconds, size, vectors = (
                    time.process_time() - began,
                    len(pickle.dumps(model)),
                    len(model.support_),
                )
            else:
                model = Classifier(budget=BUDGET, n_jobs=1).learn(x, y)
                seconds, size, vectors = (
                    time.process_time() - began,
                    len(model.to_bytes()),
                    model.n_support_vectors_,
                )
            accuracy = np.mean(model.predict(test) == truth)
            show(f"{name:10}{count:10,}{seconds:10.4f}{size / 1024:10.1f}{vectors:9,}{accuracy:10.1%}")
    if options.keep:
        show.keep("growth")


if __name__ == "__main__":
    main()
