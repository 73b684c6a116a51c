"""Numbers from the files of measure/results."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "measure" / "results"
_NAME = 22  # characters of a model's name in the tables of peers


class Peer(NamedTuple):
    """A line of a table of `measure other_libraries`."""

    accuracy: float  # in %
    learned: float  # rows per second
    kilobytes: float


def _lines(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text().splitlines()


def peers(name: str) -> dict[str, Peer]:
    """Return the models of a set by name, without those that were left out."""
    lines = iter(_lines("other_libraries"))
    next(line for line in lines if line.startswith(f"{name}: "))
    next(lines)
    found = {}
    for line in lines:
        if line.startswith("chosen: "):
            return found
        cells = line[_NAME:].split()
        if "left out: " not in line:
            number = [float(cells[i].partition("%")[0].replace(",", "")) for i in (1, 2, -1)]
            found[line[:_NAME].strip()] = Peer(*number)
    raise ValueError(f"other_libraries.txt: expected the end of the table of {name}")


def growth() -> dict[str, np.ndarray]:
    """Return rows, seconds and kilobytes of each model, (points, 3)."""
    found: dict[str, list[list[float]]] = {}
    for line in _lines("growth")[3:]:
        name, *cells = line.replace(",", "").split()
        found.setdefault(name, []).append([float(cell) for cell in cells[:3]])
    return {name: np.array(points) for name, points in found.items()}


def cost() -> list[tuple[str, dict[str, np.ndarray]]]:
    """Return the title of each table, and of each model its points and microseconds per row, (points, 2)."""
    found: list[tuple[str, dict[str, np.ndarray]]] = []
    points: list[float] = []
    for line in _lines("cost")[2:]:
        cells = line.replace(",", "").split()
        if line.startswith("against the "):
            found.append((line.removeprefix("against the "), {}))
        elif line.startswith(" "):
            points = [float(cell) for cell in cells[: cells.index("exponent")]]
        elif cells:
            found[-1][1][cells[0]] = np.array([points, [float(c) for c in cells[1 : len(points) + 1]]]).T
    return found


def streams() -> tuple[list[str], dict[str, list[float]]]:
    """Return the names of the models, and their accuracies in % on each stream."""
    cells = [line.strip("| ").split(" | ") for line in _lines("river_models") if line.startswith("| ")]
    names = cells[0][2:-1]
    accuracies = {stream: row[: len(names)] for stream, _, *row in cells[1:] if row[0].endswith(("%", "%**"))}
    return names, {stream: [float(cell.strip("*%")) for cell in row] for stream, row in accuracies.items()}
