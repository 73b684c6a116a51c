"""Every figure of the readme with its baselines, from the recorded results; nothing is measured.

Each part begins with the command that measured it, whose results have been recorded with --keep.
"""

from ..cells import RESULTS, Options, Output
from ..data import REPOSITORY

OPTIONS: dict = {}
QUICK: dict = {}
SMALL = 24  # lines of a part at most
# The claim, the file of results and the beginning of the line from which on it is shown.
CLAIMS = (
    ("the first example", "first_example", "model"),
    ("letter, in one pass and by fit", "other_libraries", "letter: "),
    ("trees are ahead on covertype", "other_libraries", "covertype-200k: "),
    ("a linear model is enough for a9a", "other_libraries", "a9a: "),
    ("real streams", "river_models", "| stream "),
    ("speed and memory on real streams", "river_models", "| all streams "),
    ("the rule behind the labels of Elec2", "river_models", "Elec2, the price "),
    ("44 tables: accuracy", "tables", "accuracy  against "),
    ("44 tables: R2, and the tables under 1,000 rows", "tables", "r2        against "),
    ("constant memory", "growth", "model "),
    ("microseconds of a row (the file has nanoseconds)", "../../benches/results/latency", "online-kernel"),
)


def part(name: str, beginning: str) -> list[str]:
    """The lines of a file of results from one on, up to an empty line."""
    lines = (RESULTS / f"{name}.txt").resolve().read_text().splitlines()
    command = lines[0] if lines[0].startswith("$ ") else f"$ python -m measure {name}"
    start = next((number for number, line in enumerate(lines) if line.startswith(beginning)), None)
    if start is None:
        return [command, f"not in the recorded result: {beginning}"]
    end = next((number for number in range(start, len(lines)) if not lines[number]), len(lines))
    return [command, *lines[start : min(end, start + SMALL)]]


def main(_: Options, output: Output) -> None:
    for claim, name, beginning in CLAIMS:
        output(f"\n{claim}: {(RESULTS / f'{name}.txt').resolve().relative_to(REPOSITORY)}")
        output.print(part(name, beginning))
