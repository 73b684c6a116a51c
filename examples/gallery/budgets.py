"""
How large a budget?
===================

``compare_budgets`` trains one model for each budget in one pass over the same
rows. Every row is predicted before it is learned, so no rows are held out.
"""

# %%
# The rows are a 3 x 3 checkerboard, and 5% of the labels are wrong. No model can
# have an error below 5%.

import numpy as np

from budgetrs import compare_budgets

ROWS = 20_000
WRONG = 0.05

rng = np.random.default_rng(0)
X = rng.uniform(0, 3, (ROWS, 2)).astype(np.float32)
y = np.floor(X).sum(axis=1) % 2
y = np.where(rng.random(ROWS) < WRONG, 1 - y, y)

comparison = compare_budgets(X, y, [10, 20, 40, 80, 160, 320])
print(comparison)

# %%
# The error along the stream. The dotted line is the share of wrong labels.

ax = comparison.plot()
ax.axhline(WRONG, color="0.5", ls=":")

# %%
# The error against the budget. It falls up to 80 support vectors, then it is
# level. The sufficient budget is the smallest one whose error is within one
# standard error of the lowest.

ax = comparison.plot(against="budget")
ax.axhline(WRONG, color="0.5", ls=":")

# %%
# Each model can be used, and can continue training.

model = comparison.models[comparison.sufficient_budget]
print(
    comparison.sufficient_budget, model.n_support_vectors_, model.n_samples_seen_
)
