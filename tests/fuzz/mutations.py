"""Changes of a model file, each of them said in one line that repeats it by hand."""

import contextlib
import copy
import math
from typing import Any

import numpy as np

from .cases import Draw
from .drawn import TABLE, value
from .files import DTYPES, NUMPY, File, digits, number

NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0**53, 2.0**63, math.nan, math.inf, -math.inf, 1e308, -1e308),
    *(3e38, -3e38, 5e-324, -5e-324, 1e-45, 1e-39, 1e-300, 1e30, -1e30, 1e-30, 1e18),
)
COUNTS = (0, 1, 2, 3, 5, 100, 2**31, 2**32 - 1, 2**52, 2**53 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 1)
WORDS = ("none", "auto", "polynomial", "random", "scale", "balanced", "online", "float32", "float64")
TEXTS = ("", "é", "x" * 300, *WORDS)


def leaves(tree: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """List the paths of all values of a state."""
    found = []
    for name, inner in tree.items():
        found += leaves(inner, (*path, name)) if isinstance(inner, dict) else [(*path, name)]
    return found


def scopes(tree: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """List the paths of all scopes of a state."""
    found = [path]
    for name, inner in tree.items():
        if isinstance(inner, dict):
            found += scopes(inner, (*path, name))
    return found


def at(tree: dict[str, Any], path: tuple[str, ...]) -> Any:
    for name in path:
        tree = tree[name]
    return tree


def mutate(draw: Draw, file: File) -> str:
    """Change a file once: the line says how."""
    kinds = [change_value, change_value, change_value, structure]
    if file.tensors:
        kinds += [change_numbers, change_numbers, change_numbers, change_tensor]
    for _ in range(20):
        # What an earlier change has left may have no place for this one.
        with contextlib.suppress(KeyError, IndexError, TypeError):
            return draw.choice(kinds)(draw, file)
    return "no change has a place in what is left"


def change_value(draw: Draw, file: File) -> str:
    path = draw.choice(leaves(file.state))
    scope = at(file.state, path[:-1])
    kind, old = scope[path[-1]]
    scope[path[-1]] = [kind, other(draw, kind, old)]
    return f"state {'.'.join(path)}: {kind} {shown(kind, old)} -> {shown(kind, scope[path[-1]][1])}"


def shown(kind: str, content: Any) -> str:
    if kind == "f64":
        return repr(number(content))
    return str(int(content, 16)) if kind == "u64" else repr(content)


def other(draw: Draw, kind: str, old: Any) -> Any:
    """Draw another content of a value's type."""
    match kind:
        case "bool":
            return 1 - old
        case "u64":
            return f"{count(draw, int(old, 16)):016x}"
        case "i64":
            return min(count(draw, old), 2**63 - 1) * draw.choice((1, 1, 1, -1))
        case "f64":
            return digits(real(draw, number(old)))
        case "text":
            return draw.choice(TEXTS)
    new = list(old)
    fresh = {"i64s": 7, "f64s": digits(real(draw, 1.0)), "texts": draw.choice(TEXTS)}[kind]
    match draw.random.randrange(5) if new else 0:
        case 0:
            new.insert(draw.random.randint(0, len(new)), fresh)
        case 1:
            new.pop(draw.random.randrange(len(new)))
        case 2:
            new[draw.random.randrange(len(new))] = fresh
        case 3:
            new.append(draw.choice(new))
        case 4:
            draw.random.shuffle(new)
    return new


def count(draw: Draw, old: int) -> int:
    near = max(0, draw.choice((old - 1, old + 1, 2 * old, old // 2, old + draw.random.randint(-5, 50))))
    return (
        draw.choice((near, draw.choice(COUNTS), draw.random.getrandbits(draw.random.randint(1, 64)))) % 2**64
    )


def real(draw: Draw, old: float) -> float:
    with np.errstate(all="ignore"):
        near = draw.choice(
            (-old, float(np.nextafter(old, 9e307)), float(np.float64(old) * 2), old / 2, old * (1 + 1e-9))
        )
    wide = 10 ** draw.random.uniform(-40, 40)
    return draw.choice((near, near, draw.choice(NUMBERS), draw.choice(NUMBERS), wide, -wide))


def change_numbers(draw: Draw, file: File) -> str:
    """Change one number of a tensor, some or all."""
    name = draw.choice(sorted(file.tensors))
    numbers = file.tensors[name]
    if not numbers.size:
        return change_tensor(draw, file)
    flat = numbers.reshape(-1)
    places = draw.choice(
        ([draw.random.randrange(flat.size)], [draw.random.randrange(flat.size)], range(flat.size))
    )
    lines = []
    new = draw.choice(NUMBERS)
    for place in places:
        old = flat[place].item()
        with np.errstate(all="ignore"):
            if flat.dtype.kind == "f":
                flat[place] = real(draw, old) if len(places) == 1 else new
            else:
                flat[place] = np.uint64(count(draw, old) % 2 ** (8 * flat.itemsize)).astype(flat.dtype)
        lines.append(f"{old!r} -> {flat[place].item()!r}")
    first, last = places[0], places[-1]
    return f"tensor {name}, place {first} to {last} of {flat.size}: {lines[0]}"


def change_tensor(draw: Draw, file: File) -> str:
    """Change the type, the shape or the length of a tensor, or its rows; or take it away."""
    name = draw.choice(sorted(file.tensors))
    old = file.tensors[name]
    like = sorted(one for one, numbers in file.tensors.items() if numbers.shape == old.shape)
    match draw.random.randrange(9):
        case 0:
            del file.tensors[name]
            return f"tensor {name}: removed"
        case 1:
            new = old.astype(NUMPY[draw.choice(DTYPES)])
        case 2:
            new = old.reshape(-1) if old.ndim > 1 else old.reshape(1, -1)
        case 3:
            new = np.concatenate([old, old[:1]])
        case 4:
            new = old[: draw.random.randint(0, len(old))]
        case 5:
            new = old.swapaxes(0, -1)
        case 6:
            second = draw.choice(like)
            file.tensors[second], new = old, file.tensors[second]
            name = f"{name} and {second}"
            file.tensors[name.split(" ")[0]] = new
            return f"tensors {name}: exchanged"
        case 7:
            new = old[draw.rng.permutation(len(old))]
        case _:
            new = np.zeros(draw.choice(((0,), (0, 2**40), (1,), (0, 0, 0), old.shape)), old.dtype)
    file.tensors[name] = np.ascontiguousarray(new)
    return f"tensor {name}: {old.dtype}{old.shape} -> {new.dtype}{new.shape}"


def structure(draw: Draw, file: File) -> str:
    """Remove, double or exchange entries and scopes."""
    path = draw.choice(leaves(file.state) + scopes(file.state)[1:])
    scope, name = at(file.state, path[:-1]), path[-1]
    second = draw.choice(leaves(file.state))
    place = at(file.state, second[:-1])
    said = f"{'.'.join(path)}: "
    match draw.random.randrange(6):
        case 0 | 1:
            del scope[name]
            return said + "removed"
        case 2:
            scope[draw.choice(("more", "seen", "scale", "budget", second[-1]))] = copy.deepcopy(scope[name])
            return said + "doubled"
        case 3:
            place[second[-1]], scope[name] = scope[name], place[second[-1]]
            return said + f"exchanged with {'.'.join(second)}"
        case 4:
            kind = draw.choice(("bool", "u64", "i64", "f64", "text", "i64s"))
            zero = {"bool": 1, "i64": 1, "text": "one", "i64s": [1]}.get(kind, f"{1:016x}")
            scope[name] = [kind, zero]
            return said + f"is a {kind}"
    parameters = file.state["parameters"]
    chosen = draw.choice(sorted(TABLE))
    new = value(draw, chosen)
    if new is None:
        parameters.pop(chosen, None)
    else:
        parameters[chosen] = attribute(new)
    return f"parameters.{chosen}: {new!r}"


def attribute(new: Any) -> list[Any]:
    """Return a value as a file has it."""
    if isinstance(new, bool):
        return ["bool", int(new)]
    if isinstance(new, int):
        return ["i64", min(new, 2**63 - 1)]
    return ["f64", digits(new)] if isinstance(new, float) else ["text", new]
