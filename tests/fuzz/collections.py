"""Files of models by key that were changed: an error, or models that continue with equal bits."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from budgetrs import KeyedModels

from .cases import FOLDER, Draw, expect
from .drawn import TASKS, is_small, made, tried, valid
from .readers import mutate

ROWS = 40
DIGEST = 16
COMMIT = 64


def batch(rng: np.random.Generator, n: int, *, named: bool, regression: bool, width: int = 2) -> tuple:
    """Return rows, targets and keys."""
    keys = rng.integers(0, 4, n)
    y = rng.normal(size=n) if regression else rng.integers(0, 3, n)
    return rng.normal(size=(n, width)), y, np.array(["ann", "bob", "é", ""])[keys] if named else keys


@lru_cache(256)
def start(which: int) -> tuple[bytes, tuple[tuple[int, int], ...], bool, bool]:
    """Return a file, the places of its records, whether keys are text, and whether targets are numbers."""
    draw = Draw("collection", 0, which)
    name, regression = TASKS[which % len(TASKS)]
    model = made(name, regression, **valid(draw, name, regression, most=3))
    named, prior = draw.chance(0.5), draw.chance(0.3)
    X, y, keys = batch(draw.rng, ROWS, named=named, regression=regression)
    if prior:
        model.learn(X[:10], y[:10])
    models = KeyedModels(model, n_jobs=1)
    path = Path(os.environ[FOLDER]) / "start"
    models.save(path)
    if draw.chance(0.9):
        models.learn(X, y, keys)
        models.save(path)
    data = path.read_bytes()
    path.unlink()
    return data, tuple(records(data)), named, regression


def signed(content: bytes) -> bytes:
    """Return a record: its content and its digest."""
    return content + hashlib.sha256(content).digest()[:DIGEST]


def records(data: bytes) -> list[tuple[int, int]]:
    """Find the records after the header: the shortest parts that end with their digest."""
    found, begin = [], 1024
    while begin < len(data):
        digest, end = hashlib.sha256(), begin
        while digest.digest()[:DIGEST] != data[end : end + DIGEST]:
            digest.update(data[end : end + 1])
            end += 1
            if end > len(data):
                return found
        found.append((begin, end + DIGEST))
        begin = end + DIGEST
    return found


def changed(draw: Draw, data: bytes, places: tuple[tuple[int, int], ...]) -> bytes:
    """Change bytes of a commit or of a record, whose digest is then made right, or bytes anywhere."""
    kind = draw.choice(("record", "record", "record", "record", "commit", "bytes", "none"))
    if kind == "none":
        return data
    begin, end = 0, len(data)
    if kind == "commit":
        begin = draw.choice((0, 512))
        end = begin + COMMIT
    elif kind == "record":
        begin, end = draw.choice(places)
    part = data[begin : end if kind == "bytes" else end - DIGEST]
    draw.note(f"{kind} at {begin}")
    new = mutate(draw, part) if kind == "bytes" else signed(mutate(draw, part))
    # A record keeps its place, so one that became shorter ends with what it had.
    new += data[begin + len(new) : end]
    return data[:begin] + new + data[end:]


def case(draw: Draw) -> None:
    data, places, named, regression = start(draw.random.randrange(4 * len(TASKS)))
    now = changed(draw, data, places)
    path = Path(os.environ[FOLDER]) / "collection"
    path.write_bytes(now)
    draw.file(".models", now)
    memory = draw.choice((1, 1 << 30))
    error, models = tried(lambda: KeyedModels.load(path, max_memory=memory, n_jobs=1))
    if models is None:
        expect(error, "an error is raised")
        expect(now != data, "a file without a change is loaded")
        return
    draw.note("it is loaded")
    loaded = [tried(lambda key=key: models[key])[1] for key in models]
    if not all(model is None or is_small(model) for model in loaded):
        draw.note("it may need much memory")
        return
    use(draw, models, path, named, regression)


def use(draw: Draw, models: KeyedModels, path: Path, named: bool, regression: bool) -> None:
    """Let models that were loaded predict, learn and be saved."""
    repr(models)
    expect(len(models) == len(models.keys()) == len(list(models)), "the numbers of keys agree")
    for n in (1, 9, 20):
        X, y, keys = batch(draw.rng, n, named=named, regression=regression)
        for ask in (models.predict, models.decision_function, models.predict_proba):
            tried(lambda ask=ask, X=X, keys=keys: ask(X, keys))
        draw.note(f"they learn {n} rows")
        draw.note(tried(lambda X=X, y=y, keys=keys: models.learn(X, y, keys))[0])
    error, _ = tried(lambda: models.save(path))
    draw.note(f"they are saved: {error}")
    if error:
        return
    again = KeyedModels.load(path, n_jobs=1)
    expect(len(again) == len(models), "the saved keys are loaded")
    for key in models:
        ends = [tried(lambda one=one, key=key: one[key].to_bytes()) for one in (models, again)]
        expect(ends[0] == ends[1], f"the model of {key!r} is equal in the file: {[end for end, _ in ends]}")
