"""Many readers and one writer: every answer is of a published state, never of an older one than before."""

import threading

import numpy as np

from budgetrs import Regressor

from .cases import Draw, expect
from .drawn import TASKS, Model, copied, made, rows, valid

SECONDS = 20.0
READERS = 16


def said(model: Model, X: np.ndarray) -> bytes:
    return (model.predict(X) if isinstance(model, Regressor) else model.decision_function(X)).tobytes()


def case(draw: Draw) -> None:
    name, regression = draw.choice(TASKS)
    given = {**valid(draw, name, regression, most=3), "gamma": 1.0}
    if "kernel" in given:
        # Not every kernel has a gamma.
        given = {"budget": 5, **({"rate": 5.0} if name.startswith("nbsgd") else {})}
    try:
        model = made(name, regression, **given)
    except ValueError:
        model = made("bsgd-merge", regression, budget=50)
    draw.note(f"{type(model).__name__}({model.algorithm!r}, **{model.params!r})")
    X = rows(draw, 30, 3, "float32")
    batches = [rows(draw, draw.choice((1, 5, 40, 400)), 3, "float32") for _ in range(40)]
    y = [
        draw.rng.normal(size=len(one)) if regression else draw.rng.integers(0, 2, len(one)) for one in batches
    ]
    first = draw.rng.normal(size=30) if regression else np.arange(30) % 2
    model.learn(X, first)
    # The expected states come from a second model that learns the same stream: bits are equal.
    states, alone = [said(model, X)], copied(model)
    for part, target in zip(batches, y, strict=True):
        states.append(said(alone.learn(part, target), X))
    done, wrong = threading.Event(), []
    begin = threading.Barrier(READERS + 1)

    def read() -> None:
        last = 0
        begin.wait()
        while True:
            ended = done.is_set()
            answer = said(model, X)
            # The same state may come twice, so the first place that is not older counts.
            place = next((i for i in range(last, len(states)) if states[i] == answer), None)
            if place is None:
                wrong.append(
                    f"after state {last}: " + ("an older state" if answer in states else "no state at all")
                )
                return
            last = place
            if ended:
                if states[last] != states[-1]:
                    wrong.append(f"after all was learned, state {last} was read")
                return

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    begin.wait()
    for part, target in zip(batches, y, strict=True):
        if len(part) == 1 and not regression:
            model.learn_one(part[0], target[0])
        else:
            model.learn(part, target)
    done.set()
    for reader in readers:
        reader.join()
    expect(not wrong, f"readers read published states in order: {wrong[:3]}")
    expect(model.to_bytes() == alone.to_bytes(), "readers change nothing")
