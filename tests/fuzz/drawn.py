"""What several parts draw: parameters by their valid ranges, models, rows."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from budgetrs import ALGORITHMS, Classifier, ParameterError, Regressor
from budgetrs._core import REQUIRED, UNBOUNDED_STRATEGIES, _table, parameters

from .cases import Draw, expect

Model = Classifier | Regressor
TABLE = {row["name"]: row for row in _table()}
# Budget times features: a larger model may ask for more memory than a worker has.
ROOM = 1_000_000
# A model that is wider is loaded, and not asked: the rows alone would take long.
WIDEST = 2000
# Cases are to be small, whatever is valid.
COUNTS = {"budget": 8, "max_size": 12, "hash_features": 32, "stream_length": 500, "forget": 200}


def value(draw: Draw, name: str) -> Any:
    """Draw a valid value of a parameter."""
    kind, *given = draw.choice(TABLE[name]["forms"])
    match kind:
        case "none":
            return None
        case "flag":
            return draw.chance(0.5)
        case "choice":
            return draw.choice(given[0])
        case "count":
            low, high = given[0], min(given[1], COUNTS.get(name, given[1]))
            return draw.choice((low, high, draw.random.randint(low, min(high, low + 20))))
        case "number":
            return between(draw, *given) if given[0] > -math.inf else draw.choice((-999.0, -1.0, 0.0, 1e300))
        case "label_weights":
            return {label: draw.choice((0, 0.5, 1, 3)) for label in range(draw.random.randint(0, 3))}
        case "numbers":
            return [-999.0, draw.random.gauss(0, 1)]
    return given[0]


def between(draw: Draw, low: float, high: float) -> float:
    """Draw a number of a range, often one of its ends."""
    first, last = math.log10(max(low, 1e-300)), math.log10(min(high, 1e300))
    around = 10 ** draw.random.uniform(max(first, -3), min(last, 3)) if first < 3 and last > -3 else high
    return draw.choice((low, min(high, 1e300), 10 ** draw.random.uniform(first, last), around, around))


def valid(draw: Draw, algorithm: str, regression: bool, most: int = 6) -> dict[str, Any]:
    """Draw parameters that the algorithm takes together."""
    names = [name for name in TABLE if name != "budget"]
    given = {name: value(draw, name) for name in draw.random.sample(names, draw.random.randint(0, most))}
    if (
        parameters(algorithm)["budget"] is not None
        or given.get("maintenance", "none") not in UNBOUNDED_STRATEGIES
    ):
        given["budget"] = draw.random.randint(1, COUNTS["budget"])
    if REQUIRED.get(algorithm):
        given.setdefault("rate", 5.0)
    while True:
        try:
            made(algorithm, regression, **given)
            return given
        except ParameterError as error:
            # One that does not go with the others.
            others = sorted(given, key=lambda name: (name == "budget", draw.random.random()))
            del given[error.parameter if error.parameter in given else others[0]]
            if "rate" in REQUIRED.get(algorithm, ()):
                given.setdefault("rate", 5.0)


def takes(algorithm: str, regression: bool) -> bool:
    """Tell whether the algorithm has this task."""
    try:
        made(algorithm, regression, **dict.fromkeys(REQUIRED.get(algorithm, ()), 5.0))
    except ParameterError:
        return False
    return True


def made(algorithm: str, regression: bool, **given: Any) -> Model:
    """Return an empty model of a task."""
    return (Regressor if regression else Classifier)(algorithm, **given)


TASKS = [(name, regression) for name in ALGORITHMS for regression in (False, True) if takes(name, regression)]


def model(draw: Draw, **of_classifier: Any) -> Model:
    """Draw an algorithm, a task and valid parameters, beside the given parameters of a classifier."""
    name, regression = draw.choice(TASKS)
    given = valid(draw, name, regression) | ({} if regression else of_classifier)
    draw.note(f"{'Regressor' if regression else 'Classifier'}({name!r}, **{given!r})")
    return made(name, regression, **given)


def rows(draw: Draw, n: int, width: int, dtype: str) -> np.ndarray:
    """Draw ordinary rows; some have far values, a column that begins late or one that changes its unit."""
    X = draw.rng.normal(size=(n, width))
    column, start = draw.random.randrange(width), draw.random.randint(0, n)
    if draw.chance(0.2):
        far = draw.choice((-999.0, 1e6, 10.0 ** draw.rng.normal(3, 1, n)))
        X[:, column] = np.where(draw.rng.random(n) < draw.choice((0.02, 0.1, 0.4)), far, X[:, column])
    if draw.chance(0.2):
        X[:start, column] = 0.0
    if draw.chance(0.2):
        X[start:, column] *= draw.choice((1e-3, 1e3))
    return X.astype(dtype)


def targets(draw: Draw, model: Model, n: int, n_classes: int = 3) -> np.ndarray:
    """Draw labels that a model takes, or targets."""
    if isinstance(model, Regressor):
        return draw.rng.normal(size=n)
    known = model.classes_
    return known[draw.rng.integers(0, len(known), n)] if len(known) else draw.rng.integers(0, n_classes, n)


def weights(draw: Draw, n: int) -> np.ndarray | None:
    """Draw weights of rows, or none."""
    return draw.rng.uniform(0, 3, n) * (draw.rng.random(n) > 0.1) if draw.chance(0.3) else None


def answers(model: Model, X: Any) -> bytes:
    """Return the bits of what a model says of rows."""
    if isinstance(model, Regressor):
        return model.predict(X).tobytes()
    return model.decision_function(X).tobytes() + "\n".join(map(str, model.predict(X).tolist())).encode()


def copied(model: Model) -> Model:
    """Return what is read from the bytes of a model."""
    return type(model).from_bytes(model.to_bytes())


def started(model: Model) -> bool:
    """Tell whether a model has learned anything."""
    return model.n_samples_seen_ > 0


def is_small(model: Model) -> bool:
    """Tell whether a model that was loaded needs little memory, whatever it learns."""
    given = model.params
    room = max(given.get(name) or 1 for name in ("budget", "max_size")) * (given.get("hash_features") or 1)
    return room <= ROOM and getattr(model, "n_features_encoded_", 1) <= WIDEST


def within(model: Model) -> None:
    """Expect as many support vectors as the parameters allow, at most."""
    given = model.params
    most = given.get("max_size") if given.get("rate") is not None else given.get("budget")
    if started(model) and most is not None:
        expect(
            model.n_support_vectors_ <= most,
            f"{model.n_support_vectors_} vectors, at most {most} are allowed",
        )


def step(draw: Draw, model: Model, other: Model, X: Any, y: Any, weight: Any = None) -> bool:
    """Learn a batch in a model and in its copy, which go on equally; return whether they can be saved.

    What is refused changes nothing.
    """
    before = model.to_bytes()
    ends = [tried(lambda one=one: one.learn(X, y, sample_weight=weight))[0] for one in (model, other)]
    draw.note(f"-> {ends[0] or 'learned'}")
    expect(ends[0] == ends[1], f"both learn, or neither: {ends}")
    within(model)
    saved = [tried(one.to_bytes) for one in (model, other)]
    expect(saved[0] == saved[1], f"a copy goes on with equal bits: {[end for end, _ in saved]}")
    if saved[0][0]:
        # Numbers that no run has may overflow: such a model says that it cannot be saved.
        expect("the model was not saved" in saved[0][0], f"why it is not saved: {saved[0][0]}")
        return False
    expect(not ends[0] or saved[0][1] == before, f"what is refused changes nothing: {ends[0]}")
    if started(model):
        said = [tried(lambda one=one: answers(one, X)) for one in (model, other)]
        expect(said[0] == said[1], "both answer with equal bits")
    return True


def tried(call: Callable[[], object]) -> tuple[str, object]:
    """Return what a call refuses, and what it returns; other exceptions than ValueError fail the case."""
    try:
        return "", call()
    except ValueError as error:
        return str(error), None
