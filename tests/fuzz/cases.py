"""One case: its random numbers, the files that it leaves, and what a part may ask for."""

import random
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

PARTS = (
    "models",
    "collections",
    "extremes",
    "readers",
    "commands",
    "invalid",
    "exactness",
    "continuations",
    "endurance",
    "threads",
    "lifecycle",
    "kills",
    "service",
    "streams",
    "properties",
)

FOLDER = "BUDGETRS_FUZZ_FOLDER"
"""The variable that names the folder of a worker, for files that cases leave behind."""


class BrokenPromiseError(AssertionError):
    """A promise that does not hold."""


class Draw:
    """The random numbers of one case, which depend on the seed, the part and the number of the case alone.

    Parameters
    ----------
    part : str
        The name of the part.
    seed : int
        The seed of the whole run.
    index : int
        The number of the case, from 0.
    keep : Path or None
        Where a case that is repeated leaves its files; without it they are not written.
    """

    def __init__(self, part: str, seed: int, index: int, keep: Path | None = None) -> None:
        self.name = f"{part}-{seed}-{index}"
        self.seed, self.index = seed, index
        self.random = random.Random(self.name)
        self.rng = np.random.default_rng(self.random.getrandbits(64))
        self.keep = keep
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Say what the case does; it is written at once, since the process may be killed."""
        self.notes.append(text)
        if self.keep:
            (self.keep / f"{self.name}.notes.txt").write_text("\n".join(self.notes) + "\n")

    def file(self, ending: str, content: bytes) -> None:
        """Leave a file that shows the case, where one is asked for."""
        if self.keep:
            (self.keep / f"{self.name}{ending}").write_bytes(content)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choice(self, options):
        return self.random.choice(list(options))


def expect(holds: object, promise: str) -> None:
    """Fail where a promise does not hold, without Python's `assert`, which an option removes."""
    if not holds:
        raise BrokenPromiseError(promise)


def module(part: str) -> ModuleType:
    """Import a part. What a module does not say has the value here."""
    found = import_module(f"tests.fuzz.{part}")
    for name, value in {"SECONDS": 2.0, "SHARE": 1.0, "MEMORY": None, "CASES": None}.items():
        if not hasattr(found, name):
            setattr(found, name, value)
    return found
