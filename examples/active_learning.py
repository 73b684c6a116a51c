"""Labels cost money: buy only those that can teach the model something.

With the ramp loss a row whose prediction is sure changes nothing, whatever its label (Wang and Vucetic 2010,
section 4.3). `needs_label` says so before the label is known, so the model that buys where it is told to is,
bit for bit, the one that was given all labels.

Run with ``python examples/active_learning.py``. It needs scikit-learn beside budgetrs. With BUDGETRS_DATA set
to a folder that holds a9a.train.libsvm.xz and a9a.test.libsvm.xz it learns who earns more than 50,000 dollars
a year, else scikit-learn's digits.
"""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from budgetrs import Classifier

SEED = 0


def load() -> tuple[str, dict, list[np.ndarray]]:
    """A name, the model's parameters, and training rows, test rows and the labels of both."""
    folder = Path(os.environ.get("BUDGETRS_DATA", "."))
    if not (folder / "a9a.train.libsvm.xz").is_file():
        x, y = load_digits(return_X_y=True)
        parts = train_test_split((x / 16).astype(np.float32), y, random_state=SEED)
        return "digits", {"gamma": 0.2, "C": 1.0, "budget": 200}, parts
    parts = []
    for part in ("train", "test"):
        with lzma.open(folder / f"a9a.{part}.libsvm.xz") as file:
            parts.append(load_svmlight_file(file, n_features=123, dtype=np.float32))
    (x, y), (x_test, y_test) = ((rows.toarray(), labels.astype(int)) for rows, labels in parts)
    scaler = StandardScaler().fit(x)
    order = np.random.default_rng(SEED).permutation(len(x))
    x, x_test = scaler.transform(x)[order], scaler.transform(x_test)
    return "a9a", {"gamma": 0.008, "C": 0.5, "budget": 200}, [x, x_test, y[order], y_test]


def main() -> None:
    name, params, (x, x_test, y, y_test) = load()
    params["classes"] = np.unique(y)

    buyer = Classifier("bpa-p-ramp", **params)  # sees a label only where it asks for it
    told = Classifier("bpa-p-ramp", **params)  # sees them all
    hinge = Classifier("bpa-p", **params)  # the same without the ramp: every row may teach it something
    bought = 0

    def score(model: Classifier) -> float:
        return 100 * float((model.predict(x_test) == y_test).mean())

    print(f"{name}: {len(x):,} rows arrive one by one, a budget of {params['budget']} support vectors")
    print(f"{'rows':>8}{'bought':>8}{'share':>7}   accuracy:{'buying':>8}{'all':>8}{'all, hinge':>12}")
    report = 250
    for start in range(len(x)):
        row = slice(start, start + 1)
        # The first row has no model to ask.
        if start == 0 or buyer.needs_label(x[row])[0]:
            buyer.learn(x[row], y[row])
            bought += 1
        told.learn(x[row], y[row])
        hinge.learn(x[row], y[row])
        seen = start + 1
        if seen == report or seen == len(x):
            print(
                f"{seen:8,}{bought:8,}{100 * bought / seen:6.1f}%{score(buyer):18.2f}%{score(told):7.2f}%"
                f"{score(hinge):11.2f}%"
            )
            report *= 2

    same = all(
        np.array_equal(getattr(buyer, part), getattr(told, part))
        for part in ("support_vectors_", "dual_coef_")
    )
    print(
        f"\nlabels that could change the model told of all: {told.n_queries_:,} of {told.n_samples_seen_:,}"
    )
    print(f"the same model bit for bit: {'yes' if same else 'NO'}")
    few = Classifier("bpa-p", **params).learn(x[:bought], y[:bought])
    print(f"as many labels taken as they come, hinge: {score(few):.2f}%; bought: {score(buyer):.2f}%")
    if not same or bought != told.n_queries_:
        raise SystemExit("buying labels where they are asked for must not change the model")


if __name__ == "__main__":
    main()
