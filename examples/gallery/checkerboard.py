"""
A checkerboard in one pass
==========================

The classes of a checkerboard are the colours of its squares. No linear model can
separate them. The model reads each row once and keeps at most 100 support
vectors.
"""

# %%
# The features have different units: the first is 100 times as large as the
# second. The model scales the rows itself.

import numpy as np
from matplotlib import pyplot as plt

from budgetrs import Classifier

ROWS = 40_000

rng = np.random.default_rng(0)
X = rng.uniform(0, 4, (ROWS, 2))
y = np.where(np.floor(X).sum(axis=1) % 2 == 0, "black", "white")
X *= [100, 1]

# %%
# ``learn`` continues training. The pictures show the decision regions after 400,
# 4,000 and 40,000 rows. The line is the decision boundary. Dots are support
# vectors, in the colour of their class, larger with more weight.

model = Classifier(budget=100, classes=["black", "white"])
figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), sharey=True)
stops = [ROWS // 100, ROWS // 10, ROWS]
for ax, start, stop in zip(axes, [0, *stops], stops, strict=False):
    model.learn(X[start:stop], y[start:stop])
    model.plot(ax, X=X)
    ax.set_title(
        f"{stop:,} rows, {model.n_support_vectors_} support vectors", loc="left"
    )
    ax.get_legend().remove()
    ax.set(xlabel="", ylabel="")

# %%
# New rows are predicted in their raw units.

X_test = rng.uniform(0, 4, (10_000, 2))
y_test = np.where(np.floor(X_test).sum(axis=1) % 2 == 0, "black", "white")
predicted = model.predict(X_test * [100, 1])
print(f"accuracy on new rows: {np.mean(predicted == y_test):.1%}")
