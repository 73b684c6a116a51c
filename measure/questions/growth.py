"""Training time and model size against the number of rows, compared with a kernel SVM.

`python -m scripts.pictures growth` draws the result.
"""

import pickle

import numpy as np
from sklearn.svm import SVC

from budgetrs import Classifier
from budgetrs._core import checkerboard

from ..cells import Options, Output
from ..clock import seconds

BUDGET, GAMMA, WRONG = 100, 4.0, 0.05
OPTIONS = {"rows": (1_024_000, "rows at most"), "svc_rows": (64_000, "rows of the SVC at most")}
QUICK = {"rows": 16_000}


def main(options: Options, output: Output) -> None:
    test, truth = checkerboard(20_000, seed=1)
    output(f"budgetrs: budget {BUDGET}, nothing tuned; SVC: scikit-learn, rbf, gamma {GAMMA:g}, C 1")
    output(f"{'model':10}{'rows':>10}{'seconds':>10}{'model kB':>10}{'vectors':>9}{'accuracy':>10}")
    for count in (1_000 << i for i in range(11) if 1_000 << i <= options.rows):
        x, y = checkerboard(count, seed=count)
        y = np.where(np.random.default_rng(count).random(count) < WRONG, 1 - y, y)
        ours, svc = Classifier(budget=BUDGET, n_jobs=1), SVC(gamma=GAMMA)
        for name, model in {"budgetrs": ours, **({"SVC": svc} if count <= options.svc_rows else {})}.items():
            took = seconds(ours.learn if model is ours else svc.fit, x, y)
            size = len(ours.to_bytes()) if model is ours else len(pickle.dumps(svc))
            vectors = ours.n_support_vectors_ if model is ours else len(svc.support_)
            accuracy = np.mean(model.predict(test) == truth)
            output(f"{name:10}{count:10,}{took:10.4f}{size / 1024:10.1f}{vectors:9,}{accuracy:10.1%}")
