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
from .drawn import TASKS, Model, answers, copied, rows, started, targets, tried, valid, within
from .files import File
from .mutations import mutate

SHARE = 3.0
# Far above what a small model takes.
MEMORY = 1 << 30
# Budget times features: who chooses more may ask for more memory than a worker has.
ROOM = 1_000_000
# A model that is wider is loaded, and not asked: the rows alone would take long.
WIDEST = 2000


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
    model = (Regressor if regression else Classifier)(name, **given)
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
    given = model.params
    room = max(given.get(name) or 1 for name in ("budget", "max_size")) * (given.get("hash_features") or 1)
    if room > ROOM:
        draw.note("it may ask for much memory")
        return
    expect(model.to_bytes() == data, "a file that loads is saved as the same bytes")
    repr(model), model._repr_html_(), model.params
    if started(model):
        repr(model.support_vectors_), repr(model.dual_coef_)
    use(draw, model, named)


def use(draw: Draw, model: Model, named: bool) -> None:
    """Let a model that was loaded predict, learn and go on from its own file."""
    width = model.n_features_encoded_ if started(model) else 2
    named = named and hasattr(model, "feature_names_in_")
    if width > WIDEST:
        draw.note(f"it has {width} features")
        return
    dtype = str(model.dtype) if started(model) else "float32"
    make = (lambda n: words(n, draw.rng)) if named else (lambda n: rows(draw, n, width, dtype))
    if started(model):
        tried(lambda: model.predict(make(5)))
    other = copied(model)
    for n in (1, 7, 12):
        X, y = make(n), targets(draw, model, n)
        before = model.to_bytes()
        draw.note(f"it learns {n} rows")
        ends = [tried(lambda one=one, X=X, y=y: one.learn(X, y))[0] for one in (model, other)]
        expect(ends[0] == ends[1], f"both learn, or neither: {ends}")
        within(model)
        # Numbers of no run may overflow: such a model says that it cannot be saved.
        saved = [tried(one.to_bytes) for one in (model, other)]
        expect(saved[0] == saved[1], f"a loaded model goes on with equal bits: {[end for end, _ in saved]}")
        if saved[0][0]:
            expect("the model was not saved" in saved[0][0], f"why it is not saved: {saved[0][0]}")
            draw.note("it is not saved")
            return
        expect(not ends[0] or model.to_bytes() == before, f"what is refused changes nothing: {ends[0]}")
        if started(model):
            said = [tried(lambda one=one, X=X: answers(one, X)) for one in (model, other)]
            expect(said[0] == said[1], "a loaded model answers with equal bits")
        other = copied(model)
