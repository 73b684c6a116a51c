"""The overhead of calls from Python over the core.

- A row: `predict_one` and `learn_one` of a float32 row beside numpy's `x.dot(x)` in the same loop, as medians
  of ratios, and beside the time per row in a batch of 1000 copies of the row, nearly all of it in the core.
- Under load: one thread learns rows in a loop and three threads predict rows. Times include the wait for the
  GIL, which Python passes on every 5 ms.
- Batches: the estimators beside the native classes, as medians of ratios of processor time.
"""

from __future__ import annotations

import argparse
import threading
import time
import warnings
from collections.abc import Callable
from timeit import Timer

import numpy as np

from budgetrs import BSGDClassifier, Classifier, OnlineKernelClassifier, Regressor

MODELS = {
    "bsgd-merge": lambda budget: Classifier("bsgd-merge", budget=budget, gamma=1.0),
    "online-kernel": lambda budget: Classifier(budget=budget),
    "regression": lambda budget: Regressor(budget=budget),
}
SIZES = ((10, 2), (100, 20), (100, 54))  # budget and features
BATCH = 1000
CALLS = 50


def rows(n: int, d: int, dtype: type = np.float32) -> tuple[np.ndarray, np.ndarray]:
    """Rows, labelled by the sign of a product of two features."""
    X = np.random.default_rng(0).normal(size=(n, d)).astype(dtype)
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def medians(statements: dict[str, int], names: dict, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Nanoseconds of each statement, and ratios to the first: medians over rounds of all statements.

    `statements` has the number of calls in a round, small enough that most rounds are not interrupted.
    """
    timers = [(Timer(statement, globals=names), count) for statement, count in statements.items()]
    times = np.array([[timer.timeit(count) / count for timer, count in timers] for _ in range(rounds)])
    return 1e9 * np.median(times, axis=0), np.median(times / times[:, :1], axis=0)


def report_rows(rounds: int) -> None:
    print("a row, float32: ns, and the ratio to x.dot(x); core is the share of a row in a batch of 1000")
    print(f"{'model':15}{'B':>5}{'d':>4}{'dot':>7}{'predict_one':>18}{'core':>7}{'learn_one':>18}{'core':>7}")
    for name, new in MODELS.items():
        for budget, d in SIZES:
            X, y = rows(4000, d)
            model = new(budget).learn(X, y)
            x = np.zeros(2, np.float32) if d == 2 else X[0].copy()
            label = 1.0 if isinstance(model, Regressor) else 1
            names = {"m": model, "x": x, "y": label, "X": np.tile(x, (BATCH, 1)), "Y": np.full(BATCH, label)}
            statements = {"x.dot(x)": CALLS, "m.predict_one(x)": CALLS, "m.learn_one(x, y)": CALLS}
            batches = {"m.predict(X)": 1, "m.learn(X, Y)": 1}
            (dot, predict, learn, *cores), ratios = medians(statements | batches, names, rounds)
            shown = (f"{predict:10.0f} ({ratios[1]:5.2f})", f"{learn:10.0f} ({ratios[2]:5.2f})")
            print(f"{name:15}{budget:5}{d:4}{dot:7.0f}{shown[0]:>18}{cores[0] / BATCH:7.0f}", end="")
            print(f"{shown[1]:>18}{cores[1] / BATCH:7.0f}", flush=True)


def timed(call: Callable[[], object], times: list[int], until: Callable[[], bool]) -> None:
    """Append the nanoseconds of each call to `times`."""
    clock = time.perf_counter_ns
    while not until():
        start = clock()
        call()
        times.append(clock() - start)


def load(model, seconds: float) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Nanoseconds of calls in a single thread, and with one learning and three predicting threads."""
    x, label = np.zeros(2, np.float32), 1.0 if isinstance(model, Regressor) else 1
    calls = {"learn_one": lambda: model.learn_one(x, label), "predict_one": lambda: model.predict_one(x)}
    alone: dict[str, list[int]] = {call: [] for call in calls}
    under: dict[str, list[int]] = {call: [] for call in calls}
    for call, times in alone.items():
        end = time.perf_counter() + seconds
        timed(calls[call], times, lambda end=end: time.perf_counter() > end)
    done = threading.Event()
    work = [("learn_one", [])] + [("predict_one", []) for _ in range(3)]
    threads = [threading.Thread(target=timed, args=(calls[call], times, done.is_set)) for call, times in work]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    done.set()
    for thread in threads:
        thread.join()
    for call, times in work:
        under[call] += times
    return alone, under


def report_load(seconds: float) -> None:
    print("\ncalls of B = 10, d = 2: microseconds of one thread, and of 1 that learns beside 3 that predict")
    print(f"{'model':15}{'call':13}{'p50':>8}{'p99':>8}{'p50':>12}{'p99':>8}{'longest':>10}")
    for name, new in MODELS.items():
        alone, under = load(new(10).learn(*rows(4000, 2)), seconds)
        for call in alone:
            before = np.percentile(np.array(alone[call]) / 1e3, (50, 99))
            among = np.percentile(np.array(under[call]) / 1e3, (50, 99, 100))
            print(f"{name:15}{call:13}{before[0]:8.2f}{before[1]:8.2f}", end="")
            print(f"{among[0]:12.2f}{among[1]:8.2f}{among[2]:10.0f}", flush=True)


def ratio(native: Callable[[], object], ours: Callable[[], object], rounds: int) -> float:
    """The median ratio of processor times, of alternating calls."""
    ratios = []
    for number in range(rounds):
        took = {}
        for call in (native, ours) if number % 2 else (ours, native):
            start = time.process_time()
            call()
            took[call] = time.process_time() - start
        ratios.append(took[ours] / took[native])
    return float(np.median(ratios))


def report_batches(n: int, rounds: int) -> None:
    print(f"\nestimators: processor time of {n:,} rows, B = 100, as a ratio to the native class")
    calls = ("fit", "partial_fit", "predict", "decision_function", "predict_proba")
    print(f"{'estimator':24}{'d':>4}  {'dtype':8}" + "".join(f"{call:>19}" for call in calls))
    for d in (20, 54):
        for dtype in (np.float32, np.float64):
            X, y = rows(n, d, dtype)
            for kind, name in ((BSGDClassifier, "bsgd-merge"), (OnlineKernelClassifier, "online-kernel")):
                given = {"budget": 100} | ({"gamma": 0.05} if kind is BSGDClassifier else {})

                def native(fit=False, name=name, given=given):
                    model = Classifier(name, classes=[0, 1], **given)
                    return model.fit(X, y) if fit else model.learn(X, y)  # noqa: B023

                fitted = kind(**given).fit(X, y)
                model = fitted._model
                pairs = [
                    (lambda: native(fit=True), lambda: kind(**given).fit(X, y)),  # noqa: B023
                    (native, lambda: kind(**given).partial_fit(X, y, classes=[0, 1])),  # noqa: B023
                ]
                for call in calls[2:] if kind is OnlineKernelClassifier else calls[2:4]:
                    ask, our = getattr(model, call), getattr(fitted, call)
                    pairs.append((lambda ask=ask: ask(X), lambda our=our: our(X)))  # noqa: B023
                shown = "".join(f"{ratio(*pair, rounds):19.3f}" for pair in pairs)
                print(f"{kind.__name__:24}{d:4}  {np.dtype(dtype).name:8}{shown}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=400, help="times that a row is measured (400)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each kind of load (2)")
    parser.add_argument("--rows", type=int, default=10_000, help="of a batch (10,000)")
    parser.add_argument("--quick", action="store_true", help="a tenth of it: does it run?")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 40, 0.2
    warnings.simplefilter("ignore")  # about kernel values of these rows
    report_rows(options.rounds)
    report_load(options.seconds)
    report_batches(options.rows, max(options.rounds // 20, 3))


if __name__ == "__main__":
    main()
