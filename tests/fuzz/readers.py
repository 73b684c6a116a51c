"""Mutated data files, through the push parser and the readers of the command line: rows or an error."""

import gzip
import io
import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from budgetrs._core import Reader
from budgetrs.cli.columns import Layout
from budgetrs.cli.errors import CommandError
from budgetrs.cli.files import Data

from .cases import FOLDER, Draw, expect

try:
    import pyarrow
    from pyarrow import feather, parquet
except ImportError:
    pyarrow = None

SECONDS = 3.0
SHARE = 2.0
# Files are small: beyond what is there at the start no case needs more.
MEMORY = 1 << 30
ROWS = 30
# The endings of files, and the kinds that the push parser takes.
ENDINGS = {"words": "csv", "packed": "csv.gz"}
TEXTS = ("libsvm", "csv")
KINDS = (*TEXTS, *ENDINGS, "npy", "npz", *(("parquet", "arrow") if pyarrow else ()))
BLANKS = (b"", b" ", b"\t", b"\n", b"\r\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"1:1 1:1", b"@data\n")
MARKS = b", ; : - . # \" ' { } \\ |O <f16 >f8 PK nan inf None True 1,5 5% 1_000 0x10 (1000000000000,)"
NUMBERS = b"1e400 -1e-400 99999999999999999999 18446744073709551615 -1 4294967296:1 0:1 1e5:1"
PIECES = (*BLANKS, *MARKS.split(), *NUMBERS.split())


@lru_cache
def start(kind: str) -> bytes:
    """Return a good file of a kind."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(ROWS, 3)), rng.integers(0, 2, ROWS)
    table, out = np.column_stack([X, y]), io.BytesIO()
    columns = {"size": X[:, 0], "town": rng.choice(["Oslo", "Bern"], ROWS), "y": y}
    match kind:
        case "libsvm":
            lines = (
                f"{c} " + " ".join(f"{i}:{v:.4g}" for i, v in enumerate(x, 1))
                for x, c in zip(X, y, strict=True)
            )
            return "\n".join(lines).encode()
        case "csv":
            return "\n".join(",".join(f"{v:.4g}" for v in row) for row in table).encode()
        case "words":
            lines = zip(*columns.values(), strict=True)
            return ("size,town,y\n" + "\n".join(",".join(map(str, line)) for line in lines)).encode()
        case "packed":
            return gzip.compress(start("csv"), mtime=0)
        case "npy":
            np.save(out, table)
        case "npz":
            np.savez(out, X=X, y=y)
        case "parquet":
            parquet.write_table(pyarrow.table(columns), out)
        case "arrow":
            feather.write_feather(pyarrow.table(columns), out)
    return out.getvalue()


def mutate(draw: Draw, data: bytes) -> bytes:
    """Change some bytes: cut, doubled, exchanged, inserted, flipped."""
    for _ in range(draw.choice((1, 1, 2, 5))):
        # Headers are in the first bytes and in the last.
        ends = draw.choice((len(data), 130, -130))
        reach = range(max(0, len(data) - 130), len(data)) if ends < 0 else range(min(len(data), ends))
        first, last = sorted((draw.choice([*reach, 0]), draw.random.randint(0, len(data))))
        match draw.random.randrange(7):
            case 0:
                data = data[:first] if draw.chance(0.5) else data[last:]
            case 1:
                data = data[:first] + draw.choice(PIECES) + data[first:]
            case 2:
                data = data[:first] + draw.choice(PIECES) + data[first + draw.random.randint(0, 8) :]
            case 3:
                data = data[:first] + bytes([draw.random.randrange(256)]) + data[first + 1 :]
            case 4:
                data = data[:last] + data[first:last] * draw.choice((1, 2, 50)) + data[last:]
            case 5:
                data = data[:first] + data[last:]
            case 6:
                number = draw.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)).to_bytes(8, "little")
                data = data[:first] + number[: draw.choice((1, 2, 4, 8))] + data[first + 4 :]
        data = data[: 1 << 16]
    return data


def drawn(draw: Draw) -> tuple[str, str, bytes]:
    """Draw a mutated file: its kind, the ending of its name and its bytes."""
    kind = draw.choice(KINDS)
    ending, data = ENDINGS.get(kind, kind), mutate(draw, start(kind))
    draw.file(f".{ending}", data)
    draw.note(f"{kind}, {len(data)} bytes")
    return kind, ending, data


def case(draw: Draw) -> None:
    kind, ending, data = drawn(draw)
    if kind in TEXTS and draw.chance(0.7):
        parse(draw, kind, data)
    else:
        read(draw, ending, data)


def again(draw: Draw, path: Path) -> None:
    """Look at a file that was kept, in several ways."""
    data, ending = path.read_bytes(), path.name.split(".", 1)[1]
    for _ in range(20):
        read(draw, ending, data)
        if ending in TEXTS:
            parse(draw, ending, data)


def parse(draw: Draw, kind: str, data: bytes) -> None:
    """Feed the parser in two ways of cutting: the same rows come out, or the same error."""
    given = {"task": draw.choice(("classification", "regression", "unlabelled"))}
    if kind == "csv":
        given["kinds"] = draw.choice(("nnnt", "nncnt", "ct", "t-nn"))
        given["header"] = draw.choice((True, False))
        given["missing"] = draw.choice(([], ["-1", "x"]))
        if draw.chance(0.2):
            given |= {"decimal": ",", "delimiter": draw.choice((";", " "))}
    else:
        given["first_index"] = draw.choice((0, 1))
    draw.note(f"Reader({kind!r}, **{given!r})")
    ends = [fed(Reader(kind, **given), data, size) for size in (len(data) or 1, draw.random.randint(1, 9))]
    expect(ends[0] == ends[1], f"pieces do not matter: {ends}")


def fed(reader: Reader, data: bytes, size: int) -> tuple[int, str]:
    """Return the rows that were read, and the error that ended it."""
    rows, refusal = 0, ""
    try:
        for at in range(0, len(data), size):
            reader.feed(data[at : at + size])
        reader.finish()
    except ValueError as error:
        refusal = str(error)
    while (taken := reader.take()) is not None:
        rows += len(taken[-1])
        expect(not np.isinf(taken[0]).any(), "no value that is read is infinite")
    return rows, refusal


def read(draw: Draw, ending: str, data: bytes) -> None:
    """Read a file as the command line does: every row has the features and the target that it says."""
    path = Path(os.environ[FOLDER]) / f"data.{ending}"
    path.write_bytes(data)
    layout = Layout(
        task=draw.choice(("classification", "regression", "unlabelled")),
        dtype=draw.choice(("float32", "float64")),
        target=draw.choice((-1, -1, -1, 0, 2, "y", "town")),
        decimal=draw.choice((".", ".", ",")),
        delimiter=draw.choice((",", ",", ";", " ")),
        missing_texts=draw.choice(((), ("-1", "x"))),
        zero_based=draw.choice((None, None, True, False)),
        max_features=draw.choice((4, 1 << 24)),
        max_memory=1 << 24,
    )
    draw.note(repr(layout))
    try:
        with Data(str(path), layout) as rows:
            for batch in rows:
                targets = batch.targets()
                expect(targets is None or len(targets) == len(batch), "each row has a target")
                expect(batch.where(len(batch) - 1).startswith(rows.name), "each row has a place in the file")
    except (CommandError, MemoryError) as refusal:  # a damaged size may ask for much memory
        expect(str(refusal), "an error is said")
