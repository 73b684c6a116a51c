"""
Feature importances
===================

``feature_importances_`` says how much each feature changes the prediction of a
model. The importances are at least 0 and sum to 1.
"""

# %%
# Friedman's regression problem: the target depends on the first five features.
# The other fifteen are noise.

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
# The five true features are the first five. The target is a curve of x0, x1 and
# x2, and linear in x3 and x4. The model learns the curve with its kernel and the
# straight lines with its linear term; the importances include both.

names = [f"x{i}" if i < 5 else f"noise {i}" for i in range(20)]
ax = plot_importances(model, names=names)
print(f"x0 to x4: {model.feature_importances_[:5].sum():.0%} of the sum")

# %%
# ``online-kernel`` learns the metric of its kernel, so noise features count
# little. A fixed rbf kernel with the same budget, on rows and targets that were
# standardised before, weighs all features alike:

fixed = TransformedTargetRegressor(
    make_pipeline(StandardScaler(), BSGDRegressor(budget=200, random_state=0)),
    transformer=StandardScaler(),
)
fixed.fit(X_train, y_train)
print(f"R2 with the learned metric: {model.score(X_test, y_test):.3f}")
print(f"R2 with a fixed kernel:     {fixed.score(X_test, y_test):.3f}")
