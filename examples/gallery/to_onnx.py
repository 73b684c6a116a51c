"""
A model as an ONNX graph
========================

``to_onnx`` writes a model as a graph that any ONNX runtime can run, without
Python or budgetrs. It takes raw rows: scaling, metric, kernel and probabilities
are in it.
"""

# %%
# The digits of scikit-learn, learned in one pass:

import numpy as np
import onnxruntime
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from budgetrs import OnlineKernelClassifier, to_onnx

ROWS = 1_797

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X[:ROWS].astype(np.float32), y[:ROWS], random_state=0
)
model = OnlineKernelClassifier(budget=300, random_state=0).fit(X_train, y_train)

# %%
# The graph, run by onnxruntime. ``onnx.save(graph, "digits.onnx")`` would write
# it to a file.

graph = to_onnx(model)
session = onnxruntime.InferenceSession(graph.SerializeToString())
labels, scores, probabilities = session.run(None, {"X": X_test})

print(f"{len(graph.SerializeToString()):,} bytes")
print(f"labels equal: {np.mean(labels == model.predict(X_test)):.2%}")
print(f"accuracy: {np.mean(labels == y_test):.1%}")

# %%
# The rows that the graph is least sure of:

figure, axes = plt.subplots(1, 6, figsize=(9, 2.2))
for ax, i in zip(axes, probabilities.max(axis=1).argsort()[:6], strict=True):
    ax.imshow(X_test[i].reshape(8, 8), cmap="gray_r")
    ax.set_title(
        f"{y_test[i]}, predicted {labels[i]}\n({probabilities[i].max():.0%})",
        fontsize=9.5,
    )
    ax.axis("off")
