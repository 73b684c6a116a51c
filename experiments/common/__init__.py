"""The code that the experiments share."""

from .cells import Arguments, main, pyplot, report
from .data import MissingDataError, data_file, load, standardise
from .measure import Stopwatch, checkpoints, deviation, feed, peak_memory

__all__ = [
    "Arguments",
    "MissingDataError",
    "Stopwatch",
    "checkpoints",
    "data_file",
    "deviation",
    "feed",
    "load",
    "main",
    "peak_memory",
    "pyplot",
    "report",
    "standardise",
]
