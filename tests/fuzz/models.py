"""Mutated model files: one that loads predicts, learns, saves and goes on with equal bits, within its budget.

The digest is computed again, so that the checks of the content are reached. Allowed errors are ValueError and
its subclasses.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from budgetrs import Classifier, Regressor

from .cases import Draw, expect
from .drawn import TASKS, Model, copied, is_small, made, rows, started, step, targets, tried, valid
from .files import File
from .mutations import mutate

SHARE = 3.0
# Far above what a small model takes.
MEMORY = 1 << 30


def words(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return a table with a column of words."""
    return pd.DataFrame({"size": rng.normal(size=n), "town": rng.choice(["Oslo", "Bern", "Rome"], n)})


@lru_cache(512)
def start(which: int) -> tuple[bytes, bool]:
    """Return the file of a model by its number, and whether it has named columns."""
    draw = Draw("start", 0, which)
    name, regression = TASKS[which % len(TASKS)]
    dtype = draw.choice(("float32", "float64"))
    given = valid(draw, name, regression, most=4)
    if name == "online-kernel" and draw.chance(0.5):
        given = {"budget": 4, "metric_learning": draw.choice(("diagonal", "full"))}
    model = made(name, regression, **given)
    n = draw.choice((0, 3, 40, 40, 40))
    labels = draw.rng.normal(size=n) if regression else draw.rng.integers(0, draw.choice((2, 2, 3, 5)), n)
    if not regression and draw.chance(0.2):
        labels = np.array(["no", "yes", "é", "perhaps", ""])[labels]
    named = draw.chance(0.15)
    X = words(n, draw.rng) if named else rows(draw, n, draw.choice((1, 2, 3)), dtype)
    if not named and n and given.get("scaling", name) not in ("online", "online-kernel") and draw.chance(0.1):
        model.set_scaling(np.zeros(X.shape[1]), np.ones(X.shape[1]))
    if n > 1:
        model.learn(X, labels)
    return model.to_bytes(), named


def case(draw: Draw) -> None:
    data, named = start(draw.random.randrange(4 * len(TASKS)))
    file = File.open(data)
    for _ in range(draw.choice((1, 1, 1, 1, 2, 3))):
        draw.note(mutate(draw, file))
    data = file.sign()
    draw.file(".safetensors", data)
    look(draw, data, named)


def again(draw: Draw, path: Path) -> None:
    """Look at a file that was kept."""
    look(draw, path.read_bytes(), True)


def look(draw: Draw, data: bytes, named: bool) -> None:
    """Load a model, and if there is one use it."""
    kind = Regressor if "classes" not in File.open(data).state else Classifier
    try:
        model = kind.from_bytes(data)
    except ValueError:
        return
    draw.note("it is loaded")
    expect(model.to_bytes() == data, "a file that loads is saved as the same bytes")
    if not is_small(model):
        draw.note("it may need much memory")
        return
    repr(model), model._repr_html_(), model.params
    if started(model):
        repr(model.support_vectors_), repr(model.dual_coef_)
    use(draw, model, named)


def use(draw: Draw, model: Model, named: bool) -> None:
    """Let a model that was loaded predict, learn and go on from its own file."""
    width = model.n_features_encoded_ if started(model) else 2
    named = named and hasattr(model, "feature_names_in_")
    dtype = str(model.dtype) if started(model) else "float32"
    make = (lambda n: words(n, draw.rng)) if named else (lambda n: rows(draw, n, width, dtype))
    if started(model):
        tried(lambda: model.predict(make(5)))
    other = copied(model)
    for n in (1, 7, 12):
        draw.note(f"it learns {n} rows")
        if not step(draw, model, other, make(n), targets(draw, model, n)):
            draw.note("it is not saved")
            return
        other = copied(model)
