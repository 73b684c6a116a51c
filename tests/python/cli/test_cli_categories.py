"""CSV with columns of words is read as the same rows in Parquet and in data frames."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from budgetrs import Classifier, Regressor
from conftest import board, csv, run, unnamed

X, Y = board(600)
TOWN = np.random.default_rng(1).choice(["Rome", "Oslo, Norway", "Ulm"], 600)
CODE = np.random.default_rng(2).integers(100, 105, 600).astype(str)
FRAME = pd.DataFrame({"width": X[:, 0].astype(float), "town": TOWN, "height": X[:, 1].astype(float)})
LABEL = np.array(["no", "yes"])[Y]
DATA = FRAME.assign(label=LABEL)
SMALL = ["--budget", "20", "-q"]
EXPECTED = Classifier(budget=20, classes=["no", "yes"]).learn(
    FRAME.astype({"width": "f4", "height": "f4"}), LABEL
)


def table(path, frame):
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return path


def trained(capsys, data, *options):
    model = data.parent / f"{data.name}.model"
    code, _, err = run(capsys, "train", data, "-o", model, *SMALL, *options)
    assert (code, err) == (0, "")
    return unnamed(model)


@pytest.mark.parametrize("piece", [1 << 20, 997])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_quotes_blanks_and_line_ends(piece, delimiter, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.source.PIECE", piece)
    text = DATA.to_csv(index=False, sep=delimiter, quoting=2)
    text = text.replace(delimiter + '"', delimiter + '  "').replace("\n", "\r\n\r\n  ", 40)
    (tmp_path / "data.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert trained(capsys, tmp_path / "data.csv", "--delimiter", delimiter) == EXPECTED.to_bytes()


@pytest.mark.parametrize("column", ["label", "1"])
def test_the_label_has_a_name_or_a_number(column, tmp_path, capsys):
    data = csv(tmp_path / "data.csv", DATA[["width", "label", "town", "height"]])
    assert trained(capsys, data, "--target", column) == EXPECTED.to_bytes()


@pytest.mark.parametrize("labels", [Y, Y - 0.5, np.array(["1", "two"])[Y]], ids=lambda y: str(y.dtype))
def test_labels_are_read_as_those_of_csv_of_numbers(labels, tmp_path, capsys):
    words = Classifier.from_bytes(trained(capsys, csv(tmp_path / "words.csv", FRAME.assign(label=labels))))
    plain = FRAME[["width", "height"]].assign(label=labels)
    numbers = Classifier.from_bytes(trained(capsys, csv(tmp_path / "numbers.csv", plain)))
    assert words.classes_.tolist() == numbers.classes_.tolist()
    assert words.classes_.dtype == numbers.classes_.dtype


def test_regression(tmp_path, capsys):
    target = X.sum(axis=1).astype(float)
    data = csv(tmp_path / "data.csv", FRAME.assign(target=target))
    expected = Regressor(budget=20).learn(FRAME.astype({"width": "f4", "height": "f4"}), target)
    assert trained(capsys, data, "--task", "regression") == expected.to_bytes()
    wrong = csv(tmp_path / "wrong.csv", FRAME.assign(target=[*target[:-1], "many"]))
    code, _, err = run(capsys, "train", wrong, "-o", tmp_path / "m", "-q", "--task", "regression")
    assert (code, err) == (1, f"{wrong}:601: expected a number as the target, got 'many'\n")


@pytest.mark.parametrize("missing", ["", "?", "NA", "nan", " ? "])
def test_missing_values_are_those_of_csv_of_numbers(missing, tmp_path, capsys):
    holes = FRAME.astype({"town": object})
    holes.iloc[5:50, 0] = holes.iloc[20:80, 1] = None
    data = csv(tmp_path / "data.csv", holes.assign(label=LABEL), na_rep=missing)
    expected = trained(capsys, table(tmp_path / "data.parquet", holes.assign(label=LABEL)))
    assert trained(capsys, data) == expected
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "m", "-q", "--algorithm", "bsgd-merge")
    assert (code, err.startswith(f"{data}:7: expected finite float32 numbers, got nan in column")) == (
        1,
        True,
    )


def test_columns_in_another_order_are_predicted_and_learned(tmp_path, capsys):
    EXPECTED.save(tmp_path / "model")
    shuffled = csv(tmp_path / "shuffled.csv", DATA[["town", "label", "height", "width"]])
    by_name = ["--target", "label"]
    predicted = EXPECTED.predict(FRAME).tolist()
    assert run(capsys, "predict", tmp_path / "model", shuffled, *by_name)[1].split() == predicted
    features = csv(tmp_path / "features.csv", FRAME[["height", "town", "width"]])
    assert run(capsys, "predict", tmp_path / "model", features)[1].split() == predicted
    accuracy = f"test accuracy: {100 * np.mean(EXPECTED.predict(FRAME) == LABEL):.2f}%\n"
    assert accuracy in run(capsys, "evaluate", tmp_path / "model", shuffled, *by_name)[1]
    found = json.loads(run(capsys, "evaluate", tmp_path / "model", shuffled, *by_name, "--json", "-q")[1])
    assert found["rows_read"] == 600
    more = ["--resume", tmp_path / "model", "-o", tmp_path / "more", "-q", *by_name]
    assert run(capsys, "train", shuffled, *more)[0] == 0
    twice = Classifier.from_bytes(EXPECTED.to_bytes())
    twice.learn(FRAME.astype({"width": "f4", "height": "f4"}), LABEL)
    assert unnamed(tmp_path / "more") == twice.to_bytes()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME[["width", "town"]], 'got no column "height"'),
        (
            DATA.assign(street="Via")[["street", *FRAME]],
            'the new columns "street"; if this is the target: --target street',
        ),
        (FRAME.rename(columns={"town": "city"}), 'no column "town", and the new columns "city"; if'),
    ],
)
def test_other_columns_are_refused_by_name(frame, message, tmp_path, capsys):
    EXPECTED.save(tmp_path / "model")
    code, _, err = run(capsys, "predict", tmp_path / "model", csv(tmp_path / "data.csv", frame))
    assert (code, message in err) == (1, True), err


def test_words_that_come_late_and_words_for_numbers(tmp_path, capsys):
    EXPECTED.save(tmp_path / "model")
    late = csv(tmp_path / "late.csv", DATA.assign(town="7"))
    code, out, _ = run(capsys, "train", late, "--resume", tmp_path / "model", "-o", tmp_path / "more", "-q")
    assert (code, "new features: 1 of 6" in out) == (0, True)
    assert Classifier.load(tmp_path / "more").get_feature_names_out()[-1] == "town=7"
    wrong = csv(tmp_path / "wrong.csv", DATA.assign(height=[*range(599), "high"]))
    code, _, err = run(capsys, "predict", tmp_path / "model", wrong, "--target", "label")
    hint = "; --missing-values high takes it as missing"
    assert (code, err) == (1, f"{wrong}:601: expected a number in column height, got 'high'{hint}\n")


def test_a_late_word_names_its_column_and_the_option(tmp_path, capsys):
    codes = [*CODE[:-1], "A-7"]
    data = csv(tmp_path / "data.csv", FRAME.assign(code=codes, label=LABEL))
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "m", "-q")
    hint = "; --missing-values A-7 takes it as missing; --categorical code takes its values as categories\n"
    said = "expected a number in column code, as in 599 of 600 values, got 'A-7'"
    assert (code, err) == (1, f"{data}:601: {said}{hint}")
    numbers = csv(tmp_path / "numbers.csv", FRAME[["height"]].assign(code=codes, label=LABEL))
    code, _, err = run(capsys, "train", numbers, "-o", tmp_path / "m", "-q")
    assert (code, err) == (1, f"{numbers}:601: {said}{hint}")
    late = csv(tmp_path / "late.csv", FRAME[["height"]].assign(code="7", label=LABEL))
    late.write_text(late.read_text() + "1,7,yes\n" * 2000 + "1,A-7,yes\n")
    code, _, err = run(capsys, "train", late, "-o", tmp_path / "m", "-q")
    assert (code, err.endswith(f"expected a number in column code, got `A-7`{hint}")) == (1, True), err
    expected = trained(capsys, table(tmp_path / "data.parquet", FRAME.assign(code=codes, label=LABEL)))
    assert trained(capsys, data, "--categorical", "code") == expected


def test_numbers_are_words_where_an_option_says_so(tmp_path, capsys):
    frame = FRAME[["width", "height"]].assign(code=CODE)
    data = csv(tmp_path / "data.csv", frame.assign(label=LABEL))
    expected = trained(capsys, table(tmp_path / "data.parquet", frame.assign(label=LABEL)))
    assert trained(capsys, data, "--categorical", "code") == expected
    # A model knows which columns hold words.
    predicted = Classifier.from_bytes(expected).predict(frame).tolist()
    assert run(capsys, "predict", tmp_path / "data.csv.model", data)[1].split() == predicted


@pytest.mark.parametrize(
    ("name", "options", "code", "message"),
    [
        ("data.csv", ["--categorical", "city"], 2, "--categorical: expected columns of"),
        ("data.csv", ["--categorical", "label"], 2, "expected feature columns, got the target label"),
        ("data.csv", ["--categorical", ","], 2, "expected column names separated by commas"),
        ("data.parquet", ["--categorical", "town"], 2, "expected CSV with a header, the format of"),
        ("data.csv", ["--categorical", "town", "--resume", "model"], 2, "cannot be combined with --resume"),
    ],
)
def test_categorical_columns_that_cannot_be(name, options, code, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv(tmp_path / "data.csv", DATA)
    table(tmp_path / "data.parquet", DATA)
    EXPECTED.save(tmp_path / "model")
    found, _, err = run(capsys, "train", name, "-o", "more", *options)
    assert (found, message in err) == (code, True), err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,Oslo,2", "expected 4 fields, got 3"),
        ("1,Oslo,2,no,3", "expected 4 fields, got 5"),
        (
            '1,"Oslo,2,no',
            "expected a closing quote in this line (line breaks within quotes are not supported)",
        ),
        ('1,"Os\nlo",2,no', "expected a closing quote in this line"),
        ("1,Oslo,2,", "expected a label, got none"),
        ("1,Orl\udcff,2,no", "expected text in UTF-8"),
        ("1,Oslo,1e39,no", "expected finite float32 numbers, got inf in column height"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, message, tmp_path, capsys):
    lines = DATA.to_csv(index=False).replace("\n", "\n\n", 9).splitlines()
    lines[300] = line
    data = tmp_path / "data.csv"
    data.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "model", "-q")
    assert (code, err.startswith(f"{data}:301: {message}")) == (1, True), err


def pipe(rows, model, *options):
    command = [sys.executable, "-m", "budgetrs", "train", "-", "--format", "csv", "-o", str(model), *SMALL]
    text = rows.to_csv(index=False).encode()
    return subprocess.run([*command, *options], input=text, capture_output=True, check=False)


@pytest.mark.parametrize("options", [[], ["--algorithm", "bsgd-merge", "--set", "gamma=0.5"]])
def test_a_pipe_loses_no_row(options, tmp_path, capsys):
    # More than a pipe holds at a time, a column that begins late, and a word that comes late.
    start = DATA.assign(town=TOWN if options else None)
    many = pd.concat([start] + [DATA] * 5 + [DATA.assign(town="Bonn")], ignore_index=True)
    done = pipe(many, tmp_path / "model", *options)
    assert (done.returncode, done.stderr) == (0, b"")
    assert unnamed(tmp_path / "model") == trained(capsys, csv(tmp_path / "data.csv", many), *options)
    # Categories after the scanned rows appear later.
    done = pipe(many, tmp_path / "late", *options, "--scan-rows", "3000")
    assert b"new features: 1 of 6" in done.stdout
    assert Classifier.load(tmp_path / "late").get_feature_names_out()[-1] == "town=Bonn"


def test_a_live_pipe_is_predicted_row_by_row(tmp_path):
    EXPECTED.save(tmp_path / "model")
    lines = FRAME.to_csv(index=False).splitlines(keepends=True)
    command = [sys.executable, "-m", "budgetrs", "predict", str(tmp_path / "model"), "-", "--format", "csv"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, bufsize=0, env=None, **pipes) as process:
        out = io.TextIOWrapper(process.stdout)
        process.stdin.write(lines[0].encode())
        for line, expected in zip(lines[1:4], EXPECTED.predict(FRAME[:3]), strict=True):
            process.stdin.write(line.encode())
            assert out.readline().strip() == expected
        process.stdin.close()


def test_plot_compare_and_passes(tmp_path, capsys):
    data = csv(tmp_path / "data.csv", DATA)
    code, out, _ = run(capsys, "compare", data, "--budget", "10,20", "-q", "--json")
    same = run(
        capsys, "compare", table(tmp_path / "data.parquet", DATA), "--budget", "10,20", "-q", "--json"
    )[1]
    assert code == 0
    assert json.loads(out)["budgets"][1]["error"] == json.loads(same)["budgets"][1]["error"]
    options = ["--passes", "2", "--algorithm", "bsgd-merge", "--set", "gamma=0.5", "--scaling", "fixed"]
    assert trained(capsys, data, *options) == trained(capsys, tmp_path / "data.parquet", *options)
    two = csv(tmp_path / "two.csv", DATA[["width", "town", "label"]].assign(town="Rome"))
    (tmp_path / "model").write_bytes(trained(capsys, two))
    picture = tmp_path / "picture.png"
    assert run(capsys, "plot", tmp_path / "model", "-o", picture, "--data", two, "-q")[0] == 0
    assert picture.stat().st_size > 1000


def test_without_pyarrow_the_message_says_what_to_install(tmp_path, monkeypatch, capsys):
    data = csv(tmp_path / "data.csv", DATA)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "model", "-q")
    assert (code, "data.csv: CSV with text columns needs pyarrow: pip install 'budgetrs[arrow]'" in err) == (
        1,
        True,
    )
    numbers = csv(tmp_path / "numbers.csv", DATA[["width", "height", "label"]])
    assert run(capsys, "train", numbers, "-o", tmp_path / "model", "-q")[0] == 0
