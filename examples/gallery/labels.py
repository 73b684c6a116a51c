"""
Labels on request
=================

Labels cost money. With the ramp loss a row whose score is far from the boundary
changes nothing, whatever its label is. ``needs_label`` says so before the label
is known (Wang and Vucetic, 2010).
"""

# %%
# Two models see the digits 0 to 4 against 5 to 9. The first asks for a label only
# where ``needs_label`` is true, the second gets them all.

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
asks = Classifier("bpa-p-ramp", **parameters)
told = Classifier("bpa-p-ramp", **parameters)
bought, curve = 0, []
for i in range(ROWS):
    if i == 0 or asks.needs_label(X[i : i + 1])[0]:
        asks.learn_one(X[i], y[i])
        bought += 1
    told.learn_one(X[i], y[i])
    if i % 50 == 49:
        curve.append((i + 1, bought, np.mean(asks.predict(X_test) == y_test)))

# %%
# Both are the same model, bit for bit.

print("same model:", np.array_equal(asks.dual_coef_, told.dual_coef_))
print(f"labels: {bought:,} of {ROWS:,}")

rows, labels, accuracy = (np.array(column) for column in zip(*curve, strict=True))
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
left.plot(rows, rows, color="0.7", ls=":", label="rows")
left.plot(rows, labels, color="#d1662a", lw=2, label="labels asked for")
left.set(xlabel="rows")
left.legend()
right.plot(labels, 100 * accuracy, color="#2a6f97", lw=2, label="asking")
right.plot(rows, 100 * accuracy, color="0.6", lw=1.5, ls="--", label="all labels")
right.set(xlabel="labels", ylabel="test accuracy (%)")
right.legend(loc="lower right")
