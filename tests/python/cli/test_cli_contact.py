"""First contact: help, mistyped names, and files of other programs."""

import re
import sqlite3

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from budgetrs import Classifier
from budgetrs.cli import main
from conftest import board, csv_text, run


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(csv_text(*board(300)))
    return tmp_path


def test_without_arguments_it_prints_help(capsys):
    code, alone, err = run(capsys)
    assert (code, err) == (0, "")
    assert alone.startswith("usage: budgetrs ")
    for arguments in (["help"], ["--help"], ["-h"]):
        assert run(capsys, *arguments) == (0, alone, "")
    for command in ("train", "compare", "predict", "evaluate", "info", "plot", "demo"):
        assert f"\n    {command} " in alone
        assert run(capsys, "help", command) == run(capsys, command, "--help")


@pytest.mark.parametrize(("command", "most"), [("train", 23), ("compare", 21), ("predict", 16)])
def test_the_help_is_short(command, most, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(capsys, command, "--help")[1]
    options = re.findall(r"^  (?:-\w[^,]*, )?(?:-\w, )?(--[\w-]+)", text, re.MULTILINE)
    assert len(set(options)) <= most
    assert "--max-memory" not in text or command == "predict"
    assert all(len(line) <= 80 or "|" in line for line in text.splitlines())


def test_everything_has_its_help(capsys):
    for command in ("train", "compare"):
        text = run(capsys, command, "--help-all")[1]
        assert text.startswith(f"usage: budgetrs {command} ")
        for option in ("--dtype", "--scan-rows", "--max-features", "--max-memory"):
            assert f"  {option} " in text
        assert "parameters for --set NAME=VALUE:" in text
        assert ("\n  average " in text.partition("parameters for")[2]) == (command == "train")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("trian data.csv", 'unknown command trian; did you mean train? (see "budgetrs --help")'),
        ("fit data.csv", 'unknown command fit; did you mean train? (see "budgetrs --help")'),
        ("xyz", 'unknown command xyz (see "budgetrs --help")'),
        ("help trian", 'unknown command trian; did you mean train? (see "budgetrs --help")'),
        ("-q train", 'expected a command first, got -q (see "budgetrs --help")'),
        (
            "train x -o m --bugdet 5",
            'unknown option --bugdet; did you mean --budget? (see "budgetrs train --help")',
        ),
        ("train x -o m --gama 2", "unknown option --gama; did you mean --set gamma=2?"),
        (
            "train x -o m --gamma 2",
            'unknown option --gamma; use --set gamma=2 (see "budgetrs train --help-all")',
        ),
        ("train x -o m --gamma=2", "unknown option --gamma; use --set gamma=2"),
        ("train x -o m --gamma", "unknown option --gamma; use --set gamma=VALUE"),
        ("train x -o m --no-C-decay", "unknown option --no-C-decay; use --set C_decay=false"),
        ("compare x --loss hinge", "unknown option --loss; use --set loss=hinge"),
        ("train x -o m --random_state 3", "unknown option --random_state; did you mean --seed?"),
        ("train x -o m --epochs 3", "unknown option --epochs; did you mean --passes?"),
        ("train x -o m --label y", "unknown option --label; did you mean --target?"),
        ("train x -o m --lambda 1", "unknown option --lambda; did you mean --set alpha=1?"),
        ("predict m x --probability", "unknown option --probability"),
        ("compare x --epochs 3", 'unknown option --epochs (see "budgetrs compare --help")'),
        ("predict m x --random_state 3", 'unknown option --random_state (see "budgetrs predict --help")'),
        ("train x -o m --set lambda=1", "--set lambda=1: unknown parameter lambda; did you mean alpha?"),
        ("train x -o m --set xyz=1", "--set xyz=1: unknown parameter xyz (see"),
        ("predict m x -z", 'unknown option -z (see "budgetrs predict --help")'),
        ("train x -o m --set gama=2", "--set gama=2: unknown parameter gama; did you mean gamma?"),
        ("train x -o m --set c0=2", "--set c0=2: unknown parameter c0; did you mean C0?"),
        ("train x -o m --set random_state=2", "--set random_state=2: seed has an option: use --seed 2"),
        ("train x -o m --set budget=2", "--set budget=2: budget has an option: use --budget 2"),
        ("compare x --set average=0.5", "--set average=0.5: average cannot be combined with compare"),
        ("train x -o m --set gamma", '--set: expected NAME=VALUE, such as --set gamma=0.1, got "gamma"'),
        ("train x -o m --set gamma=", '--set: expected NAME=VALUE, such as --set gamma=0.1, got "gamma="'),
        ("train x -o m --set C_decay=1", "--set C_decay: expected true or false, got '1'"),
        ("train x -o m --set degree=2.5", "--set degree: expected an integer from 1 to 100, got '2.5'"),
        (
            "train x -o m --format cvs",
            "--format: expected libsvm, csv, arff, npy, parquet or arrow, got 'cvs'; did you mean csv?",
        ),
    ],
)
def test_a_mistake_gets_the_nearest_name(line, message, capsys):
    code, out, err = run(capsys, *line.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"budgetrs: {message}"), err


def test_options_are_read_with_either_separator(data, capsys):
    assert (
        run(capsys, "train", "data.csv", "-o", "a", "-q", "--max_features=5", "--set", "C-decay=false")[0]
        == 0
    )
    assert (
        run(capsys, "train", "data.csv", "-o", "b", "-q", "--max-features", "5", "--set", "C_decay=false")[0]
        == 0
    )
    assert (data / "a").read_bytes() == (data / "b").read_bytes()


def test_a_list_may_begin_with_a_negative_number(data, capsys):
    X, y = board(300)
    (data / "signs.csv").write_text(csv_text(X, 2 * y - 1))
    assert run(capsys, "train", "signs.csv", "-o", "m", "-q", "--classes", "-1,1", "--target", "-1")[0] == 0
    assert Classifier.load("m").classes_.tolist() == [-1, 1]


def test_missing_files_say_what_to_do(data, capsys):
    said = 'budgetrs: m: no such model file; "budgetrs train DATA -o m" writes one\n'
    assert run(capsys, "predict", "m", "data.csv") == (3, "", said)
    said = "budgetrs: x.csv: no such file; check the path, or give - for standard input\n"
    assert run(capsys, "train", "data.csv", "-o", "m", "-q")[0] == 0
    assert run(capsys, "predict", "m", "x.csv") == (1, "", said)
    code, _, err = run(capsys, "predict", "data.csv", "m")
    assert (code, err.endswith("; expected a model file of budgetrs train\n")) == (3, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,a\n3,b\n", "data.csv:2: expected 3 fields, got 2"),
        ("1,2,a\n3,4,b,c\n", "data.csv:2: expected 3 fields, got 4"),
        ("x,y,label\n1,2,a\n\n3,b\n", "data.csv:4: expected 3 fields, got 2"),
        ("x,y,label\nu,2,a\nv,b\n", "data.csv:3: expected 3 fields, got 2"),
        ("1;2;a\n3;b\n", "data.csv:2: expected 3 fields, got 2"),
    ],
)
def test_a_row_of_another_length_says_both(text, message, data, capsys):
    (data / "data.csv").write_text(text)
    delimiter = ["--delimiter", ";"] if ";" in text else []
    assert run(capsys, "train", "data.csv", "-o", "m", "-q", *delimiter) == (1, "", f"{message}\n")


@pytest.mark.parametrize(
    "value",
    ["2024-01-05", "5.1.2024", "1/5/24", "2024-01-05T10:30:00Z", "2024-01-05 10:30", "10:30", "10:30:05"],
)
def test_dates_are_no_categories_unless_that_is_said(value, data, capsys):
    (data / "days.csv").write_text("day,size,label\n" + f"{value},1,a\n{value},2,b\n" * 20)
    code, _, err = run(capsys, "train", "days.csv", "-o", "m", "-q")
    assert (code, err) == (
        1,
        "budgetrs: days.csv: expected numbers or categories in column day, got the date or time "
        f"{value}; convert it to numbers, or give --categorical day to one-hot encode it\n",
    )
    assert run(capsys, "train", "days.csv", "-o", "m", "-q", "--categorical", "day")[0] == 0
    assert f"day={value}" in Classifier.load("m").get_feature_names_out().tolist()
    assert run(capsys, "predict", "m", "days.csv")[0] == 0


def test_dates_of_other_formats(data, capsys):
    days = pa.array(np.arange(2), pa.int32()).cast(pa.date32())
    parquet.write_table(pa.table({"day": days, "label": [0, 1]}), "days.parquet")
    code, _, err = run(capsys, "train", "days.parquet", "-o", "m")
    assert (code, err) == (
        1,
        "budgetrs: days.parquet: expected numbers or categories in column day, got date32[day]; "
        "convert the column to numbers, or to strings to take each value as a category\n",
    )


def test_files_of_other_programs_are_named(data, capsys):
    pd.DataFrame({"a": [1, 2], "y": [0, 1]}).to_json("rows.jsonl", orient="records", lines=True)
    (data / "rows.txt").write_text((data / "rows.jsonl").read_text())
    (data / "rows.xlsx").write_bytes(b"PK\x03\x04")
    with sqlite3.connect("rows.other") as tables:
        tables.execute("create table t (a)")
    tables.close()
    for name, kind, how in (
        (
            "rows.jsonl",
            "JSON lines",
            "pandas.read_json('rows.jsonl', lines=True).to_csv('data.csv', index=False)",
        ),
        (
            "rows.txt",
            "JSON lines",
            "pandas.read_json('rows.txt', lines=True).to_csv('data.csv', index=False)",
        ),
        ("rows.xlsx", "Excel", "pandas.read_excel('rows.xlsx').to_csv('data.csv', index=False)"),
        ("rows.other", "SQLite", "sqlite3 -header -csv 'rows.other'"),
    ):
        code, out, err = run(capsys, "train", name, "-o", "m")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert f"NumPy, Parquet or Arrow, got {kind}; convert it" in err
        assert how in err


@pytest.mark.parametrize(("is_shown", "stdout"), [(True, False), (False, True)])
def test_progress_of_predictions_that_go_elsewhere(is_shown, stdout, data, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.progress.Bar.interval", 0.0)
    assert main(["train", "data.csv", "-o", "m", "-q"]) == 0
    capsys.readouterr()
    monkeypatch.delenv("TERM", raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: stdout)
    code, out, err = run(capsys, "predict", "m", "data.csv")
    assert (code, len(out.split())) == (0, 300)
    assert ("predicting" in err) == is_shown
