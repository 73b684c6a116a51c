"""Tables 1 to 3 of "Nonparametric Budgeted Stochastic Gradient Descent" from results/, beside the paper's."""

from __future__ import annotations

from ..common import report
from .data import PROBLEMS
from .paper import VARIANTS, Entry, entries

ENTRIES = {entry.key: entry for entry in entries()}


def key_of(record: dict) -> tuple:
    """What names a cell."""
    return record["variant"], *entry_key(record)


def entry_key(record: dict) -> tuple:
    """What names a cell of the paper."""
    return record["table"], record["set"], record["method"], record["loss"], record["asked"]


def order_of(record: dict) -> tuple[int, int]:
    return list(VARIANTS).index(record["variant"]), list(ENTRIES).index(entry_key(record))


def behind(record: dict, entry: Entry) -> float:
    """How much worse than the paper's figure ours is, as it is printed; negative where it is better."""
    worse = entry.score.mean - record["score"]
    return (-worse if PROBLEMS[record["set"]].regression else worse) - entry.score.rounding


def mark(record: dict, entry: Entry) -> str:
    """LOW: more than two standard deviations worse than the paper, its own where it prints one, else ours."""
    sd = record["sd"] if entry.score.sd is None else entry.score.sd
    return "LOW" if behind(record, entry) > 2 * sd else ""


def show(records: list[dict]) -> None:
    """Print one table of the paper after the other, set by set, one line to the cell."""
    records = sorted(records, key=order_of)
    for variant, words in VARIANTS.items():
        mine = [record for record in records if record["variant"] == variant]
        if not mine:
            continue
        print(f"\n{variant}: {words}")
        for table, name in dict.fromkeys((record["table"], record["set"]) for record in mine):
            problem = PROBLEMS[name]
            here = [record for record in mine if (record["table"], record["set"]) == (table, name)]
            print(
                f"\nTable {table}, {problem.title}: {here[0]['rows']:,} training rows, "
                + ("root of the mean squared error" if problem.regression else "accuracy in %")
            )
            print_set(here, 3 if problem.regression else 2)
        print_verdict(mine)


def print_set(records: list[dict], digits: int) -> None:
    print(
        f"{'method':17}{'loss':9}{'B':>6}{'ours':>14}{'paper':>12}{'':5}"
        f"{'seconds':>9}{'paper':>8}{'SVs':>9}{'paper':>8}{'inserted':>9}{'gamma':>9}{'lambda':>9}"
    )
    for record in records:
        entry = ENTRIES[entry_key(record)]
        sd = "" if entry.score.sd is None else f" ±{entry.score.sd:.1f}"
        alpha = "-" if record["alpha"] is None else f"{record['alpha']:.4g}"
        print(
            f"{record['method']:17}{record['loss']:9}{record['budget'] or '-':>6}"
            f"{record['score']:8.{digits}f} ±{record['sd']:.{digits}f}"
            f"{f'{entry.score.mean:.4g}{sd}':>12} {mark(record, entry):4}"
            f"{record['seconds']:9.2f}{entry.seconds:8.4g}{record['n_support_vectors']:9.0f}{entry.size:8.0f}"
            f"{100 * record['n_updates'] / record['rows']:8.1f}%{record['gamma']:9.4g}{alpha:>9}"
        )


def print_verdict(records: list[dict]) -> None:
    """How many cells are worse than the paper's, those of NBSGD by name."""
    low = [record for record in records if mark(record, ENTRIES[entry_key(record)])]
    print(f"\n{len(low)} of {len(records)} cells are more than two standard deviations worse than the paper")
    of = [[r for r in group if r["method"].startswith("nbsgd")] for group in (low, records)]
    print(f"{len(of[0])} of {len(of[1])} of them NBSGD's:" if of[0] else f"none of the {len(of[1])} of NBSGD")
    for record in of[0]:
        entry = ENTRIES[entry_key(record)]
        print(
            f"  Table {record['table']}, {PROBLEMS[record['set']].title}, {record['method']}, "
            f"{record['loss']}: {record['score']:.4g} ±{record['sd']:.2g}, paper {entry.score.mean:.4g}"
        )


if __name__ == "__main__":
    report(__file__, __doc__, "tables.csv", show)
