"""
Labels that arrive later
========================

In a service the label of a row arrives minutes or days after its prediction, and
the process may be killed at any moment. Three steps lose no label: learn the row,
append it to a log, then acknowledge the label. The name of the model file is the
position of its last row in the log.
"""

# %%
# The stream: the label is "yes" if two features have the same sign. After two
# thirds of the rows, the labels are swapped.

import sqlite3
import tempfile
from collections import deque
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from budgetrs import Classifier

ROWS = 9_000
DELAY = 300  # rows between a prediction and its label
KILLED = ROWS // 3

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (ROWS, 5))
is_yes = X[:, 0] * X[:, 1] > 0
is_yes[2 * ROWS // 3 :] ^= True
y = np.where(is_yes, "yes", "no")

# %%
# A start loads the newest model file and learns the rows of the log after it.


def newest(folder):
    return max(folder.glob("model-*.safetensors"), default=None)


def start(folder):
    log = sqlite3.connect(folder / "log.db")
    log.execute("PRAGMA journal_mode = WAL")
    log.execute(
        "CREATE TABLE IF NOT EXISTS log"
        " (position INTEGER PRIMARY KEY, row BLOB, label TEXT)"
    )
    path = newest(folder)
    model = Classifier.load(path) if path else Classifier(budget=50)
    position = int(path.stem.split("-")[1]) if path else 0
    after = "SELECT row, label FROM log WHERE position > ? ORDER BY position"
    for row, label in log.execute(after, (position,)):
        model.learn_one(np.frombuffer(row), label)
    return log, model


# %%
# Each row is predicted when it comes, and learned when its label arrives. At one
# third of the rows the process is "killed": the model in memory is lost.

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)
log, model = start(folder)
waiting, right = deque(), []
for i in range(ROWS):
    if i == KILLED:
        log.close()
        log, model = start(folder)
        print(f"learned after the restart: {model.n_samples_seen_:,} rows")
    predicted = model.predict_one(X[i]) if model.n_samples_seen_ else None
    right.append(predicted == y[i])
    waiting.append(i)
    if len(waiting) > DELAY:
        at = waiting.popleft()
        model.learn_one(X[at], y[at])
        row = (model.n_samples_seen_, X[at].tobytes(), y[at])
        log.execute("INSERT INTO log VALUES (?, ?, ?)", row)
        log.commit()  # now the label is acknowledged
        if model.n_samples_seen_ % 1000 == 0:
            model.save(folder / f"model-{model.n_samples_seen_:09}.safetensors")

# %%
# The model is bit-identical to a model that learned the log without a restart.

learned = ROWS - DELAY
offline = Classifier(budget=50).learn(X[:learned], y[:learned])
print("bit-identical:", model.to_bytes() == offline.to_bytes())
print("drifts detected:", model.n_drifts_)
log.close()
temporary.cleanup()

figure, ax = plt.subplots(figsize=(9, 4))
recent = np.convolve(right, np.full(DELAY, 1 / DELAY), mode="valid")
ax.plot(np.arange(len(recent)) + DELAY, 100 * recent, color="#d1662a", lw=2)
for at, text in ((KILLED, "killed"), (2 * ROWS // 3, "labels swapped")):
    ax.axvline(at, color="0.6", ls=":")
    ax.annotate(text, (at, 3), (4, 0), textcoords="offset points")
ax.set(
    xlabel="rows",
    ylabel=f"accuracy of the last {DELAY} answers (%)",
    ylim=(0, 100),
)
