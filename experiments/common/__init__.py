"""What the experiments share."""

from .cells import add_options, pyplot, quick_folder, report, run_cells
from .data import MissingDataError, data_file, load, standardise
from .measure import Stopwatch, checkpoints, deviation, feed, peak_memory

__all__ = [
    "MissingDataError",
    "Stopwatch",
    "add_options",
    "checkpoints",
    "data_file",
    "deviation",
    "feed",
    "load",
    "peak_memory",
    "pyplot",
    "quick_folder",
    "report",
    "run_cells",
    "standardise",
]
