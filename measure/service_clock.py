"""Run as a program: the example service with a clock that is off by the seconds in the file MEASURE_CLOCK."""

import os
import runpy
import time
from pathlib import Path

if __name__ == "__main__":
    file, now_ns = Path(os.environ["MEASURE_CLOCK"]), time.time_ns
    time.time_ns = lambda: now_ns() + 1_000_000_000 * int(file.read_text())
    time.time = lambda: time.time_ns() / 1e9
    runpy.run_module("examples.service", run_name="__main__")
