"""
Active learning
===============

Labels cost money. With the ramp loss, a row whose score is far from the decision
boundary does not change the model, whatever its label is. ``needs_label`` finds
such rows before the label is known (Wang and Vucetic, 2010).
"""

# %%
# Two models learn the digits 0 to 4 against 5 to 9. The first one queries a label
# only where ``needs_label`` is true. The second one gets all labels.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from budgetrs import Classifier

ROWS = 1_347

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(
    (X / 16).astype(np.float32), y >= 5, random_state=0
)
X, y = X[:ROWS], y[:ROWS]

parameters = {"gamma": 0.2, "C": 1.0, "budget": 200, "classes": [False, True]}
active = Classifier("bpa-p-ramp", **parameters)
passive = Classifier("bpa-p-ramp", **parameters)
queries, curve = 0, []
for i in range(ROWS):
    if i == 0 or active.needs_label(X[i : i + 1])[0]:
        active.learn_one(X[i], y[i])
        queries += 1
    passive.learn_one(X[i], y[i])
    if i % 50 == 49:
        accuracy = np.mean(active.predict(X_test) == y_test)
        curve.append((i + 1, queries, accuracy))

# %%
# Both models are bit-identical.

print("same model:", np.array_equal(active.dual_coef_, passive.dual_coef_))
print(f"labels queried: {queries:,} of {ROWS:,}")

rows, labels, accuracy = (np.array(column) for column in zip(*curve, strict=True))
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
figure.suptitle(
    f"{accuracy[-1]:.0%} test accuracy with {queries:,} of {ROWS:,} labels",
    x=0.02,
    ha="left",
)
left.plot(rows, rows, color="0.6", ls=":", label="rows")
left.plot(rows, labels, color="#d1662a", lw=2, label="labels queried")
left.set(xlabel="rows", ylabel="count")
left.legend()
right.plot(labels, 100 * accuracy, color="#d1662a", lw=2, label="queries")
right.plot(rows, 100 * accuracy, color="0.6", lw=1.5, ls="--", label="all labels")
right.set(xlabel="labels", ylabel="test accuracy (%)")
right.legend(loc="lower right")
