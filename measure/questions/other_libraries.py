"""The default compared with scikit-learn, LightGBM and River: accuracy, speed, latency, memory and size.

`python -m scripts.pictures speed peers` draws the result.
"""

import pickle
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import models
from ..cells import Options, Output, Record, table
from ..clock import LeftOutError, deviation, in_new_process, peak_memory, reset_peak, seconds
from ..data import MissingDataError, Rows, rows, stream
from ..models import ALPHAS, COSTS, WIDTHS, Facts

SETS = ("a9a", "letter", "covertype-200k", "checkerboard", "waveform")
STREAMS = ("elec2", "sea", "hyperplane", "noaa")
SPARSE = ("a9a",)
CHUNK, GENERATED = 1_000, 200_000  # rows of a chunk; training rows of a generated set
TUNING_ROWS, WHOLE_TUNING_ROWS, QUADRATIC_ROWS = 5_000, 3_000, 40_000
PASSES, SECONDS = 5, 2.0  # a rate is the median of so many passes, but none begins after so many seconds
OPTIONS = {
    "sets": (SETS + STREAMS, "sets and streams"),
    "rounds": (5, "orders of the rows of a set, for all models but those that are slow"),
    "most": (int, "rows of a set at most"),
    "stream_rows": (20_000, "rows of a stream"),
    "slow_rows": (5_000, "rows that River's models learn of a set"),
    "singles": (500, "rows learned and predicted one at a time"),
    "limit": (300.0, "seconds of a process at most"),
}
QUICK = {"sets": ["a9a", "letter", "covertype-200k", "elec2"], "rounds": 1, "most": 3_000}
QUICK |= {"stream_rows": 2_000, "slow_rows": 1_000, "singles": 200, "limit": 60.0}
COLUMNS = (
    *(("model", -22, "{model}"), ("rows", 8, "{rows:,.0f}"), ("accuracy", 13, "{accuracy}")),
    *(("learned/s", 11, "{learned:,.0f}"), ("one by one/s", 13, "{singles:,.0f}")),
    *(("predicted/s", 12, "{predicted:,.0f}"), ("learn p50", 10, "{learn_p50:.1f}")),
    *(("p99", 7, "{learn_p99:,.0f}"), ("predict p50", 12, "{predict_p50:.1f}")),
    *(("p99", 7, "{predict_p99:,.0f}"), ("MB before", 10, "{before:,.0f}"), ("peak", 6, "{peak:,.0f}")),
    *(("model kB", 10, "{kilobytes:,.0f}"),),
)


@dataclass(frozen=True)
class Entrant:
    """How a model is made and measured."""

    make: Callable[[Facts], Any]
    whole: bool = False  # learns all rows at once and cannot learn another
    once: bool = False  # measured in the first round only: slow, or independent of the order of the rows
    slow: bool = False  # learns a part of the rows
    quadratic: bool = False  # left out of large sets: compares all pairs of rows, or has too many features
    grid: Mapping[str, tuple] | None = None  # parameters to choose from


OURS, SMALL, SAMPLER, NYSTROEM = "budgetrs", "budgetrs, B = 100", "RBFSampler-500 + SGD", "Nystroem-500 + SGD"
LINEAR, RIVER, TREE = "SGDClassifier", "River logistic reg.", "River adaptive tree"
STEPS = {"alpha": ALPHAS, "average": (True, False)}
KERNEL, CORNERS = {"gamma": WIDTHS, **STEPS}, {"gamma": WIDTHS, "C": COSTS}
BOOSTING = {"num_leaves": (31, 127), "learning_rate": (0.05, 0.2), "n_estimators": (100, 400)}
ENTRANTS = {
    OURS: Entrant(models.Ours),
    SAMPLER: Entrant(partial(models.OnePass, features="RBFSampler"), grid=KERNEL),
    SMALL: Entrant(partial(models.Ours, budget=100)),
    NYSTROEM: Entrant(partial(models.OnePass, features="Nystroem"), once=True, grid=KERNEL),
    LINEAR: Entrant(models.OnePass, grid=STEPS),
    RIVER: Entrant(models.river_linear, slow=True),
    TREE: Entrant(models.river_tree, once=True, slow=True),
    "most frequent class": Entrant(models.MOST_FREQUENT, whole=True, once=True),
    "budgetrs, fit": Entrant(partial(models.Ours, whole=True), whole=True),
    "decision tree": Entrant(models.TREE, whole=True, once=True),
    "random forest": Entrant(models.FOREST, whole=True, once=True),
    "5 nearest neighbours": Entrant(models.NEIGHBOURS, whole=True, once=True, quadratic=True),
    "1-NN, unscaled": Entrant(models.NEAREST, whole=True, once=True),
    "RBFSampler-2000, ridge": Entrant(models.RIDGE, whole=True, once=True, grid={"gamma": WIDTHS}),
    "polynomial logistic": Entrant(models.POLYNOMIAL, whole=True, once=True, quadratic=True),
    "LightGBM": Entrant(models.LIGHTGBM, whole=True, once=True),
    "LightGBM, 5 trees": Entrant(
        partial(models.LIGHTGBM, n_estimators=5, num_leaves=255, learning_rate=0.5), whole=True, once=True
    ),
    "LightGBM, tuned": Entrant(models.LIGHTGBM, whole=True, once=True, grid=BOOSTING),
    "SVC": Entrant(models.SVM, whole=True, once=True, quadratic=True),
    "SVC, tuned": Entrant(models.SVM, whole=True, once=True, quadratic=True, grid=CORNERS),
}
ON_STREAMS = (OURS, SAMPLER, SMALL, LINEAR, RIVER, TREE)
SINGLES = (SAMPLER, LINEAR, RIVER, TREE)  # compared row by row


def rows_of(name: str, options: Options, run: int = 0) -> Rows:
    """The rows of a set in the order of a run, or of a stream; classes from 0, as River's binary models need.

    A stream has no test rows. Generated sets have other training rows in each run.
    """
    if name in STREAMS:
        x, y = stream(name, 0)
        found = Rows(x[: options.stream_rows], y[: options.stream_rows], x[:0], y[:0])
    elif name in ("checkerboard", "waveform"):
        from budgetrs import _core

        make, n = getattr(_core, name), min(GENERATED, options.most or GENERATED)
        found = Rows(*make(n, seed=2 * run + 1), *make(max(n // 10, 1000), seed=2))
    else:
        found = rows(name, run, options.most)
    y, y_test = (np.searchsorted(found.classes, labels) for labels in (found.y, found.y_test))
    return replace(found, y=y, y_test=y_test)


def tune(path: Path, title: str, facts: Facts) -> Record:
    """In a process of its own, so that its memory is not counted."""
    entrant, (x, y, *_) = ENTRANTS[title], pickle.loads(path.read_bytes())
    n = WHOLE_TUNING_ROWS if entrant.whole else TUNING_ROWS
    return models.choose(entrant.make, facts, entrant.grid or {}, x[:n], y[:n])


def chunks(model: Any, x: Any, y: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
    for start in range(0, len(y), CHUNK):
        yield model.rows(x[start : start + CHUNK]), y[start : start + CHUNK]


def learn(model: Any, entrant: Entrant, x: Any, y: np.ndarray) -> float:
    """Processor seconds of one pass."""
    return sum(seconds(model.learn, *part) for part in ([(x, y)] if entrant.whole else chunks(model, x, y)))


def percentiles(name: str, wall_seconds: list[float]) -> Record:
    p50, p99 = np.quantile(1e6 * np.array(wall_seconds), [0.5, 0.99])
    return {f"{name}_p50": float(p50), f"{name}_p99": float(p99)}


def measure(path: Path, title: str, facts: Facts, slow_rows: int, n_singles: int) -> Record:
    """The measurements of one model, in a process of its own."""
    entrant, (x, y, x_test, y_test) = ENTRANTS[title], pickle.loads(path.read_bytes())
    if title == TREE and facts.sparse:
        x, x_test = x.toarray(), x_test.toarray()
    model = entrant.make(facts)  # imports its package
    reset_peak()
    before = peak_memory()
    if len(y_test) == 0:
        found = of_stream(model, x, y)
        return found | {"before": before, "peak": peak_memory(), "kilobytes": model.size() / 1024}
    if entrant.slow:
        x, y = x[:slow_rows], y[:slow_rows]
    took, predicting, right, n = [learn(model, entrant, x, y)], 0.0, 0, len(y_test)
    for part, labels in chunks(model, x_test, y_test):
        began = time.process_time()
        predicted = model.predict(part)
        predicting += time.process_time() - began
        right += int((predicted == labels).sum())
    found = {"rows": len(y), "accuracy": 100 * right / n, "predicted": n / predicting}
    found |= {"before": before, "peak": peak_memory(), "kilobytes": model.size() / 1024}
    found |= one_by_one(model, entrant, x_test, y_test, min(n_singles, n // 2))
    while not entrant.once and len(took) < PASSES and sum(took) < SECONDS:
        took.append(learn(entrant.make(facts), entrant, x, y))
    return found | {"learned": len(y) / float(np.median(took))}


def one_by_one(model: Any, entrant: Entrant, x: Any, y: np.ndarray, n: int) -> Record:
    """Rows that are new to the model, one at a time: n for each latency, and before them n for the rate."""
    each = [(model.row(x, i), label) for i, label in enumerate(y[: 2 * n].tolist())]
    wall = partial(seconds, clock=time.perf_counter)
    found = percentiles("predict", [wall(model.predict_one, row) for row, _ in each[:n]])
    if entrant.whole:
        return found
    began = time.process_time()
    for row, label in each[:n]:
        model.learn_one(row, label)
    found["singles"] = n / (time.process_time() - began)
    return found | percentiles("learn", [wall(model.learn_one, row, label) for row, label in each[n:]])


def of_stream(model: Any, x: Any, y: np.ndarray) -> Record:
    """The first chunk is learned; each row after it is predicted, then learned."""
    model.learn(model.rows(x[:CHUNK]), y[:CHUNK])
    right, spent, times = 0, 0.0, []
    for i, label in enumerate(y[CHUNK:].tolist(), CHUNK):
        row = model.row(x, i)
        began, start = time.process_time(), time.perf_counter()
        predicted = model.predict_one(row)
        middle = time.perf_counter()
        model.learn_one(row, label)
        times.append((middle - start, time.perf_counter() - middle))
        spent += time.process_time() - began
        right += bool(predicted == label)
    predicting, learning = zip(*times, strict=True)
    n = len(times)
    found = {"rows": n, "accuracy": 100 * right / n, "singles": n / spent}
    return found | percentiles("learn", learning) | percentiles("predict", predicting)


def write(path: Path, data: Rows, sparse: bool) -> None:
    parts = [data.x, data.y, data.x_test, data.y_test]
    if sparse:
        from scipy.sparse import csr_matrix

        parts[0], parts[2] = csr_matrix(data.x), csr_matrix(data.x_test)
    path.write_bytes(pickle.dumps(parts, protocol=5))


def summary(title: str, records: list[Record]) -> Record:
    """The medians of the rounds; of the accuracy, the mean and the standard deviation."""
    medians = {name: float(np.median([record[name] for record in records])) for name in records[0]}
    accuracies = [record["accuracy"] for record in records]
    sd = f"±{deviation(accuracies):.2f}" if len(accuracies) > 1 else ""
    return {"model": title, **medians, "accuracy": f"{np.mean(accuracies):.2f}%{sd}"}


def compare(output: Output, name: str, options: Options) -> dict[str, list[Record]]:
    """Measure the models in turns and print their summaries; the records of each model."""
    is_stream, sparse, data = name in STREAMS, name in SPARSE, rows_of(name, options)
    slow = (NYSTROEM, TREE) if options.quick else ()
    titles = [title for title in (ON_STREAMS if is_stream else ENTRANTS) if title not in slow]
    facts, reasons = {}, {}
    runs: dict[str, list[Record]] = {title: [] for title in titles}

    def attempt(title: str, work: Callable, *given: Any) -> Any:
        if title in reasons:
            return None
        try:
            return in_new_process(work, path, title, *given, limit=options.limit)
        except (LeftOutError, ModuleNotFoundError) as error:
            reasons[title] = str(error)
        except Exception as error:
            reasons[title], output.failed = repr(error), output.failed + 1
        return None

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        write(path, data, sparse)
        for title in titles:
            entrant = ENTRANTS[title]
            if entrant.quadratic and len(data.y) > QUADRATIC_ROWS:
                reasons[title] = f"more than {QUADRATIC_ROWS:,} rows"
            facts[title] = Facts(data.classes, sparse, seed=int(title == TREE))
            if entrant.grid:
                facts[title] = replace(facts[title], parameters=attempt(title, tune, facts[title]) or {})
        for number in range(1 if is_stream else options.rounds):
            if number:
                write(path, rows_of(name, options, number), sparse)
            for title in titles:
                if not (number and ENTRANTS[title].once):
                    record = attempt(title, measure, facts[title], options.slow_rows, options.singles)
                    runs[title] += [record] if record else []
    (n, d), kind = data.x.shape, "sparse" if sparse else "dense"
    test = "predicted, then learned" if is_stream else f"{len(data.x_test):,} test rows"
    output(f"\n{name}: {n:,} {kind} rows of {d} features, {len(data.classes)} classes, {test}")
    runs = {title: found for title, found in runs.items() if found}
    head, *lines = table(COLUMNS, [summary(title, found) for title, found in runs.items()])
    shown = dict(zip(runs, lines, strict=True))
    output.print((head, *(shown.get(t) or f"{t:22} left out: {reasons[t]}" for t in titles)))
    chosen = (f"{title} {described(facts[title].parameters)}" for title in runs if facts[title].parameters)
    output(f"chosen: {'; '.join(chosen)}")
    return runs


def described(parameters: Mapping[str, Any]) -> str:
    shown = {name: value if isinstance(value, bool) else f"{value:.3g}" for name, value in parameters.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def ratio(own: list[Record], other: list[Record], name: str) -> float:
    """The median over rounds, in each of which both ran one after the other."""
    return float(np.median([a[name] / b[name] for a, b in zip(own, other, strict=False)]))


def main(options: Options, output: Output) -> None:
    found = {}
    for name in options.sets:
        try:
            found[name] = compare(output, name, options)
        except (MissingDataError, ModuleNotFoundError) as error:
            output.missing.append(str(error))
    pairs = [(n, f[OURS], f[SAMPLER]) for n, f in found.items() if n in SETS and {OURS, SAMPLER} <= set(f)]
    if pairs:
        output(f"\nrows learned per second, {OURS} (B = 500) over {SAMPLER}, both in chunks of 1,000 rows")
    for name, own, other in pairs:
        (a, b), (c, d) = (
            (np.median([r["learned"] for r in run]), np.mean([r["accuracy"] for r in run]))
            for run in (own, other)
        )
        line = f"{name:16}{ratio(own, other, 'learned'):6.2f}   {a:,.0f} over {c:,.0f} rows/s, "
        output(f"{line}accuracy {b:.2f}% beside {d:.2f}%")
    output(f"\nrows per second one at a time (learned; of streams predicted and learned), {OURS} over")
    output(f"{'':16}" + "".join(f"{title:>24}" for title in SINGLES))
    for name, of in found.items():
        if OURS in of:
            ratios = (f"{ratio(of[OURS], of[t], 'singles'):.1f}" if t in of else "-" for t in SINGLES)
            output(f"{name:16}" + "".join(f"{text:>24}" for text in ratios))
