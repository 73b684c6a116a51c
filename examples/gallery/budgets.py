"""
How large a budget?
===================

``compare_budgets`` trains one model for each budget in one pass over the same
rows. Every row is predicted just before it is learned, so no rows have to be held
out.
"""

# %%
# Rows of a checkerboard whose labels are wrong in one of twenty cases: no model
# can have an error below 5%.

import numpy as np

from budgetrs import compare_budgets

ROWS = 20_000

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (ROWS, 2)).astype(np.float32)
y = np.floor(2 * X).sum(axis=1) % 2
y = np.where(rng.random(ROWS) < 0.05, 1 - y, y)

comparison = compare_budgets(X, y, [10, 20, 40, 80, 160])
print(comparison)

# %%
# The error along the stream:

comparison.plot()

# %%
# The error against the budget. The sufficient budget is the smallest whose error
# is within one standard error of the lowest.

comparison.plot(against="budget")

# %%
# Each model can be used, and can continue learning.

model = comparison.models[comparison.sufficient_budget]
print(
    comparison.sufficient_budget, model.n_support_vectors_, model.n_samples_seen_
)
