"""
Abrupt drift
============

In the middle of this stream the labels of both classes are swapped.
``online-kernel`` detects the drift and gives less weight to earlier rows. With
``forget=None`` the model has to unlearn them.
"""

# %%
# Two interleaved half moons; after half of the rows the labels are swapped. A
# recorder notes the error after each batch.

from matplotlib import pyplot as plt
from sklearn.datasets import make_moons

from budgetrs import Classifier, StreamRecorder, plot_stream

ROWS = 12_000

X, y = make_moons(ROWS, noise=0.25, random_state=0)
y[ROWS // 2 :] = 1 - y[ROWS // 2 :]

recorders = {}
for forget in ("auto", None):
    model = Classifier(budget=100, forget=forget)
    recorders[forget] = StreamRecorder(model)
    for start in range(0, ROWS, 50):
        model.learn(X[start : start + 50], y[start : start + 50])
        recorders[forget].record()

# %%
# Each row is predicted before it is learned, so the whole stream is a test set.
# Predicting the previous label, or the most frequent label so far, is as good as
# a coin.

_, axes = plt.subplots(2, 1, figsize=(9, 7), sharex=True, sharey=True)
for (forget, recorder), ax in zip(recorders.items(), axes, strict=True):
    plot_stream(recorder, ax, window=500)
    ax.set_ylabel(f"forget={forget!r}")

print("drift detected at row", *recorders["auto"].drift_rows)
