"""Active learning: buy only the labels that can change the model.

With the ramp loss, the label of a row whose prediction is sure changes nothing (Wang and Vucetic 2010,
section 4.3). `needs_label` returns whether a row's label could change the model, so a model that buys only
these labels is bit-identical to a model that is given all labels.

Run with ``python examples/active_learning.py``. It needs scikit-learn.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from budgetrs import Classifier


def main() -> None:
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split((X / 16).astype(np.float32), y, random_state=0)
    params = {"gamma": 0.2, "budget": 200, "classes": np.unique(y)}
    buyer, told = Classifier("bpa-p-ramp", **params), Classifier("bpa-p-ramp", **params)
    bought = []
    for i in range(len(X)):
        row = slice(i, i + 1)
        # The first row has no model to ask.
        if i == 0 or buyer.needs_label(X[row])[0]:
            buyer.learn(X[row], y[row])
            bought.append(i)
        told.learn(X[row], y[row])

    def accuracy(model: Classifier) -> str:
        return f"{np.mean(model.predict(X_test) == y_test):.2%}"

    is_same = all(
        np.array_equal(getattr(buyer, part), getattr(told, part))
        for part in ("support_vectors_", "dual_coef_")
    )
    few = Classifier("bpa-p", **params).learn(X[: len(bought)], y[: len(bought)])
    print(f"bought {len(bought):,} of {len(X):,} labels")
    print(f"bit-identical to the model with all labels: {is_same}")
    print(f"accuracy: {accuracy(buyer)}; of as many first rows, hinge loss: {accuracy(few)}")


if __name__ == "__main__":
    main()
