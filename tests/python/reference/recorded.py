"""Results of the oracles as data. `make oracles` computes them (minutes), the tests read them.

The oracles are slow and do not change. A function that runs one has the decorator `recorded`; a call returns
what `results.npz` has for its arguments. The file also has a digest of the sources of the results.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import json
import math
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
    return (integers(value) * value["scale"]).astype({"f": float, "i": int, "b": bool}[value["kind"]])


def integers(value):
    flat = results()["numbers"][value["at"] : value["at"] + int(np.prod(value["shape"]))]
    return flat.reshape(value["shape"])


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
    """The digest of the sources that results depend on: oracles, cases and streams, but no tests."""
    sources = [path for path in sorted(FOLDER.glob("*.py")) if not path.stem.endswith("_by_hand")]
    others = {"recorded", "test_recorded", "test_kernels_scikit_learn"}
    texts = [source(path) for path in sources if path.stem not in others]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def source(path):
    """What of a module counts."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith(("test_", "assert_")):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            lines[first - 1 : node.end_lineno] = [""] * (node.end_lineno - first + 1)
    return "\n".join([path.stem, *filter(str.strip, lines)])


def compute(job):
    name, case = job
    return f"{name}{case!r}", REGISTERED[name][0](*case)


def register():
    """Import the tests: each has its functions with results."""
    sys.path.insert(0, str(FOLDER))
    for path in sorted(FOLDER.glob("test_oracle*.py")):
        importlib.import_module(path.stem)


def main():
    parser = argparse.ArgumentParser(description="Compute the results of the oracles; with --check, compare.")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    given = parser.parse_args()
    jobs = [(name, case) for name, (_, cases) in REGISTERED.items() for case in cases]
    with multiprocessing.Pool(initializer=register) as pool:
        computed = dict(pool.imap(compute, jobs, chunksize=4))
    if given.check:
        return check(computed)
    index, numbers = laid_out(computed)
    text = json.dumps({"digest": digest(), "steps": index}, separators=(",", ":"))
    planes = numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T
    np.savez_compressed(FILE, index=np.frombuffer(text.encode(), np.uint8), bytes=planes)
    print(f"{len(computed)} results computed, {FILE.stat().st_size / 1e6:.1f} MB")
    return 0


def laid_out(computed):
    """The results as JSON, and the numbers of their arrays one after another."""
    index, parts, start = {}, [], 0
    for key, steps in sorted(computed.items()):
        index[key] = [dict(step) for step in steps]
        for step in index[key]:
            for name, value in step.items():
                if isinstance(value, tuple):
                    array, scale, kind = value
                    step[name] = {"at": start, "shape": list(array.shape), "scale": scale, "kind": kind}
                    parts.append(array.ravel())
                    start += array.size
    return index, np.concatenate(parts)


def check(computed):
    """Whether the file has these results, but for the rounding of other machines."""
    kept = results()["steps"]
    differ = [key for key in sorted(kept.keys() | computed) if not same(computed.get(key), kept.get(key))]
    print(f"{len(computed)} results, {len(differ)} differ from the file", *differ[:10], sep="\n")
    if differ:
        print(MESSAGE)
    return 1 if differ else 0


def same(found, kept):
    if isinstance(found, list) and isinstance(kept, list):
        return len(found) == len(kept) and all(map(same, found, kept))
    if isinstance(found, tuple):
        numbers, scale, _ = found
        stored = unpack(kept)
        return numbers.shape == stored.shape and (abs(numbers * scale - stored) < 2**12 * scale).all()
    if isinstance(found, dict):
        return found.keys() == kept.keys() and all(same(found[name], kept[name]) for name in found)
    return (
        math.isclose(found, kept, rel_tol=1e-6, abs_tol=1e-6) if isinstance(found, float) else found == kept
    )


if __name__ == "__main__":
    # The functions register in the module that the tests import.
    sys.path.insert(0, str(FOLDER))
    import recorded as module

    module.register()
    sys.exit(module.main())
