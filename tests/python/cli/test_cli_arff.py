"""ARFF files give the models of the same rows in CSV and LIBSVM text."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy.io import arff

from budgetrs import Classifier
from conftest import csv, run, unnamed

RNG = np.random.default_rng(0)
N = 300
WIDTH, HEIGHT = RNG.uniform(-1, 1, N).round(3), RNG.uniform(0, 9, N).round(2)
COLOUR = np.array(["red", "light blue", "it's, a", "100%"])[RNG.integers(0, 4, N)]
LABEL = np.where(WIDTH > 0, "yes", "no")
FRAME = pd.DataFrame({"the width": WIDTH, "colour": COLOUR, "h": HEIGHT, "class": LABEL})
HEADER = """% A comment.
@RELATION 'some, data'

@ATTRIBUTE 'the width' REAL
@attribute colour {red, 'light blue', "it's, a", '100%'}
@attribute\th Numeric [0, 9]
@attribute class {no,yes}

@DATA
"""


def quoted(text):
    return "'" + text.replace("'", "\\'") + "'"


def written(path, frame, header=HEADER):
    rows = [f"{w}, {quoted(c)},{h},{y}" for w, c, h, y in frame.itertuples(index=False)]
    rows = [row.replace("nan", "?") for row in rows]
    path.write_text(header + "\n% more\n\n".join(["\n".join(rows[:20]), "\n".join(rows[20:])]) + "\n")
    return path


def trained(capsys, data, *options):
    code, _, err = run(capsys, "train", data, "-o", data.with_name("model"), "--budget", "20", "-q", *options)
    assert (code, err) == (0, "")
    return unnamed(data.with_name("model"))


@pytest.mark.parametrize("piece", [1 << 20, 997])
def test_dense_rows(piece, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.source.PIECE", piece)
    holes = FRAME.copy()
    holes.loc[[3, 30, 200], "h"] = np.nan
    expected = trained(capsys, csv(tmp_path / "data.csv", holes))
    data = written(tmp_path / "data.arff", holes)
    assert trained(capsys, data) == expected
    (tmp_path / "data.arff.gz").write_bytes(gzip.compress(data.read_bytes()))
    assert trained(capsys, tmp_path / "data.arff.gz") == expected
    other = data.rename(tmp_path / "other.txt")
    assert trained(capsys, other) == trained(capsys, other, "--format", "arff") == expected
    other.write_bytes(b"\xef\xbb\xbf" + other.read_bytes().replace(b"\n", b"\r\n"))
    assert trained(capsys, other, "--format", "arff") == expected
    model = Classifier.load(tmp_path / "model")
    predicted = run(capsys, "predict", tmp_path / "model", other, "--format", "arff")[1].split()
    assert predicted == model.predict(holes.drop(columns="class")).tolist()
    assert "test accuracy" in run(capsys, "evaluate", tmp_path / "model", other, "--format", "arff")[1]


def test_rows_of_numbers_are_read_as_scipy_reads_them(tmp_path, capsys):
    text = "@relation x\n@attribute 1 real\n@attribute 2 integer\n@attribute y {0,1}\n@data\n"
    rows = zip(WIDTH, HEIGHT.astype(int), (WIDTH > 0).astype(int), strict=True)
    (tmp_path / "data.arff").write_text(text + "".join(f"{a:.3f},{b},{y}\n" for a, b, y in rows))
    model = Classifier.from_bytes(trained(capsys, tmp_path / "data.arff", "--dtype", "float64"))
    found, _ = arff.loadarff(tmp_path / "data.arff")
    X = pd.DataFrame({"1": found["1"], "2": found["2"]})
    expected = Classifier(budget=20, classes=[0, 1]).learn(X, found["y"].astype(int))
    assert model.to_bytes() == expected.to_bytes()
    assert model.feature_names_in_.tolist() == ["1", "2"]


def test_the_target(tmp_path, capsys):
    header = HEADER.replace("{no,yes}", "{no,yes,maybe}")
    data = written(tmp_path / "data.arff", FRAME, header)
    assert Classifier.from_bytes(trained(capsys, data)).classes_.tolist() == ["maybe", "no", "yes"]
    for target in ("h", "2"):
        code, out, _ = run(
            capsys, "train", data, "-o", tmp_path / "m", "--target", target, "--task", "regression"
        )
        assert (code, "progressive RMSE" in out) == (0, True)
    wrong = written(tmp_path / "wrong.arff", FRAME.assign(**{"class": [*LABEL[:-1], "?"]}))
    code, _, err = run(capsys, "train", wrong, "-o", tmp_path / "m", "-q")
    assert (code, err) == (
        1,
        f"{wrong}:{len(wrong.read_text().splitlines())}: expected a label, got '?' (a missing "
        "value); remove the rows without a label, or name all classes by --classes\n",
    )


def sparse(path, names, rows):
    path.write_text(f"@relation x\n{names}\n@data\n" + "".join(f"{{{row}}}\n" for row in rows))
    return path


def test_sparse_rows_of_numbers(tmp_path, capsys):
    ones = HEIGHT > 5
    rows = [
        ", ".join([f"0 {w}", *(["1 'yes'"] if w > 0 else []), *(["2 1"] if one else [])])
        for w, one in zip(WIDTH, ones, strict=True)
    ]
    names = "@attribute a real\n@attribute class {no,yes}\n@attribute b {0,1}\n@attribute c numeric"
    data = sparse(tmp_path / "data.arff", names, rows)
    text = [
        " ".join([y, f"1:{w}", *(["2:1"] if one else [])])
        for y, w, one in zip(LABEL, WIDTH, ones, strict=True)
    ]
    (tmp_path / "data.libsvm").write_text("\n".join(text))
    found = trained(capsys, data, "--target", "class")
    assert found == trained(capsys, tmp_path / "data.libsvm")
    assert (
        run(capsys, "predict", tmp_path / "model", data, "--target", "1")[1].split()[:9]
        == run(capsys, "predict", tmp_path / "model", tmp_path / "data.libsvm")[1].split()[:9]
    )


def test_sparse_rows_with_categories(tmp_path, capsys):
    colours = np.where(HEIGHT > 5, "blue", "red")
    rows = [
        ",".join([f"0 {w}", *(["1 blue"] if c == "blue" else []), *(["2 yes"] if w > 0 else [])])
        for w, c in zip(WIDTH, colours, strict=True)
    ]
    names = "@attribute a real\n@attribute b {red,blue}\n@attribute class {no,yes}"
    data = sparse(tmp_path / "data.arff", names, [*rows[:-1], f"{rows[-1]} "])
    frame = pd.DataFrame({"a": WIDTH, "b": colours, "class": LABEL})
    assert trained(capsys, data) == trained(capsys, csv(tmp_path / "data.csv", frame))


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("@attribute a real\n@attribute y {0,1}", "x,1", ":5:1: expected a number in column a, got `x`"),
        ("@attribute a real\n@attribute y {0,1}", "1,1,1", ":5: expected 2 fields, got 3"),
        (
            "@attribute a real\n@attribute y {0,1}",
            "{0 1, 0 2}",
            ":5: expected each index once in a row, got index 0",
        ),
        (
            "@attribute a real\n@attribute y {0,1}",
            "{7 1}",
            ":5: expected INDEX VALUE with an index from 0 to 1",
        ),
        ("@attribute a real\n@attribute y {0,1}", "{0 1", ":5: expected a sparse row in braces"),
        (
            "@attribute a relational\n@attribute y {0,1}",
            "1,1",
            ":2: expected numeric, real, integer, string or",
        ),
        ("@attribute a {b", "1,1", ":2: expected values in braces for attribute a"),
        ("@attribute", "1,1", ":2: expected @attribute NAME TYPE"),
        ("a,b", "1,1", ":2: expected @relation, @attribute or @data, got 'a,b'"),
        ("", "1,1", ":3: expected attributes before @data, got none"),
        (
            "@attribute a real\n@attribute a real",
            "1,1",
            ': expected distinct column names, got two columns named "a"',
        ),
        (
            "@attribute a date\n@attribute y {0,1}",
            "2001-04-03,1",
            ": expected numbers or categories in column a, got dates",
        ),
        ("@attribute a real\n@attribute y {0,1}", "", ": expected rows, got only the header"),
    ],
)
def test_invalid_files(header, row, message, tmp_path, capsys):
    path = tmp_path / "data.arff"
    path.write_text(f"@relation x\n{header}\n@data\n{row}")
    code, out, err = run(capsys, "train", path, "-o", tmp_path / "m", "-q")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"{path}{message}" in err


def test_rows_of_moa_tabs_and_weights(tmp_path, capsys):
    header = "@relation r\n@attribute a real\n@attribute b {red,'dark blue'}\n@attribute y {0,1}\n@data\n"
    rows = [f"{i * 7 % 11},{('red', chr(39) + 'dark blue' + chr(39))[i % 3 == 0]},{i % 2}" for i in range(60)]
    path, models = tmp_path / "data.arff", set()
    for form in (str, "{},".format, "{} , ".format, lambda row: row.replace(",", "\t")):
        path.write_text(header + "\n".join(map(form, rows)) + "\n")
        models.add(trained(capsys, path))
    assert len(models) == 1
    path.write_text(f"{header}{rows[0]}, {{2.0}}\n")
    code, _, err = run(capsys, "train", path, "-o", tmp_path / "m", "-q")
    assert (code, "remove the weights, which are not read" in err) == (1, True), err
