"""The error of the answers of the example service, beside its counters and the progressive error."""

import asyncio
import tempfile
import time
from collections import deque
from pathlib import Path

from examples.service.learner import Item, Learner
from examples.service.metrics import Metrics
from examples.service.settings import Settings
from examples.service.storage import Row

from ..cells import Options, Output
from ..service_clients import MEMORY, served, stream, values

BUDGET = 100
OPTIONS = {
    "rows": (20_000, "rows of each stream"),
    "window": (5_000, "labels of the window"),
    "drift": (5_000, "rows between two drifts"),
    "delays": ((0, 200, 500, 1_000, 2_500), "rows after which a label arrives"),
    "stable": ((0, 2_500), "the same of streams without drift"),
}
QUICK = {"rows": 600, "window": 150, "drift": 150, "delays": [0, 20], "stable": [20]}


async def measure(folder: Path, options: Options, delay: int, drift: int) -> list[float]:
    """The errors of all labels and of the window: of the answers, by the counters, and progressive."""
    worker = Learner(Settings(data=folder, budget=BUDGET), metrics := Metrics())
    wrong: list[tuple[bool, bool]] = []  # of each label: had its row an answer, and was it wrong
    pending: deque[tuple[str, str, str | None]] = deque()
    shown: list[tuple[float, ...]] = []

    async def label_one() -> None:
        if len(wrong) == options.rows - options.window:
            shown.append(count())
        id_, label, answer = pending.popleft()
        (result,) = await worker.learn([Item(id_, label, {}, False)])
        assert result["position"] == len(wrong) + 1
        wrong.append((answer is not None, answer is not None and answer != label))

    def count() -> tuple[float, ...]:
        scrape = values(metrics.show({}, worker.models.by_role()).decode())
        of_model = '{model="main",role="champion"}'
        rows = scrape.get(f"service_model_rows{of_model}", 0)
        error = scrape.get(f"service_model_progressive_error_ratio{of_model}", 0)
        return served(scrape, "labels"), served(scrape, "mistakes"), rows, error * rows

    worker.start()
    try:
        for at, (row, label) in enumerate(stream(options.rows, drift)):
            (best,), (answers,) = worker.models.predict([row])
            await worker.waiting.add({f"{at:032x}": Row(time.time(), row, answers)})
            pending.append((f"{at:032x}", label, next(iter(best), None)))
            if len(pending) > delay:
                await label_one()
        while pending:
            await label_one()
        shown.append(count())
    finally:
        await asyncio.to_thread(worker.stop)
    found = []
    for some, before in ((wrong, (0.0,) * 4), (wrong[-options.window :], shown[0])):
        labels, mistakes, rows, errors = (b - a for a, b in zip(before, shown[-1], strict=True))
        answered = sum(has_answer for has_answer, _ in some)
        found += [sum(is_wrong for _, is_wrong in some) / answered, mistakes / labels, errors / rows]
    return found


def main(options: Options, output: Output) -> None:
    output(f"Errors in percent, {options.rows:,} rows, budget {BUDGET}.")
    output("answers: the client compares each answer that it received with the label that it sends later.")
    output("counters: service_served_mistakes_total / service_served_labels_total, role champion.")
    output("progressive: service_model_progressive_error_ratio, measured when the label arrives.")
    output(f'"last": the last {options.window:,} labels in the order of their arrival; the counters are the')
    output("difference of two scrapes, before these labels and after the last one. All labels have arrived;")
    output("rows that were predicted before the first label have no answer and count nowhere.\n")
    output(f"{'label after':>11}{'drift every':>13}   {'all':^32}   {'last':^32}")
    output(f"{'':24}" + 2 * f"   {'answers':>9}{'counters':>10}{'progressive':>13}")
    differences = []
    drifting = [(delay, options.drift) for delay in options.delays]
    for delay, drift in drifting + [(delay, 0) for delay in options.stable]:
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            found = asyncio.run(measure(Path(folder), options, delay, drift))
        line = f"{delay:>6,} rows{f'{drift:,} rows' if drift else 'never':>13}"
        for answers, counters, progressive in (found[:3], found[3:]):
            line += f"   {100 * answers:>9.2f}{100 * counters:>10.2f}{100 * progressive:>13.2f}"
            differences.append(abs(answers - counters))
        output(line)
    output(f"\nlargest difference of answers and counters: {100 * max(differences):.2f} points")
