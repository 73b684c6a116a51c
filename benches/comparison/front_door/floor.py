"""What the prototype reached, each figure with its standard deviation where that is known."""

from __future__ import annotations

from dataclasses import dataclass

BUDGETS = (100, 500)  # of the figures of a line, in this order

FLOOR = {
    ("classification", "accuracy"): {
        "letter": "88.6±.3 96.0±.1",
        "covertype-200k": "79.1±.3 84.4±.2",
        "covertype-500k": "79.6±.2 85.2±.3",
        "mnist": "95.8±.1 96.9±.02",
        "waveform": "86.3±.1 86.3±.1",
        "shuttle": "99.90±.01 99.92±.01",
        "a9a": "84.8±.1 84.8±.2",
        "noaa": "81.0±.3 81.1±.2",
        "usps": "93.1±.2 94.0±.3",
        "dna": "93.8±.5 93.7±.8",
        "ijcnn1": "98.2±.1 98.5±.1",
    },
    ("regression", "r2"): {
        "cadata": ".755±.007 .760±.007",
        "abalone": ".542±.026 .542±.021",
        "space_ga": ".705±.028 .708±.026",
        "friedman1": ".944±.002 .947±.004",
        "friedman1-noisy": ".467±.006 .470±.006",
    },
    ("drift", "accuracy"): {
        "sea, static": "85.0 85.7",
        "sea, forgetting": "88.6 88.5",
        "hyperplane, static": "86.9 87.5",
        "hyperplane, forgetting": "91.7 91.4",
        "checkerboard, static": "69.5 80.7",
        "checkerboard, forgetting": "96.2 96.5",
        "letter-permuted, static": "76.2 81.8",
        "letter-permuted, forgetting": "85.4 92.1",
        "noaa, static": "79.2 79.0",
        "noaa, forgetting": "79.4 79.5",
        "covertype-ordered, static": "82.9 83.3",
        "covertype-ordered, forgetting": "93.5 94.1",
    },
    ("probabilities", "ece"): {"a9a": "0.6", "letter": "0.8", "covertype-50k": "1.9", "noaa": "1.9"},
    ("probabilities", "brier"): {
        "a9a": "21.5",
        "letter": "16.7",
        "covertype-50k": "36.4",
        "noaa": "28.0",
    },
    ("robust", "accuracy"): {
        "letter, gamma x 1/4": "88.5",
        "letter, gamma x 8": "88.3",
        "covertype-50k, gamma x 1/4": "76.5",
        "covertype-50k, gamma x 8": "76.4",
        "letter, 15% label noise": "85.8",
        "ijcnn1, 15% label noise": "97.2",
        "letter, raw": "88.7",
        "shuttle, raw": "99.9",
    },
}


@dataclass(frozen=True)
class Floor:
    """A figure as it was written down."""

    text: str

    @property
    def mean(self) -> float:
        return float(self.text.partition("±")[0])

    @property
    def deviation(self) -> float:
        """The standard deviation of a floor; 0 if it is unknown."""
        return float(self.text.partition("±")[2] or 0)

    @property
    def digits(self) -> int:
        """The number of decimals, to which figures are rounded before the comparison."""
        return len(self.text.partition("±")[0].partition(".")[2])


def floor_of(table: str, measure: str, label: str, budget: int | None) -> Floor | None:
    """The floor of a measure of a cell, if there is one."""
    figures = FLOOR.get((table, measure), {}).get(label, "").split()
    if budget not in BUDGETS or BUDGETS.index(budget) >= len(figures):
        return None
    return Floor(figures[BUDGETS.index(budget)])
