"""
Which features count?
=====================

``online-kernel`` learns the metric of its kernel. A feature that does not help
gets a small scale in it, so the metric tells which features the model uses.
"""

# %%
# Friedman's regression problem: the target depends on the first five features,
# the other fifteen are noise.

from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from budgetrs import BSGDRegressor, OnlineKernelRegressor, plot_importances

ROWS = 12_000

X, y = make_friedman1(ROWS, n_features=20, noise=1.0, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = OnlineKernelRegressor(budget=200, random_state=0).fit(X_train, y_train)

# %%
# The first three features enter the target in a curve: they are on top. The
# target is linear in x3 and x4, and the linear part beside the kernel learns
# that, so the kernel does not need them.

names = [f"x{i}" if i < 5 else f"noise {i}" for i in range(20)]
ax = plot_importances(model, names=names)

# %%
# The same budget with a fixed rbf kernel, on rows and targets standardised
# beforehand:

fixed = TransformedTargetRegressor(
    make_pipeline(StandardScaler(), BSGDRegressor(budget=200, random_state=0)),
    transformer=StandardScaler(),
)
fixed.fit(X_train, y_train)
print(f"R2 with the learned metric: {model.score(X_test, y_test):.3f}")
print(f"R2 with a fixed kernel:     {fixed.score(X_test, y_test):.3f}")
