"""The versions that a bug report needs."""

import os
import platform
import sys
from importlib import metadata

from . import _core

_PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "river",
    "dask",
    "distributed",
    "onnx",
    "onnxruntime",
    "skops",
    "matplotlib",
)


def show_versions() -> None:
    """Print the versions of budgetrs and of all optional packages, the SIMD level, threads and platform.

    Paste the output into bug reports. The SIMD level is the instruction set in use: ``"avx512"``, ``"avx2"``,
    ``"neon"`` or ``"portable"``. Threads are the processors that this process may use; ``n_jobs=-1`` uses all
    of them.

    Examples
    --------
    >>> from budgetrs import show_versions
    >>> show_versions()  # doctest: +ELLIPSIS
    budgetrs: ...
    python: ...
    numpy: ...
    """
    rows = {
        "budgetrs": _core.__version__,
        "python": sys.version.split()[0],
        **{package: _version(package) for package in _PACKAGES},
        "SIMD level": _core.isa(),
        "threads": str(_threads()),
        "platform": platform.platform(),
    }
    for name, value in rows.items():
        print(f"{name}: {value}")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _threads() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
