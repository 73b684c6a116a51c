"""
Export to ONNX
==============

``to_onnx`` writes a model as an ONNX graph. ONNX Runtime executes the graph in
C++, C#, Java or JavaScript, without Python and budgetrs. The graph takes raw
rows: it includes scaling, metric, kernel and probabilities.
"""

# %%
# The digits of scikit-learn:

from collections import Counter

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
# The graph and its operators. ``onnx.save(graph, "digits.onnx")`` would write a
# file.

graph = to_onnx(model)
content = graph.SerializeToString()
operators = Counter(node.op_type for node in graph.graph.node)
print(f"{len(content):,} bytes, {sum(operators.values())} operators")
print("input:", graph.graph.input[0].name)
print("outputs:", *(output.name for output in graph.graph.output))

# %%
# ONNX Runtime and budgetrs predict the same labels. Their probabilities differ by
# rounding:

session = onnxruntime.InferenceSession(content)
labels, scores, probabilities = session.run(None, {"X": X_test})
expected = model.predict_proba(X_test)
print(f"labels equal: {np.mean(labels == model.predict(X_test)):.2%}")
print(f"largest difference: {np.abs(probabilities - expected).max():.0e}")

figure, ax = plt.subplots(figsize=(6, 5.4))
ax.plot(expected.ravel(), probabilities.ravel(), ".", color="#2a6f97", ms=4)
ax.plot([0, 1], [0, 1], color="0.6", lw=1, zorder=0)
ax.set(
    xlabel="budgetrs, predict_proba",
    ylabel="ONNX Runtime, probabilities",
    title=f"{probabilities.size:,} probabilities of {len(X_test)} digits",
)
