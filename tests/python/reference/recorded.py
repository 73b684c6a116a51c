"""Results of the oracles as data. `make oracles` computes them, the tests read them.

The oracles are slow and do not change. A function that runs one has the decorator `recorded`; a call returns
what `results.npz` has for its arguments. The file also has, for each module of tests, a digest of the sources
that its results depend on.
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
    return (integers(value) * value["scale"]).astype({"f": float, "i": int, "b": bool}[value["kind"]])


def integers(value):
    flat = results()["numbers"][value["at"] : value["at"] + int(np.prod(value["shape"]))]
    return flat.reshape(value["shape"])


@cache
def results():
    """What the file has; nothing where there is no file yet."""
    if not FILE.exists():
        return {"digests": {}, "steps": {}}
    with np.load(FILE) as file:
        # Bytes of equal weight are next to each other, which is what makes them small.
        numbers = np.ascontiguousarray(file["bytes"].T).view("<i8")[:, 0]
        return {**json.loads(file["index"].tobytes()), "numbers": numbers}


def digests():
    """The digest of the sources of each module of tests whose functions have results."""
    return {module: digest(module) for module in sorted({module_of(name) for name in REGISTERED})}


def module_of(name):
    return name.partition(".")[0]


def digest(module):
    """The digest of the module and of what it imports from this folder, but for tests and assertions."""
    found, waiting = {}, [module]
    while waiting:
        module = waiting.pop()
        if module not in found and module != "recorded" and (FOLDER / f"{module}.py").exists():
            found[module], imports = source(module)
            waiting += imports
    return hashlib.sha256("\n".join(found[module] for module in sorted(found)).encode()).hexdigest()


@cache
def source(module):
    """What of the module counts, and the modules that it imports."""
    text = (FOLDER / f"{module}.py").read_text(encoding="utf-8")
    lines, imports = text.splitlines(), []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith(("test_", "assert_")):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            lines[first - 1 : node.end_lineno] = [""] * (node.end_lineno - first + 1)
        elif isinstance(node, ast.Import):
            imports += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append(node.module)
    return "\n".join([module, *filter(str.strip, lines)]), imports


def compute(job):
    name, case = job
    return f"{name}{case!r}", REGISTERED[name][0](*case)


def register():
    """Import the tests: each has its functions with results."""
    sys.path.insert(0, str(FOLDER))
    for path in sorted(FOLDER.glob("test_oracle*.py")):
        importlib.import_module(path.stem)


def main():
    parser = argparse.ArgumentParser(
        description="Compute the results of the oracles whose sources changed; with --check, all results."
    )
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    parser.add_argument("modules", nargs="*", help="only these, such as test_oracle_pa")
    given = parser.parse_args()
    now, stored = digests(), results()
    if unknown := set(given.modules) - set(now):
        parser.error(f"no module with results: {', '.join(sorted(unknown))}; there are {', '.join(now)}")
    modules = given.modules or [
        module for module in now if given.check or now[module] != stored["digests"].get(module)
    ]
    jobs = [
        (name, case)
        for name, (_, cases) in REGISTERED.items()
        if module_of(name) in modules
        for case in cases
    ]
    with multiprocessing.Pool(initializer=register) as pool:
        computed = dict(pool.imap(compute, jobs, chunksize=4))
    kept = {key: [packed(step) for step in steps] for key, steps in stored["steps"].items()}
    if given.check:
        return check(computed, {key: steps for key, steps in kept.items() if module_of(key) in modules})
    kept = {key: steps for key, steps in kept.items() if module_of(key) in now.keys() - modules}
    index, numbers = laid_out(kept | computed)
    of_results = {
        module: now[module] if module in modules else stored["digests"].get(module) for module in now
    }
    text = json.dumps({"digests": of_results, "steps": index}, separators=(",", ":"))
    planes = numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T
    np.savez_compressed(FILE, index=np.frombuffer(text.encode(), np.uint8), bytes=planes)
    print(f"{len(computed)} results computed, {len(kept)} kept, {FILE.stat().st_size / 1e6:.1f} MB")
    return 0


def packed(step):
    """A step of the file as `pack` gave it."""
    return {
        key: (integers(value), value["scale"], value["kind"]) if isinstance(value, dict) else value
        for key, value in step.items()
    }


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


def check(computed, kept):
    """Whether the file has these results, but for the rounding of other machines."""
    (index, numbers), (index_of_file, numbers_of_file) = laid_out(computed), laid_out(kept)
    same = json.loads(json.dumps(index)) == index_of_file and abs(numbers - numbers_of_file).max() < 2**12
    print(f"the {len(computed)} results are the oracles'" if same else f"the results differ: {MESSAGE}")
    return 0 if same else 1


if __name__ == "__main__":
    # The functions register in the module that the tests import.
    sys.path.insert(0, str(FOLDER))
    import recorded as module

    module.register()
    sys.exit(module.main())
