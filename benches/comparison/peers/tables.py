"""The measurements as tables of text and of Markdown."""

from __future__ import annotations

import numpy as np
from benches.comparison.kept import Shown

from .data import Found
from .models import FRONT_DOOR, LINEAR, RIVER, SAMPLER, TREE
from .runs import Cells, Record

HEAD = (
    f"{'model':22}{'rows':>8}{'accuracy':>9}{'learned/s':>11}{'one by one/s':>13}{'predicted/s':>12}"
    f"{'learn p50':>10}{'p99':>7}{'predict p50':>12}{'p99':>7}{'MB before':>10}{'peak':>6}{'model kB':>10}"
)
# The sets whose rate of learning is compared, and those who learn row by row.
RATIOS = ("a9a", "letter", "covertype-200k", "checkerboard", "waveform")
SINGLES = (SAMPLER, LINEAR, RIVER, TREE)


def cell(record: Record, name: str, width: int, text: str = ",.0f") -> str:
    return f"{record[name]:{width}{text}}" if name in record else f"{'-':>{width}}"


def show_set(show: Shown, found: Found, cells: Cells, titles: tuple[str, ...]) -> None:
    """A line for each model."""
    n, d = found.rows.x.shape
    kind = "sparse" if found.is_sparse else "dense"
    test = "predicted, then learned" if found.is_stream else f"{len(found.rows.x_test):,} test rows"
    show(f"\n{found.name}: {n:,} {kind} rows of {d} features, {len(found.rows.classes)} classes, {test}")
    show(HEAD)
    for title in titles:
        record = cells.records.get((found.name, title))
        if record is None:
            show(f"{title:22} left out: {cells.reasons[found.name, title]}")
            continue
        show(
            f"{title:22}{cell(record, 'rows', 8)}{cell(record, 'accuracy', 8, '.2f')}%"
            f"{cell(record, 'learned', 11)}{cell(record, 'singles', 13)}{cell(record, 'predicted', 12)}"
            f"{cell(record, 'learn_p50', 10, '.1f')}{cell(record, 'learn_p99', 7)}"
            f"{cell(record, 'predict_p50', 12, '.1f')}{cell(record, 'predict_p99', 7)}"
            f"{cell(record, 'before', 10)}{cell(record, 'peak', 6)}{record['size'] / 1024:10,.0f}"
        )
    chosen = (chosen_by(title, cells.records.get((found.name, title), {})) for title in titles)
    show(f"chosen: {'; '.join(filter(None, chosen))}")


def chosen_by(title: str, record: Record) -> str:
    """The parameters that were chosen on the first rows."""
    chosen = record.get("parameters") or {}
    parts = (
        f"{name} {value if isinstance(value, bool) else f'{value:.3g}'}" for name, value in chosen.items()
    )
    return f"{title} {', '.join(parts)}" if chosen else ""


def ratio(own: Record, other: Record, name: str) -> float:
    """The median over rounds, in each of which both ran one after the other."""
    return float(np.median([a[name] / b[name] for a, b in zip(own["runs"], other["runs"], strict=False)]))


def show_ratios(show: Shown, cells: Cells) -> None:
    """The rates of the front door as multiples of the peers' rates."""
    sets = [name for name in RATIOS if (name, FRONT_DOOR) in cells.records]
    lines = ratios_of_chunks(sets, cells)
    if lines:
        show(
            f"\nrows learned per second, {FRONT_DOOR} (B = 500) over {SAMPLER}, both in chunks of 1,000 rows"
        )
        for line in lines:
            show(line)
    names = list(dict.fromkeys(name for name, title in cells.records if title == FRONT_DOOR))
    if names:
        show(
            f"\nrows per second one at a time (learned; of streams predicted and learned), {FRONT_DOOR} over"
        )
        show(f"{'':16}" + "".join(f"{title:>24}" for title in SINGLES))
    for name in names:
        own = cells.records[name, FRONT_DOOR]
        others = [cells.records.get((name, title)) for title in SINGLES]
        texts = (f"{ratio(own, other, 'singles'):.1f}" if other else "-" for other in others)
        show(f"{name:16}" + "".join(f"{text:>24}" for text in texts))


def ratios_of_chunks(sets: list[str], cells: Cells) -> list[str]:
    lines = []
    for name in sets:
        own, other = cells.records[name, FRONT_DOOR], cells.records.get((name, SAMPLER))
        if other:
            lines.append(
                f"{name:16}{ratio(own, other, 'learned'):6.2f}   "
                f"{own['learned']:,.0f} over {other['learned']:,.0f} rows/s, "
                f"accuracy {own['accuracy']:.2f}% beside {other['accuracy']:.2f}%"
            )
    return lines
