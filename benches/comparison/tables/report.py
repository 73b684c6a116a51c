"""The printed table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Figures = dict[tuple[str, str], dict[str, Any]]
OURS = "budgetrs"
SHOWN = {"fit": "seconds of fit"}
LEVEL = 0.005
"""Figures closer than this are level."""
SMALL = 1_000
"""Tables of fewer rows are small."""


def read(path: Path) -> Figures:
    lines = (json.loads(line) for line in path.read_text().splitlines())
    return {(line["set"], line["model"]): line for line in lines}


def cell(figures: Figures, name: str, model: str, measure: str, width: int = 9) -> str:
    value = figures.get((name, model), {}).get(measure)
    return (
        (f"{value:.4g}" if measure in ("mae", "fit") else f"{value:.3f}").rjust(width)
        if value is not None
        else "-".rjust(width)
    )


def compare(figures: Figures, other: Figures, model: str, measure: str, margin: float, sign: int = 1) -> str:
    """On how many sets ours is ahead, behind and level; `sign` is -1 where less is better."""
    ahead = behind = level = 0
    for (name, title), ours in figures.items():
        theirs = other.get((name, model))
        if title != OURS or theirs is None or measure not in ours or measure not in theirs:
            continue
        difference = sign * (ours[measure] - theirs[measure])
        ahead, behind = ahead + (difference > margin), behind + (difference < -margin)
        level += abs(difference) <= margin
    return f"{ahead:3d} ahead {behind:3d} behind {level:3d} level"


def table(
    figures: Figures, before: Figures, measures: dict[str, tuple[str, ...]], names: list[str]
) -> Iterator[str]:
    earlier = dict.fromkeys(measures, ("before",) if before else ())
    yield f"{'':30}{'rows':>7}" + "".join(
        "  " + f"{SHOWN.get(measure, measure)}:".ljust(9 * (len(models) + len(earlier[measure])))
        for measure, models in measures.items()
    )
    yield f"{'table':30}{'':>7}" + "".join(
        "  " + "".join(f"{title:>9}" for title in (OURS, *earlier[measure], *models[1:]))
        for measure, models in measures.items()
    )
    for name in names:
        line = f"{name:30}{figures[name, OURS]['rows']:7d}"
        for measure, models in measures.items():
            cells = [cell(figures, name, model, measure) for model in models]
            cells[1:1] = [cell(before, name, OURS, measure)] if before else []
            line += "  " + "".join(cells)
        yield line


def report(path: Path, before: Path | None) -> str:
    """The table of a file of figures, and on how many sets ours is ahead of each model by 0.005."""
    figures = read(path)
    earlier = read(before) if before is not None else {}
    ours = [name for name, model in figures if model == OURS]
    classes = [name for name in ours if figures[name, OURS]["classes"]]
    numbers = [name for name in ours if not figures[name, OURS]["classes"]]
    measured = {model for _, model in figures}
    every = tuple(model for model in (OURS, "LightGBM", "CatBoost", "SVM", "linear") if model in measured)
    probable = tuple(model for model in every if model != "SVM")
    lines = list(table(figures, earlier, {"accuracy": every, "auc": probable, "log_loss": probable}, classes))
    lines += ["", *table(figures, earlier, {"r2": every, "mae": every}, numbers)]
    lines += ["", *table(figures, {}, {"fit": every}, ours), ""]
    for measure, sign in {"accuracy": 1, "auc": 1, "log_loss": -1, "r2": 1}.items():
        lines += [
            f"{measure:9} against {model:9} {compare(figures, figures, model, measure, LEVEL, sign)}"
            for model in every[1:]
            if (measure, model) != ("log_loss", "SVM")
        ]
        if earlier:
            lines.append(
                f"{measure:9} against {'before':9} {compare(figures, earlier, OURS, measure, 0.0, sign)}"
            )
    if earlier:
        lines.append(f"{'mae':9} against {'before':9} {compare(figures, earlier, OURS, 'mae', 0.0, -1)}")
    gaps = [figures[name, "LightGBM"]["r2"] - figures[name, OURS]["r2"] for name in numbers]
    if gaps:
        lines.append(f"r2        LightGBM - budgetrs: mean {sum(gaps) / len(gaps):.3f}")
    lines.append(f"seconds   against {'LightGBM':9} {compare(figures, figures, 'LightGBM', 'fit', 0.0, -1)}")
    small = [name for name in classes if figures[name, OURS]["rows"] < SMALL]
    if small:
        means = (sum(figures[name, model]["accuracy"] for name in small) / len(small) for model in every)
        shown = ", ".join(f"{model} {mean:.3f}" for model, mean in zip(every, means, strict=True))
        lines.append(f"mean accuracy on {len(small)} tables under {SMALL:,} rows: {shown}")
    return "\n".join(lines)
