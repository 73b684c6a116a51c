"""
Prediction intervals
====================

``OnlineKernelRegressor`` learns a curve, and intervals that contain a chosen
share of the rows.
"""

# %%
# A wave whose noise grows from left to right:

import numpy as np
from matplotlib import pyplot as plt

from budgetrs import OnlineKernelRegressor, Regressor

ROWS = 20_000

rng = np.random.default_rng(0)
x = rng.uniform(0, 10, ROWS)
y = np.sin(x) + (0.1 + 0.06 * x) * rng.standard_normal(ROWS)
X = x[:, None]

# %%
# One model predicts the middle and any interval. It keeps at most 50 support
# vectors.

model = OnlineKernelRegressor(budget=50, random_state=0).fit(X, y)

# %%
# The interval is narrow where the noise is low:

line = np.linspace(0, 10, 400)[:, None]
figure, ax = plt.subplots(figsize=(9, 4.2))
ax.plot(x[:1500], y[:1500], ".", color="0.6", markersize=2.5, label="rows")
for coverage, alpha in ((0.9, 0.2), (0.5, 0.3)):
    lower, upper = model.predict_interval(line, coverage=coverage).T
    ax.fill_between(
        line[:, 0],
        lower,
        upper,
        color="#2a6f97",
        alpha=alpha,
        lw=0,
        label=f"{coverage:.0%}",
    )
ax.plot(line, model.predict(line), color="#2a6f97", lw=2.2, label="prediction")
ax.plot(line, np.sin(line), color="#d1662a", ls="--", lw=1.2, label="sin(x)")
ax.set(xlabel="x", ylabel="y")
ax.legend(ncols=5, loc="upper center", bbox_to_anchor=(0.5, 1.14))

for coverage in (0.5, 0.8, 0.9, 0.95):
    lower, upper = model.predict_interval(X, coverage=coverage).T
    inside = (lower <= y) & (y <= upper)
    print(f"{coverage:.0%} interval: {inside.mean():.1%} of the rows inside")

# %%
# On a stream the intervals adapt to drift. Here the noise triples after half of
# the rows. Each block of ten rows is predicted before it is learned:

noise = y - np.sin(x)
stream = np.sin(x) + np.where(np.arange(ROWS) < ROWS // 2, 1, 3) * noise
native = Regressor(budget=50).learn(X[:10], stream[:10])
inside = np.zeros(ROWS, bool)
for first in range(10, ROWS, 10):
    rows = slice(first, first + 10)
    lower, upper = native.predict_interval(X[rows], coverage=0.9).T
    inside[rows] = (lower <= stream[rows]) & (stream[rows] <= upper)
    native.learn(X[rows], stream[rows])

parts = 20
share = inside[: ROWS // parts * parts].reshape(parts, -1).mean(axis=1)
figure, ax = plt.subplots(figsize=(9, 2.6))
ax.plot((np.arange(parts) + 0.5) * (ROWS // parts), share, "o-", color="#2a6f97")
ax.axhline(0.9, color="#d1662a", ls="--", lw=1)
ax.set(
    xlabel="rows",
    ylabel="share inside",
    ylim=(0.6, 1),
    title="90% intervals; the noise triples in the middle",
)
