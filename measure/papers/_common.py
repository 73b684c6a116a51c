"""What the papers' experiments share."""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..cells import Record
from ..clock import deviation, seconds

Part = tuple[np.ndarray, np.ndarray]


def accuracy(model: Any, test: Part) -> float:
    return 100.0 * float((np.asarray(model.predict(test[0])) == test[1]).mean())


def measured(model: Any, train: Part, test: Part, *counts: str, score: str = "accuracy") -> dict[str, float]:
    """Learn, and return the accuracy on the test rows, the seconds, and some attributes of the model."""
    took = seconds(model.learn, *train)
    return {score: accuracy(model, test), "seconds": took, **{n: getattr(model, f"{n}_") for n in counts}}


def held_out(x: np.ndarray, y: np.ndarray, seed: int | list[int]) -> tuple[Part, Part]:
    """Four fifths of the rows to learn, in a random order, and a fifth to test on."""
    order = np.random.default_rng(seed).permutation(len(x))
    kept, held = order[: len(x) * 4 // 5], order[len(x) * 4 // 5 :]
    return (x[kept], y[kept]), (x[held], y[held])


def judge(candidates: Iterable[Any], cuts: list[tuple[Part, Part]], learned: Callable) -> dict[Any, float]:
    """The mean accuracy of each candidate over cuts; `learned` takes a candidate, a cut's number and rows."""
    scores = dict.fromkeys(candidates, 0.0)
    for i, (kept, held) in enumerate(cuts):
        for candidate in scores:
            scores[candidate] += accuracy(learned(candidate, i, *kept), held) / len(cuts)
    return scores


def best(scores: dict[Any, float]) -> Any:
    return max(scores, key=scores.__getitem__)


def means(results: list[dict[str, float]], score: str = "accuracy", scores: str = "accuracies") -> Record:
    """The mean of each measurement, the standard deviation of the score, and all scores."""
    found: Record = {key: float(np.mean([result[key] for result in results])) for key in results[0]}
    values = [result[score] for result in results]
    return {"sd": deviation(values), **found, scores: [round(value, 4) for value in values]}


def with_paper(records: list[Record], paper: str) -> list[Record]:
    """The records with the paper's figure and the distance to it, in the paper's standard deviations ("sds").

    LOW and HIGH are over two of them; "errors" is the distance in standard errors of both means together.
    """
    with (Path(__file__).parent / f"{paper}.csv").open() as file:
        lines = {(line["method"], int(line["budget"])): line for line in csv.DictReader(file)}
    found = []
    for record in records:
        line = lines.get((record["method"], record["budget"]))
        texts = dict.fromkeys(("paper", "diff", "sds", "mark", "errors"), "")
        if line is not None:
            mean, sd = map(float, line[record["set"]].split("±"))
            difference = record["accuracy"] - mean
            sds = difference / max(sd, 0.05)  # a deviation printed as 0.0 may be anything up to 0.05
            error = np.hypot(record["sd"] / record["reps"] ** 0.5, sd / float(line["runs"]) ** 0.5)
            texts = {"paper": f"{mean:.1f} ±{sd:.1f}", "diff": f"{difference:+.2f}", "sds": f"{sds:+.1f}"}
            texts |= {"mark": "" if abs(sds) <= 2 else "LOW" if sds < 0 else "HIGH"}
            texts["errors"] = f"{difference / error:.1f}" if error else ""
        found.append({**record, **texts})
    return found


def verdict(records: list[Record]) -> str:
    low = sum(record["mark"] == "LOW" for record in records)
    compared = sum(record["paper"] != "" for record in records)
    return f"{low} of {compared} cells more than two standard deviations below the paper's mean"


def pyplot() -> Any:
    """pyplot with the style of the package, to draw files."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from budgetrs._style import COLOURS, SETTINGS

    mpl.rcParams.update({**SETTINGS, "axes.prop_cycle": mpl.cycler(color=COLOURS)})
    return plt
