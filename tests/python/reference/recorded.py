"""Results of the oracles as data. `make oracles` computes them, the tests read them.

The oracles are slow and do not change. A function that runs one has the decorator `recorded`; a call returns
what `results.npz` has for its arguments. The file also has a digest of the sources that they depend on.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import json
import multiprocessing
import sys
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from types import SimpleNamespace

import numpy as np

FOLDER = Path(__file__).resolve().parent
FILE = FOLDER / "results.npz"
REGISTERED: dict[str, tuple[Callable, list[tuple]]] = {}
MESSAGE = "run `make oracles`, and commit tests/python/reference/results.npz"


def recorded(cases, bits=52):
    """Read the results of a function from the file; `cases` are the tuples of its arguments.

    A result is a list of steps, each a dictionary of numbers and arrays, and is read as namespaces. Floats
    are rounded to `bits` binary places below the largest value of their array.
    """

    def decorate(function):
        name = f"{function.__module__}.{function.__name__}"
        REGISTERED[name] = (lambda *case: pack(function(*case), bits), list(cases))

        @wraps(function)
        def read(*case):
            steps = results()["steps"].get(f"{name}{case!r}")
            assert steps is not None, f"the oracle's result for {case} is missing: {MESSAGE}"
            return [SimpleNamespace(**{key: unpack(value) for key, value in step.items()}) for step in steps]

        return read

    return decorate


def pack(steps, bits):
    """Each array as integers with a scale."""
    return [
        {key: rounded(value, bits) if isinstance(value, np.ndarray) else value for key, value in step.items()}
        for step in steps
    ]


def rounded(array, bits):
    scale = 1.0
    if array.dtype.kind == "f":
        scale = 2.0 ** (np.ceil(np.log2(abs(array).max(initial=0.0) or 1.0)) - bits)
    return np.rint(array / scale).astype(np.int64), scale, array.dtype.kind


def unpack(value):
    if not isinstance(value, dict):
        return value
    flat = results()["numbers"][value["at"] : value["at"] + int(np.prod(value["shape"]))]
    return (
        (flat * value["scale"])
        .astype({"f": float, "i": int, "b": bool}[value["kind"]])
        .reshape(value["shape"])
    )


@cache
def results():
    """What the file has; nothing where there is no file yet."""
    if not FILE.exists():
        return {"digest": "", "steps": {}}
    with np.load(FILE) as file:
        # Bytes of equal weight are next to each other, which is what makes them small.
        numbers = np.ascontiguousarray(file["bytes"].T).view("<i8")[:, 0]
        return {**json.loads(file["index"].tobytes()), "numbers": numbers}


def digest():
    """The digest of all sources in this folder but for the tests and the assertions in them."""
    sources = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.py")):
        if path.name.endswith("by_hand.py") or path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith(("test_", "assert_")):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                lines[first - 1 : node.end_lineno] = [""] * (node.end_lineno - first + 1)
        sources.update("\n".join([path.name, *filter(str.strip, lines)]).encode())
    return sources.hexdigest()


def compute(job):
    name, case = job
    return f"{name}{case!r}", REGISTERED[name][0](*case)


def register():
    """Import the tests: each has its functions with results."""
    sys.path.insert(0, str(FOLDER))
    for path in sorted(FOLDER.glob("test_oracle*.py")):
        importlib.import_module(path.stem)


def main():
    parser = argparse.ArgumentParser(description="Compute the results of the oracles.")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    given = parser.parse_args()
    jobs = [(name, case) for name, (_, cases) in REGISTERED.items() for case in cases]
    index, parts, start = {}, [], 0
    with multiprocessing.Pool(initializer=register) as pool:
        for key, steps in pool.imap(compute, jobs, chunksize=4):
            index[key] = [dict(step) for step in steps]
            for step in index[key]:
                for name, value in step.items():
                    if isinstance(value, tuple):
                        array, scale, kind = value
                        step[name] = {"at": start, "shape": array.shape, "scale": scale, "kind": kind}
                        parts.append(array.ravel())
                        start += array.size
    numbers = np.concatenate(parts)
    if given.check:
        return check(index, numbers)
    text = json.dumps({"digest": digest(), "steps": index}, separators=(",", ":"))
    planes = numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T
    np.savez_compressed(FILE, index=np.frombuffer(text.encode(), np.uint8), bytes=planes)
    print(f"{len(index)} results, {len(numbers):,} numbers, {FILE.stat().st_size / 1e6:.1f} MB")
    return 0


def check(index, numbers):
    """Whether the file has these results, but for the rounding of other machines."""
    stored = results()
    same = json.loads(json.dumps(index)) == stored["steps"] and abs(numbers - stored["numbers"]).max() < 2**12
    print("the results are the oracles'" if same else f"the results differ: {MESSAGE}")
    return 0 if same else 1


if __name__ == "__main__":
    # The functions register in the module that the tests import.
    sys.path.insert(0, str(FOLDER))
    import recorded as module

    module.register()
    sys.exit(module.main())
