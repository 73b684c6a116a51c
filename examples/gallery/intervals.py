"""
Regression, with prediction intervals
=====================================

``OnlineKernelRegressor`` learns a curve from raw rows. The quantile loss of
``BSGDRegressor`` adds an interval in which nine of ten rows fall.
"""

# %%
# A wave whose noise grows from left to right:

import numpy as np
from matplotlib import pyplot as plt

from budgetrs import BSGDRegressor, OnlineKernelRegressor

ROWS = 20_000

rng = np.random.default_rng(0)
x = rng.uniform(0, 10, ROWS)
y = np.sin(x) + (0.1 + 0.06 * x) * rng.standard_normal(ROWS)
X = x[:, None]

# %%
# One model predicts the middle, two others the quantiles 0.05 and 0.95. Each
# learns in one pass and keeps at most 50 support vectors.

middle = OnlineKernelRegressor(budget=50, random_state=0).fit(X, y)
low, high = (
    BSGDRegressor(
        loss="quantile",
        quantile=q,
        budget=50,
        gamma=0.5,
        alpha=1e-3,
        maintenance="project",
        average=True,
    ).fit(X, y)
    for q in (0.05, 0.95)
)

# %%
# The interval is narrow where the rows scatter little:

line = np.linspace(0, 10, 400)[:, None]
figure, ax = plt.subplots(figsize=(9, 4.2))
ax.plot(x[:1500], y[:1500], ".", color="0.6", markersize=2.5, label="rows")
ax.fill_between(
    line[:, 0],
    low.predict(line),
    high.predict(line),
    color="#2a6f97",
    alpha=0.2,
    label="90%",
)
ax.plot(line, middle.predict(line), color="#2a6f97", lw=2.2, label="prediction")
ax.plot(line, np.sin(line), "k--", lw=1, label="sin(x)")
ax.set(xlabel="x", ylabel="y")
ax.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.14))

inside = (low.predict(X) <= y) & (y <= high.predict(X))
print(f"rows inside the interval: {inside.mean():.1%}")
