"""Folders of models by key whose files were changed: an error, or models that go on with equal bits."""

import os
import shutil
from functools import lru_cache
from pathlib import Path

import numpy as np

from budgetrs import Classifier, KeyedModels, Regressor

from .cases import FOLDER, Draw, expect
from .drawn import TASKS, tried, valid
from .files import File
from .models import ROOM, WIDEST
from .mutations import mutate

MEMORY = 1 << 30
ROWS = 40
INDEX = "index.budgetrs"


def batch(rng: np.random.Generator, n: int, *, named: bool, regression: bool, width: int = 2) -> tuple:
    """Return rows, targets and keys."""
    keys = rng.integers(0, 4, n)
    y = rng.normal(size=n) if regression else rng.integers(0, 3, n)
    return rng.normal(size=(n, width)), y, np.array(["ann", "bob", "é", ""])[keys] if named else keys


@lru_cache(256)
def start(which: int) -> tuple[dict[str, bytes], bool, bool]:
    """Return the files of a folder, whether its keys are names, and whether it is of regression."""
    draw = Draw("folder", 0, which)
    name, regression = TASKS[which % len(TASKS)]
    model = (Regressor if regression else Classifier)(name, **valid(draw, name, regression, most=3))
    named, prior = draw.chance(0.5), draw.chance(0.3)
    X, y, keys = batch(draw.rng, ROWS, named=named, regression=regression)
    if prior:
        model.learn(X[:10], y[:10])
    models = KeyedModels(model, n_jobs=1)
    if draw.chance(0.9):
        models.learn(X, y, keys)
    folder = Path(os.environ[FOLDER]) / "start"
    models.save(folder)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)
    return files, named, regression


def changed(draw: Draw, files: dict[str, bytes]) -> dict[str, bytes]:
    """Change the index, a model of the file of models, or bytes of either."""
    index, [name] = File.open(files[INDEX]), [name for name in files if name != INDEX]
    data = files[name]
    kind = draw.choice(("index", "index", "model", "model", "bytes", "exchanged", "none"))
    lengths = index.tensors["bytes"]
    if kind == "none":
        return files
    if kind == "index" or not lengths.sum():
        for _ in range(draw.choice((1, 1, 2))):
            draw.note(mutate(draw, index))
    elif kind == "model":
        which = draw.choice(np.flatnonzero(lengths).tolist())
        begin = int(index.tensors["from"][which])
        file = File.open(data[begin : begin + int(lengths[which])])
        draw.note(f"model {which}: {mutate(draw, file)}")
        index.tensors["from"][which], lengths[which] = len(data), len(file.sign())
        data += file.sign()
    elif kind == "exchanged":
        others, _, _ = start(draw.random.randrange(4 * len(TASKS)))
        [other] = [others[name] for name in others if name != INDEX]
        draw.note("the models of another folder")
        data = other + data[len(other) :]
        strange = File.open(others[INDEX])
        if count := len(strange.tensors["from"]):
            rows = np.arange(len(lengths)) % count
            for part in ("from", "bytes"):
                index.tensors[part] = strange.tensors[part][rows]
    else:
        at = draw.random.randrange(len(data)) if data else 0
        draw.note(f"byte {at} of the models")
        data = data[:at] + bytes([draw.random.randrange(256)]) + data[at + 1 :]
    return {INDEX: index.sign(), name: data}


def case(draw: Draw) -> None:
    files, named, regression = start(draw.random.randrange(4 * len(TASKS)))
    now = changed(draw, files)
    folder = Path(os.environ[FOLDER]) / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in now.items():
        (folder / name).write_bytes(data)
        draw.file(f".{name}", data)
    memory = draw.choice((1, 1 << 30))
    refused, models = tried(lambda: opened(folder, memory))
    if models is None:
        expect(refused, "an error is said")
        expect(now != files, "a folder without a change is loaded")
        return
    draw.note("it is loaded")
    if asks_much(models):
        draw.note("it may ask for much memory")
        return
    use(draw, models, folder, named, regression)


def opened(folder: Path, memory: int = 1 << 30) -> KeyedModels:
    """Load a folder. One whose file of models has another number than that of the index is a ValueError."""
    try:
        return KeyedModels.load(folder, max_memory=memory, n_jobs=1)
    except FileNotFoundError as error:
        expect("models-" in str(error), "the file of models is what is missing")
        raise ValueError(str(error)) from None


def asks_much(models: KeyedModels) -> bool:
    """Tell whether the parameters of the models allow more memory than a worker has."""
    for key in models:
        _, model = tried(lambda key=key: models[key])
        if model is not None:
            given = model.params
            room = max(given.get(name) or 1 for name in ("budget", "max_size"))
            width = getattr(model, "n_features_encoded_", 1)
            if room * (given.get("hash_features") or 1) > ROOM or width > WIDEST:
                return True
    return False


def use(draw: Draw, models: KeyedModels, folder: Path, named: bool, regression: bool) -> None:
    """Let models that were loaded predict, learn, and go on from their folder."""
    repr(models)
    expect(len(models) == len(models.keys()) == len(list(models)), "as many keys as are said")
    for n in (1, 9, 20):
        X, y, keys = batch(draw.rng, n, named=named, regression=regression)
        for ask in (models.predict, models.decision_function, models.predict_proba):
            tried(lambda ask=ask, X=X, keys=keys: ask(X, keys))
        draw.note(f"they learn {n} rows")
        draw.note(tried(lambda X=X, y=y, keys=keys: models.learn(X, y, keys))[0])
    refused, _ = tried(lambda: models.save(folder))
    draw.note(f"they are saved: {refused}")
    # A record that is damaged stays so, whoever reads it.
    again = opened(folder)
    if refused:
        return
    expect(len(again) == len(models), "what was saved is there")
    for key in models:
        ends = [tried(lambda one=one, key=key: one[key].to_bytes()) for one in (models, again)]
        expect(
            ends[0] == ends[1], f"the model of {key!r} is the same in the folder: {[end for end, _ in ends]}"
        )
