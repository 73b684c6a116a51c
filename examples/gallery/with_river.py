"""
In River
========

``budgetrs.river`` has a classifier and a regressor for River. Rows are dicts. New
features and new classes may appear at any time, and features may be absent.
"""

# %%
# Progressive accuracy (predict each row, then learn it) on ImageSegments, which
# is part of River, compared with two models of River. All have default
# parameters.

from matplotlib import pyplot as plt

from budgetrs.river import Classifier
from river import (
    datasets,
    evaluate,
    forest,
    linear_model,
    metrics,
    multiclass,
    preprocessing,
)

ROWS = 2_310

models = {
    "budgetrs, 100 support vectors": Classifier(budget=100),
    "logistic regression": preprocessing.StandardScaler()
    | multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
    "adaptive random forest": forest.ARFClassifier(seed=1),
}
curves = {}
for name, model in models.items():
    steps = evaluate.iter_progressive_val_score(
        datasets.ImageSegments().take(ROWS),
        model,
        metrics.Accuracy(),
        step=ROWS // 50,
    )
    curves[name] = [(step["Step"], step["Accuracy"].get()) for step in steps]

# %%
# The curves:

figure, ax = plt.subplots(figsize=(9, 4))
colours = ["#d1662a", "0.5", "#2a6f97"]
for (name, curve), colour in zip(curves.items(), colours, strict=True):
    rows, accuracy = zip(*curve, strict=True)
    ax.plot(
        rows,
        [100 * a for a in accuracy],
        lw=2,
        color=colour,
        label=f"{name}: {accuracy[-1]:.1%}",
    )
ax.set(
    xlabel="rows",
    ylabel="progressive accuracy (%)",
    title="ImageSegments, 7 classes",
)
ax.legend(loc="lower right")

# %%
# An absent feature counts as 0, as in River's linear models. None is a missing
# value and counts as the mean of its feature.

model = models["budgetrs, 100 support vectors"]
x, y = next(iter(datasets.ImageSegments()))
print(y, model.predict_one(x), model.predict_one(x | {"hue-mean": None}))
