"""Warnings about labels and columns, and short errors of arguments."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from budgetrs import Classifier
from conftest import board, csv, run

X, Y = board(400)
FRAME = pd.DataFrame({"width": X[:, 0], "height": X[:, 1]})
SMALL = ["--budget", "20", "-q"]


PRICES = np.random.default_rng(0).uniform(1, 99, 400).round(1)


@pytest.mark.parametrize(
    ("labels", "options", "start"),
    [
        (
            X[:, 0].astype(float),
            [],
            "budgetrs: warning: the labels are 400 distinct numbers in 400 rows, such as",
        ),
        (
            PRICES,
            ["--json"],
            f"budgetrs: warning: the labels are {len(set(PRICES))} distinct numbers in 400 rows",
        ),
        (np.arange(400) * 7, [], "budgetrs: warning: the labels are 400 distinct numbers"),
        (X[:, 0].astype(float), ["--task", "classification"], ""),
        (X[:, 0].astype(float), ["--task", "regression"], ""),
        (Y / 2 + 0.25, [], ""),
        (np.arange(400) % 30, [], ""),
        (np.array([f"row {i}" for i in range(400)]), [], ""),
    ],
)
def test_labels_that_look_like_targets(labels, options, start, tmp_path, capsys):
    data = csv(tmp_path / "data.csv", FRAME.assign(label=labels))
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "model", *SMALL, *options)
    assert (code, err.count("\n")) == (0, 1 if start else 0), err
    assert err.startswith(start)
    assert not start or "--task regression predicts numbers" in err


@pytest.mark.parametrize("piece", [1 << 20, 5000])
def test_a_column_of_very_many_categories(piece, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.source.PIECE", piece)
    many = [f"n{i}" for i in range(1100)]
    frame = pd.DataFrame({"id": many, "town": ["Rome", "Ulm"] * 550, "label": ([0] * 5 + [1] * 6) * 100})
    options = ["--algorithm", "bsgd-random", "--set", "gamma=0.3", *SMALL]
    code, _, err = run(capsys, "train", csv(tmp_path / "data.csv", frame), "-o", tmp_path / "model", *options)
    warnings = [line for line in err.splitlines() if "is categorical" in line]
    assert (code, len(warnings)) == (0, 1)
    assert warnings[0].startswith("budgetrs: warning: column id is categorical with 1")


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("repeats", [1, 2])
def test_a_column_of_mostly_distinct_categories(repeats, piped, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.tables.PIECE", 20_000)  # several pieces
    rows = 200 * repeats
    frame = pd.DataFrame({"id": [f"n{i % 200}" for i in range(rows)], "label": [0, 1] * (rows // 2)})
    data = csv(tmp_path / "data.csv", frame)
    options = ["-o", tmp_path / "model", "--format", "csv", *SMALL]
    if piped:
        monkeypatch.setattr("budgetrs.cli.source.is_rewindable", lambda *_: False)
    code, _, err = run(capsys, "train", data, *options)
    said = f"budgetrs: warning: column id is categorical with 200 categories after {rows} rows, such as 'n0'"
    assert (code, err.count("\n"), said in err) == (0, 2 - repeats, repeats == 1), err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("train x -o m --budget 0", ": --budget must be an integer from 1 to 16777216, or none, got 0"),
        (
            "train x -o m --budget x",
            ": --budget: expected an integer >= 1 or none, got 'x'",
        ),
        ("train x", ': missing -o/--output (see "budgetrs train --help")'),
        ("train x -o", ": -o/--output: expected a value"),
        ("train x y -o m", ': unexpected argument y (see "budgetrs train --help")'),
    ],
)
def test_the_error_of_an_argument_is_one_line(arguments, expected, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text("1 1:2\n")
    assert run(capsys, *arguments.split()) == (2, "", f"budgetrs{expected}\n")


def test_columns_are_counted_not_features(tmp_path, capsys):
    words = FRAME.assign(town=["Rome", "Ulm"] * 200)
    Classifier(budget=20).learn(words, Y).save(tmp_path / "model")
    data = csv(tmp_path / "data.csv", words)
    code, _, err = run(capsys, "evaluate", tmp_path / "model", data)
    assert (code, err) == (1, f"budgetrs: {data}: expected labels to compare with, got 3 feature columns\n")
    more = ["--resume", tmp_path / "model", "-o", tmp_path / "more"]
    code, _, err = run(capsys, "train", data, *more)
    assert (code, err) == (1, f"budgetrs: {data}: expected labels to train on, got 3 feature columns\n")


@pytest.mark.parametrize("name", ["data.csv.zst", "data.libsvm.zst"])
def test_files_that_zstd_has_packed(name, tmp_path, capsys, monkeypatch):
    form = name.split(".")[1]
    rows = [
        f"{y} 1:{a!r} 2:{b!r}\n" if form == "libsvm" else f"{a!r},{b!r},{y}\n"
        for (a, b), y in zip(X.tolist(), Y, strict=True)
    ]
    plain, packed, model = tmp_path / f"data.{form}", tmp_path / name, tmp_path / "model"
    plain.write_text("".join(rows))
    content = pa.compress(plain.read_bytes(), "zstd", asbytes=True)
    # Files that were appended to one another are one.
    half = "".join(rows[:200]).encode(), "".join(rows[200:]).encode()
    packed.write_bytes(b"".join(pa.compress(part, "zstd", asbytes=True) for part in half))
    assert run(capsys, "train", plain, "-o", tmp_path / "expected", *SMALL)[0] == 0
    assert run(capsys, "train", packed, "-o", model, *SMALL)[0] == 0
    assert model.read_bytes() == (tmp_path / "expected").read_bytes()
    packed.write_bytes(content[: len(content) // 2])
    code, _, err = run(capsys, "train", packed, "-o", model, *SMALL)
    assert (code, "damaged or truncated compressed data" in err) == (1, True)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run(capsys, "train", packed, "-o", model, *SMALL)
    assert (code, err) == (1, f"budgetrs: {packed}: zstd needs pyarrow: pip install 'budgetrs[arrow]'\n")


DATA = FRAME.assign(town=["Rome", "Ulm"] * 200, label=Y)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_another_delimiter_is_asked_for(delimiter, tmp_path, capsys):
    shown = {";": "';'", "\t": "tab", "|": "'|'"}[delimiter]
    hint = f"; the fields seem to be separated by {shown}: give --delimiter {shown}\n"
    for frame in (DATA, DATA[["width", "height", "label"]]):
        data = csv(tmp_path / "data.csv", frame, sep=delimiter)
        for options in ([], ["--target", "label"]):
            code, _, err = run(capsys, "train", data, "-o", tmp_path / "model", *options)
            assert (code, err.endswith(hint)) == (1, True), err
        Classifier(budget=20).learn(FRAME, Y).save(tmp_path / "model")
        code, _, err = run(capsys, "predict", tmp_path / "model", data)
        assert (code, err.endswith(hint)) == (1, True), err


def test_words_without_a_header_ask_for_one(tmp_path, capsys):
    data = csv(tmp_path / "data.csv", DATA, header=False)
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "model")
    assert (code, "text columns need a header with the names of all columns" in err) == (1, True), err


def test_a_time_series_whose_previous_target_predicts_better(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=2000), "price": np.cumsum(rng.normal(size=2000))})
    data = csv(tmp_path / "data.csv", frame)
    options = ["--task", "regression", "--budget", "10", "-o", tmp_path / "model"]
    code, _, err = run(capsys, "train", data, *options)
    said = [line for line in err.splitlines() if "warning" in line]
    assert (code, len(said)) == (0, 1)
    assert said[0].startswith("budgetrs: warning: the RMSE over the last ")
    assert said[0].endswith(
        ": in a time series, add the previous target as a column; if the rows are sorted by target, give "
        "--shuffle"
    )
    code, _, err = run(capsys, "train", data, *options, "--shuffle")
    assert (code, "warning" in err) == (0, False)
