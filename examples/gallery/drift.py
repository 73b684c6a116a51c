"""
Abrupt drift
============

In the middle of this stream the labels of both classes are swapped.
``online-kernel`` detects the drift and gives less weight to earlier rows. With
``forget=None`` the model has to unlearn them.
"""

# %%
# Two interleaved half moons; after half of the rows the labels are swapped.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons

from budgetrs import Classifier

ROWS = 12_000

X, y = make_moons(ROWS, noise=0.25, random_state=0)
y[ROWS // 2 :] = 1 - y[ROWS // 2 :]

# %%
# Each batch is predicted before it is learned, so the whole stream is a test set.

BATCH = 50
errors = {}
models = {
    "forget='auto'": Classifier(budget=100),
    "forget=None": Classifier(budget=100, forget=None),
}
for name, model in models.items():
    model.learn(X[:BATCH], y[:BATCH])
    errors[name] = []
    for i in range(BATCH, ROWS, BATCH):
        rows, labels = X[i : i + BATCH], y[i : i + BATCH]
        errors[name].append(np.mean(model.predict(rows) != labels))
        model.learn(rows, labels)

# %%
# The error over the last 500 rows. ``n_drifts_`` counts the detected drifts.

figure, ax = plt.subplots(figsize=(9, 4))
for (name, error), colour in zip(
    errors.items(), ["#d1662a", "#2a6f97"], strict=True
):
    recent = np.convolve(error, np.full(10, 0.1), mode="valid")
    at = ROWS - BATCH * np.arange(len(recent))[::-1]
    ax.plot(at, 100 * recent, color=colour, lw=2, label=name)
ax.axvline(ROWS // 2, color="0.6", ls=":")
ax.annotate(
    "labels swapped",
    (ROWS // 2, 0.97),
    (-6, 0),
    xycoords=("data", "axes fraction"),
    textcoords="offset points",
    ha="right",
    va="top",
)
ax.set(xlabel="rows", ylabel="error of the last 500 rows (%)", ylim=(0, None))
ax.legend()

print("drifts detected:", models["forget='auto'"].n_drifts_)
