"""Every regular expression of the package takes linear time, whatever the text: files come from anywhere."""

import ast
import importlib
import re
import time
import tracemalloc
from dataclasses import is_dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import pytest

import budgetrs
from budgetrs import _notations
from budgetrs.cli import advice
from conftest import run

FOLDER = Path(budgetrs.__file__).parent
N = 10_000
# Exponential time shows in short texts, which are tried first.
LENGTHS = (22, N)
SECONDS = 0.02
ITERATING = ("sub", "subn", "split", "findall", "finditer")
PARSER = re._parser


def sources():
    """The modules that use patterns, with their syntax trees."""
    for path in sorted(FOLDER.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "import re\n" in text or "from re " in text:
            parts = path.relative_to(FOLDER.parent).with_suffix("").parts
            yield ".".join(parts), ast.parse(text)


def test_patterns_are_compiled_in_modules():
    """No call compiles a pattern where the tests below cannot find it."""
    functions = {"match", "search", "fullmatch", *ITERATING}
    for name, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
                assert node.attr not in functions, f"{name}:{node.lineno}"
            assert not (isinstance(node, ast.ImportFrom) and node.module == "re"), name


def found(value, depth=4):
    """The patterns in a value of a module, in its collections and in its dataclasses."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, (tuple, list, set, frozenset)):
        for part in value:
            yield from found(part, depth - 1)
    elif depth and isinstance(value, dict):
        yield from found(list(value.values()), depth)
    elif depth and isinstance(value, type):
        yield from found(list(vars(value).values()), depth - 1)
    elif depth and is_dataclass(value):
        lazy = [name for name, of in vars(type(value)).items() if isinstance(of, cached_property)]
        yield from found([getattr(value, name) for name in lazy] + list(vars(value).values()), depth - 1)


def patterns():
    """Every pattern, with the methods that its module calls."""
    for name, tree in sources():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        for key, value in vars(importlib.import_module(name)).items():
            if key.startswith("__"):
                continue
            # A pattern with a name is called by it; the patterns of a collection by any expression.
            named = {node.attr for node in calls if isinstance(node.value, ast.Name) and node.value.id == key}
            methods = named if isinstance(value, re.Pattern) else {node.attr for node in calls}
            searches = {"search"} if methods & {"search", *ITERATING} else set()
            for pattern in found(value):
                yield name, pattern, sorted(searches | methods & {"match", "fullmatch"})


def characters(items):
    """The characters that a parsed pattern knows."""
    for operation, argument in items:
        kind = str(operation)
        if kind in ("LITERAL", "NOT_LITERAL"):
            yield argument
        elif kind == "RANGE":
            yield argument[0]
        elif kind in ("IN", "SUBPATTERN", "BRANCH", "ATOMIC_GROUP") or kind.endswith("_REPEAT"):
            parts = {"SUBPATTERN": 3, "BRANCH": 1}.get(kind, 2 if kind.endswith("_REPEAT") else None)
            inner = argument if parts is None else argument[parts]
            for part in inner if kind == "BRANCH" else [inner]:
                yield from characters(part)
        elif kind == "CATEGORY":
            yield ord({"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(argument), "x"))


def sample(items):
    """A short text that a parsed pattern accepts."""
    text = ""
    for operation, argument in items:
        kind = str(operation)
        if kind in ("LITERAL", "IN", "ANY", "NOT_LITERAL"):
            known = (
                []
                if kind == "ANY" or str(argument)[:9] == "[(NEGATE,"
                else characters([(operation, argument)])
            )
            text += chr(next(iter(known), ord("x"))) if kind != "NOT_LITERAL" else "x"
        elif kind == "SUBPATTERN":
            text += sample(argument[3])
        elif kind == "ATOMIC_GROUP":
            text += sample(argument)
        elif kind == "BRANCH":
            text += sample(argument[1][0])
        elif kind.endswith("_REPEAT"):
            text += sample(argument[2]) * argument[0]
    return text


def attacks(pattern):
    """Texts of a prefix, a long run of one character or two, and an end that may fail."""
    tree = PARSER.parse(pattern.pattern, pattern.flags)
    known = sorted({chr(code) for code in characters(tree)} | set(' "1\n'))
    # Of letters that are in many alternatives, some are enough.
    known = [c for c in known if not c.isalpha()] + [c for c in known if c.isalpha()][:3]
    prefixes = {"", *known, *(sample(tree[:end]) for end in range(1, len(tree) + 1))}
    for prefix in sorted(prefixes):
        for repeated in known:
            for end in ("", "!"):
                yield prefix, repeated, end
    for pair in combinations(known, 2):
        yield "", "".join(pair), "!"


def seconds(call, text):
    """The least time of three calls; one is enough if it is fast."""
    took = []
    while len(took) < 3 and (not took or min(took) > SECONDS):
        start = time.process_time()
        call(text)
        took.append(time.process_time() - start)
    return min(took)


def test_patterns_take_linear_time():
    """The message of a failure has the pattern and the parts of the text."""
    seen = set()
    for name, pattern, methods in patterns():
        seen.add((name, pattern))
        assert methods, f"{name}: {pattern.pattern!r} is not used"
        for prefix, repeated, end in attacks(pattern):
            for length in LENGTHS:
                text = prefix + repeated * (length // len(repeated)) + end
                given = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
                for method in methods:
                    took = seconds(getattr(pattern, method), given)
                    assert took < SECONDS, (name, pattern.pattern, method, prefix, repeated, end, length)
    assert len(seen) > 40


BLANKS = " " * 100_000


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: advice.reject_foreign("f", "f", f"{BLANKS}\n1,0\n2,1\n".encode()), None),
        (lambda: advice.reject_foreign("f", "f", b"\n" * 100_000 + b"1,0\n"), None),
        (lambda: advice.looks_like_libsvm("1 " + "1:1 " * 100_000), True),
        (lambda: advice.other_delimiter([f'a{BLANKS}"b{BLANKS}c"'], ","), None),
        (lambda: _notations.notation(f'"{BLANKS}x1'), None),
        (lambda: _notations.notation(f'"{BLANKS}1"'), None),
        (lambda: _notations.is_date(f"1 {BLANKS}x"), False),
    ],
)
def test_functions_take_linear_time(call, expected):
    start = time.process_time()
    assert call() == expected
    assert time.process_time() - start < 0.2


def test_a_long_line_takes_little_memory(tmp_path, capsys):
    """The memory of the look at the first lines is a small multiple of the line."""
    path = tmp_path / "long.csv"
    path.write_bytes(b'"1" ' * (1 << 20))
    tracemalloc.start()
    code, _, err = run(capsys, "train", path, "-o", tmp_path / "m", "-q")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (code, err.count("\n")) == (1, 1)
    assert peak < 16 * path.stat().st_size
