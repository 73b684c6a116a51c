"""One table of the inputs that people bring, each with the rows that are read."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from budgetrs import Classifier, Regressor
from budgetrs.cli import arguments
from budgetrs.cli.batch import Csr, Labels, Table
from budgetrs.cli.columns import layout_of
from budgetrs.cli.files import Data
from conftest import blobs, board, run, unnamed, write_rows

NONE = None
REGRESSION = "--task regression"


def read(path, options=""):
    """Return the names of the columns, the rows with None for missing values, and the labels or targets."""
    args = arguments.parse(["train", str(path), "-o", "m", *options.split("~")[0].split()])
    for pair in options.split("~")[1:]:
        name, _, value = pair.partition("=")
        setattr(args, name, value)
    rows, targets = [], []
    with Data(str(path), layout_of(args, task=args.task or "classification")) as data:
        for batch in data:
            rows += _rows(batch.X)
            y = batch.y
            targets += [y.names[code] for code in y.codes] if isinstance(y, Labels) else y.tolist()
        return data.names, rows, targets


def _rows(X):
    if isinstance(X, Table):
        columns = [
            [None if code < 0 else c[1][code] for code in c[0]] if isinstance(c, tuple) else _numbers(c)
            for c in X.columns
        ]
        return [list(row) for row in zip(*columns, strict=True)]
    dense = X.toarray() if isinstance(X, Csr) else X
    return [_numbers(row) for row in dense]


def _numbers(values):
    return [None if np.isnan(value) else float(np.float32(value)) for value in values]


LONG = "0.1000000000000000055511151231257827021181583404541015625,123456789012345678901234567890,x\n"
MISSING = ",x\nNA,x\nnull,x\n?,x\n-,x\n.,x\n\\N,x\nNaN,x\n-nan,x\n#N/A,x\nNone,x\n<na>,x\n"
# The text of a file, options, the names of the features, the rows, and the labels or targets.
# Labels of one letter may be a string.
CSV = {
    "numbers": ("1,2,a\n3,4.5,b\n", "", NONE, [[1, 2], [3, 4.5]], ["a", "b"]),
    "header": ("x,y,class\n1,2,0\n3,4,1\n", "", ["x", "y"], [[1, 2], [3, 4]], [0, 1]),
    "no last line end": ("1,2,a\n3,4,b", "", NONE, [[1, 2], [3, 4]], ["a", "b"]),
    "Windows": ("x,c\r\n1,a\r\n\r\n2,b\r\n", "", ["x"], [[1], [2]], ["a", "b"]),
    "old Mac": ("x,c\r1,a\r2,b\r", "", ["x"], [[1], [2]], ["a", "b"]),
    "byte order mark": ("\ufeffx,c\n1,a\n", "", ["x"], [[1]], ["a"]),
    "blank lines": ("\n \nx,c\n\n1,a\n\n", "", ["x"], [[1]], ["a"]),
    "blanks": (" x , c\n 1 ,\ta b \n", "", ["x"], [[1]], ["a b"]),
    "quotes": ('"x","c"\n"1","a,b"\n2,"say ""hi"""\n', "", ["x"], [[1], [2]], ["a,b", 'say "hi"']),
    "blanks before quotes": ('x, "c"\n1, "a, b"\n', "", ["x"], [[1]], ["a, b"]),
    "spellings of a label": ("1,+1\n0,1.0\n2,1\n3,1e0", "", NONE, [[1], [0], [2], [3]], [1, 1, 1, 1]),
    "labels with fractions": ("1,0.5\n2,50e-2\n3,2", "", NONE, [[1], [2], [3]], [0.5, 0.5, 2]),
    "65-bit labels": ("1,9223372036854775808\n2,1_0", "", NONE, [[1], [2]], ["9223372036854775808", "1_0"]),
    "a target": ("1,2.5\n2,-1e3\n", REGRESSION, NONE, [[1], [2]], [2.5, -1000]),
    "a target in double precision": ("1,0.1\n", REGRESSION, NONE, [[1]], [0.1]),
    "target by name": ("y,a,b\n0,1,2\n", "--target y", ["a", "b"], [[1, 2]], [0]),
    "target by number": ("0,1,2\n", "--target 0", NONE, [[1, 2]], [0]),
    "target from the end": ("1,0,2\n", "--target -2", NONE, [[1, 2]], [0]),
    "years as names": ("label,2019,2020\n0,1,2\n", "--target label", ["2019", "2020"], [[1, 2]], [0]),
    "one name is empty": (",x,class\n1,2,a", "", ["", "x"], [[1, 2]], ["a"]),
    "semicolons": ("a;b;c\n1;2;x\n", "--delimiter ;", ["a", "b"], [[1, 2]], ["x"]),
    "bars": ("1|2|x\n", "--delimiter |", NONE, [[1, 2]], ["x"]),
    "tabs": ("1\t2\tx y\n", "--delimiter tab", NONE, [[1, 2]], ["x y"]),
    "runs of blanks": ("  1   2\tx\n 3 4  'y'  \n", "~delimiter= ", NONE, [[1, 2], [3, 4]], ["x", "'y'"]),
    "runs of blanks and quotes": ('1  "a b"\n2\t"c"\n', "~delimiter= ", NONE, [[1], [2]], ["a b", "c"]),
    "decimal comma": ("a;c\n1,5;x\n-2,;y\n", "--delimiter ; --decimal ,", ["a"], [[1.5], [-2]], ["x", "y"]),
    "quoted decimal comma": ('a,c\n"1,5",x\n', "--decimal ,", ["a"], [[1.5]], ["x"]),
    "a target with a comma": ("1;0,5\n", f"--delimiter ; --decimal , {REGRESSION}", NONE, [[1]], [0.5]),
    "forms of numbers": ("+1,-.5,1.,1E3,1e-60,00012.5,x\n", "", NONE, [[1, -0.5, 1, 1000, 0, 12.5]], ["x"]),
    "long numbers": (LONG, "", NONE, [[np.float32(0.1), np.float32(123456789012345678901234567890)]], ["x"]),
    "missing numbers": (f"a,c\n1,x\n{MISSING}", "", ["a"], [[1], *[[None]] * 12], ["x"] * 13),
    "named gaps": (
        "a,b,c\n1,r,x\nu,-9,y\n",
        "--missing-values u,-9",
        ["a", "b"],
        [[1, "r"], [None] * 2],
        "xy",
    ),
    "numbers for gaps": ("a,c\n-9,-9\n1,1\n", "--missing-values -9", ["a"], [[-9], [1]], [-9, 1]),
    "a class named NA": ("1,NA\n2,b\n", "--classes NA,b", NONE, [[1], [2]], ["NA", "b"]),
    "categories": ("t,a,c\nu,1,x\nv,2,y\nu,,x\n", "", ["t", "a"], [["u", 1], ["v", 2], ["u", None]], "xyx"),
    "no category": (
        "t,c\nr,x\n,x\nNA,x\n-,x\nnone,x",
        "",
        ["t"],
        [["r"], [None], [None], ["-"], ["none"]],
        "xxxxx",
    ),
    "quoted categories": ('t,c\n"a,b",x\n"say ""hi""",y\n', "", ["t"], [["a,b"], ['say "hi"']], ["x", "y"]),
    "words": ("t,c\nTrue,x\nfalse,y\n", "", ["t"], [["True"], ["false"]], ["x", "y"]),
    "zip codes": ("zip,c\n0150,x\n0151,y\n", "--categorical zip", ["zip"], [["0150"], ["0151"]], ["x", "y"]),
    "dates": ("d,c\n2024-01-05,x\n", "--categorical d", ["d"], [["2024-01-05"]], ["x"]),
    "sizes are categories": ("s,c\n1st,x\n2nd,y\n", "", ["s"], [["1st"], ["2nd"]], ["x", "y"]),
    "UTF-8": ("størrelse,c\nliten,né\n", "", ["størrelse"], [["liten"]], ["né"]),
    "a gap first": ("a,b,c\n,1,x\n,1,x\n2,1,y\n", "", ["a", "b"], [[None, 1], [None, 1], [2, 1]], "xxy"),
}

LIBSVM = {
    "rows": ("+1 1:0.5 3:2\n-1 2:1e-1\n", "", [[0.5, 0, 2], [0, 0.1, 0]], [1, -1]),
    "comments and blanks": ("# x\n\n1\t1:1  2:2 # y\n", "", [[1, 2]], [1]),
    "unsorted": ("1 3:3 1:1\n", "", [[1, 0, 3]], [1]),
    "zeros": ("1 1:0 2:1e-60 3:0\n0 1:1\n", "", [[0, 0, 0], [1, 0, 0]], [1, 0]),
    "only a label": ("1\n0 2:1\n", "", [[0, 0], [0, 1]], [1, 0]),
    "text labels": ("spam 1:1\nham 1:2\n", "", [[1], [2]], ["spam", "ham"]),
    "missing values": ("1 1:? 2:1\n1 1:NA\n0 2:nan\n", "", [[None, 1], [None, 0], [0, None]], [1, 1, 0]),
    "indices from 0": ("1 0:1 2:3\n0 1:2\n", "", [[1, 0, 3], [0, 2, 0]], [1, 0]),
    "indices from 0 that are named": ("1 1:1\n", "--zero-based yes", [[0, 1]], [1]),
    "a target": ("0.25 1:1\n-1e3 1:2\n", REGRESSION, [[1], [2]], [0.25, -1000]),
}


@pytest.mark.parametrize("name", CSV)
def test_csv(name, tmp_path):
    text, options, names, rows, targets = CSV[name]
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8", newline="")
    expected = [[x if x is None or isinstance(x, str) else float(np.float32(x)) for x in row] for row in rows]
    assert read(path, options) == (names, expected, list(targets))


@pytest.mark.parametrize("name", LIBSVM)
def test_libsvm(name, tmp_path):
    text, options, rows, targets = LIBSVM[name]
    path = tmp_path / "data.libsvm"
    path.write_text(text)
    found = read(path, options)[1:]
    width = max(map(len, rows))
    assert [row + [0.0] * (width - len(row)) for row in found[0]] == [
        [x if x is None else float(np.float32(x)) for x in row] for row in rows
    ]
    assert found[1] == targets


@pytest.mark.parametrize("name", ["data", "data.tsv", "rows.dat"])
@pytest.mark.parametrize(
    ("text", "rows"), [("1,2,a\n", [[1.0, 2.0]]), ("a 1:2\n", [[2.0]]), ("x\ty\tc\n1\t2\ta\n", [[1.0, 2.0]])]
)
def test_formats_are_recognised(name, text, rows, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    options = "--format csv --delimiter tab" if "\t" in text and not name.endswith("tsv") else ""
    if name.endswith("tsv") and "\t" not in text and ":" in text:
        options = "--format libsvm"
    assert read(path, options)[1:] == (rows, ["a"])


FRAME = pd.DataFrame({"a": [1.0, 2.0, None], "t": ["Oslo", None, "Rome"], "y": [1, 0, 1]})
TABLE = (["a", "t"], [[1.0, "Oslo"], [2.0, None], [None, "Rome"]], [1, 0, 1])


@pytest.mark.parametrize("form", ["parquet", "arrow", "feather"])
def test_tables(form, tmp_path):
    path = tmp_path / f"data.{form}"
    if form == "parquet":
        FRAME.set_index("a").reset_index().to_parquet(path)
    else:
        feather.write_feather(pa.Table.from_pandas(FRAME), path)
    assert read(path) == TABLE
    assert read(path, "--target a --task regression".replace("a --", "y --"))[2] == [1.0, 0.0, 1.0]
    indexed = tmp_path / "indexed.parquet"
    FRAME.assign(id=[7, 8, 9]).set_index("id").to_parquet(indexed)
    assert read(indexed) == TABLE


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        (pa.array(["x", "y"]), ["x", "y"]),
        (pa.array(["1", "1.0"]), [1, 1]),
        (pa.array(["x", "y"]).dictionary_encode(), ["x", "y"]),
        (pa.array([1.0, 2.0]), [1, 2]),
        (pa.array([0.5, 2.0]), [0.5, 2]),
        (pa.array([True, False]), [True, False]),
        (pa.array([2**62 + 1, 5]), [2**62 + 1, 5]),
        (pa.array([1, 2], pa.decimal128(5, 2)), [1, 2]),
    ],
    ids=str,
)
def test_labels_of_tables(column, labels, tmp_path):
    parquet.write_table(pa.table({"a": [1, 2], "y": column}), tmp_path / "data.parquet")
    assert read(tmp_path / "data.parquet")[1:] == ([[1.0], [2.0]], labels)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "i2", "u1", "?"])
@pytest.mark.parametrize("packed", [False, True])
def test_arrays(order, dtype, packed, tmp_path):
    table = np.asarray(np.arange(3000).reshape(1000, 3) % 2, dtype, order=order)
    path = tmp_path / "data.npy"
    np.save(path, table)
    if packed:
        path = tmp_path / "data.npy.gz"
        path.write_bytes(gzip.compress((tmp_path / "data.npy").read_bytes()))
    _, rows, labels = read(path)
    assert rows == table[:, :2].astype(float).tolist()
    assert [float(label) for label in labels] == table[:, 2].astype(float).tolist()
    np.savez(tmp_path / "data.npz", X=table, y=np.array(["b", "a"] * 500))
    assert read(tmp_path / "data.npz")[1:] == (table.astype(float).tolist(), ["b", "a"] * 500)


@pytest.mark.parametrize(
    "form",
    ["csv", "csv.gz", "csv.bz2", "csv.xz", "names", "libsvm", "npy", "npz", "parquet", "arrow", "pipe"],
)
@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_form_gives_the_native_model(form, task, dtype, tmp_path, capsys):
    X, y = blobs(400, 3)
    X, y = X.astype(dtype), np.arange(400) % 3 if task == "classification" else y * 1.5
    frame = pd.DataFrame(X, columns=list("abcd"))
    rows = frame if form in ("names", "parquet", "arrow") else X
    path = write_rows(tmp_path / f"data.{form.replace('names', 'csv').replace('pipe', 'csv')}", rows, y)
    options = ["--task", task, "--dtype", dtype, "--budget", "20", "-q", "-o", tmp_path / "m"]
    if form == "pipe":
        called = [sys.executable, "-m", "budgetrs", "train", "-", "--format", "csv", *map(str, options)]
        subprocess.run(called, input=path.read_bytes(), check=True, capture_output=True, timeout=120)
    else:
        code, _, err = run(capsys, "train", path, *options)
        assert (code, err) == (0, "")
    native = (Classifier if task == "classification" else Regressor)(budget=20)
    native.learn(rows, y)
    if form == "libsvm":
        assert native.n_features_in_ == 4
    else:
        assert unnamed(tmp_path / "m") == native.to_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_a_named_pipe_is_learned_as_the_file(tmp_path):
    X, y = board(20_000)
    path, fifo = tmp_path / "data.csv", tmp_path / "fifo"
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(
        t=np.char.add("c", (np.arange(len(y)) % 22).astype(str)), y=y
    )
    frame.to_csv(path, index=False)
    os.mkfifo(fifo)
    options = ["--format", "csv", "--algorithm", "bsgd-random", "--set", "gamma=1", "--budget", "20", "-q"]
    call = [sys.executable, "-m", "budgetrs", "train"]
    subprocess.run(
        [*call, path, *options, "-o", tmp_path / "file"], check=True, capture_output=True, timeout=120
    )
    with subprocess.Popen(
        [*call, fifo, *options, "-o", tmp_path / "pipe"], stdout=subprocess.PIPE
    ) as process:
        with fifo.open("wb", buffering=0) as out:
            data = path.read_bytes()
            for start in range(0, len(data), 77_777):
                out.write(data[start : start + 77_777])
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert (tmp_path / "pipe").read_bytes() == (tmp_path / "file").read_bytes()


def test_a_matrix_grows_with_a_pipe_of_libsvm(tmp_path):
    text = "".join(f"{i % 2} {i % 7 + 1}:{i % 5} {8 + i // 40}:1\n" for i in range(400))
    options = ["--format", "libsvm", "--algorithm", "bsgd-merge", "-q", "--set", "gamma=1", "-o"]
    done = subprocess.run(
        [sys.executable, "-m", "budgetrs", "train", "-", *options, tmp_path / "m"],
        input=text,
        text=True,
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert Classifier.load(tmp_path / "m").n_features_in_ == 17
