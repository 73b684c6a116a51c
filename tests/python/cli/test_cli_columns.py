"""Columns of files that have names go by them, and words of tables become features."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from budgetrs import Classifier
from budgetrs.cli.layout import Layout
from budgetrs.cli.rows import Rows
from conftest import board, run, unnamed

X, Y = board(600)
TOWN = np.random.default_rng(1).choice(["Rome", "Oslo", "Ulm"], 600)
FRAME = pd.DataFrame({"width": X[:, 0], "town": TOWN, "height": X[:, 1]})
SMALL = ["--budget", "20", "-q"]


def csv(path, frame):
    frame.to_csv(path, index=False)
    return path


def table(path, frame):
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(rows, path)
    return path


NUMBERS = FRAME[["width", "height"]].assign(label=Y)
EXPECTED = Classifier(budget=20, classes=[0, 1]).learn(NUMBERS[["width", "height"]], Y)


@pytest.mark.parametrize("write", [csv, table])
@pytest.mark.parametrize("order", ["width height label", "label height width", "height label width"])
def test_columns_are_put_in_order(write, order, tmp_path, capsys):
    names, kind = order.split(), {csv: "csv", table: "parquet"}[write]
    model, data = tmp_path / "model", write(tmp_path / f"data.{kind}", NUMBERS[names])
    EXPECTED.save(model)
    predicted = list(map(str, EXPECTED.predict(X)))
    assert run(capsys, "predict", model, data, "--target", "label") == (0, "\n".join(predicted) + "\n", "")
    features = write(tmp_path / f"features.{kind}", NUMBERS[[name for name in names if name != "label"]])
    assert run(capsys, "predict", model, features)[1].split() == predicted
    # The label is the last column, or has a name.
    by_name = ["--target", "label"] if names[-1] != "label" else []
    accuracy = f"test accuracy: {100 * np.mean(EXPECTED.predict(X) == Y):.2f}%\n"
    assert accuracy in run(capsys, "evaluate", model, data, *by_name)[1]
    more = ["--resume", model, "-o", tmp_path / "more", "-q", *by_name]
    assert run(capsys, "train", data, *more)[0] == 0
    twice = Classifier.from_bytes(EXPECTED.to_bytes()).learn(NUMBERS[["width", "height"]], Y)
    assert unnamed(tmp_path / "more") == twice.to_bytes()


@pytest.mark.parametrize("write", [csv, table])
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["width"], 'no column "height"'),
        (["width", "depth", "height"], 'the new columns "depth"; if this is the target: --target depth'),
        (["width", "depth", "label"], 'no column "height", and the new columns "depth"'),
        (["width", "height", "depth", "label"], 'the new columns "depth"'),
    ],
)
def test_other_columns_are_refused_by_name(write, names, message, tmp_path, capsys):
    EXPECTED.save(tmp_path / "model")
    kind = {csv: "csv", table: "parquet"}[write]
    data = write(tmp_path / f"data.{kind}", NUMBERS.assign(depth=1.0)[names])
    for command in (
        ("predict", tmp_path / "model", data),
        ("train", data, "--resume", tmp_path / "model", "-o", tmp_path / "more"),
    ):
        if "label" not in names and command[0] == "train":
            continue
        code, _, err = run(capsys, *command)
        assert (code, message in err) == (1, True)
        assert err.startswith(
            f"budgetrs: {data} must have the columns of the rows learned before, in any order"
        )
    assert not (tmp_path / "more").exists()


def test_a_header_is_needed_by_no_model_of_numbers(tmp_path, capsys):
    EXPECTED.save(tmp_path / "model")
    (tmp_path / "plain.csv").write_text("".join(f"{a!r},{b!r}\n" for a, b in X.tolist()))
    predicted = run(capsys, "predict", tmp_path / "model", tmp_path / "plain.csv")[1].split()
    assert predicted == list(map(str, EXPECTED.predict(X)))


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather"])
@pytest.mark.parametrize("form", ["words", "categories"])
def test_words_become_features(kind, form, tmp_path, capsys):
    frame = FRAME.astype({"town": "category"}) if form == "categories" else FRAME
    data, model = table(tmp_path / f"data.{kind}", frame.assign(label=Y)), tmp_path / "model"
    code, _, err = run(capsys, "train", data, "-o", model, *SMALL)
    assert (code, err) == (0, "")
    # The file is looked through first, so all words are known when the first row is learned.
    expected = Classifier(budget=20, classes=[0, 1]).learn(FRAME, Y)
    assert unnamed(model) == expected.to_bytes()
    shuffled = table(tmp_path / f"shuffled.{kind}", frame[["town", "height", "width"]])
    predicted = run(capsys, "predict", model, shuffled)[1].split()
    assert predicted == list(map(str, expected.predict(FRAME)))
    _, out, _ = run(capsys, "info", model)
    assert "columns: width, town, height\n" in out
    features = expected.get_feature_names_out().tolist()
    assert f"feature names: {', '.join(features)}\n" in out
    found = json.loads(run(capsys, "info", model, "--json")[1])
    assert (found["columns"], found["feature_names"]) == (["width", "town", "height"], features)


def test_passes_standardised_rows_and_late_words(tmp_path, capsys):
    data, model = table(tmp_path / "data.parquet", FRAME.assign(label=Y)), tmp_path / "model"
    options = ["--algorithm", "bsgd-merge", "--set", "gamma=0.5", "--scaling", "fixed", "--passes", "2"]
    assert run(capsys, "train", data, "-o", model, *SMALL, *options)[0] == 0
    words = [word == TOWN for word in dict.fromkeys(TOWN.tolist())]
    by_hand = np.column_stack([X, *words]).astype(np.float32)
    np.savez(tmp_path / "data.npz", X=by_hand, y=Y)
    assert run(capsys, "train", tmp_path / "data.npz", "-o", tmp_path / "plain", *SMALL, *options)[0] == 0
    plain = Classifier.load(tmp_path / "plain").decision_function(by_hand)
    np.testing.assert_allclose(Classifier.load(model).decision_function(FRAME), plain, rtol=1e-4, atol=1e-5)
    late = table(tmp_path / "late.parquet", FRAME.assign(town="Bonn", label=Y))
    code, out, _ = run(capsys, "train", late, "--resume", model, "-o", model, "-q")
    assert (code, "new features: 1 of 6" in out) == (0, True)
    assert Classifier.load(model).get_feature_names_out()[-1] == "town=Bonn"


def test_a_missing_value_is_told_by_its_column(tmp_path, capsys):
    data = table(tmp_path / "data.parquet", FRAME.assign(town=[None, *TOWN[1:]], label=Y))
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "model", "--algorithm", "bsgd-merge")
    assert (code, "row 1: expected finite float32 numbers, got nan in column town" in err) == (1, True)
    assert run(capsys, "train", data, "-o", tmp_path / "model", *SMALL)[0] == 0


def test_words_for_a_model_without_names(tmp_path, capsys):
    Classifier(budget=20).learn(X, Y).save(tmp_path / "model")
    data = table(tmp_path / "data.parquet", FRAME[["width", "town"]])
    code, _, err = run(capsys, "predict", tmp_path / "model", data)
    assert (code, "data.parquet: expected numbers in column town" in err) == (1, True)


def test_a_name_twice_is_no_name_of_the_model(tmp_path, capsys):
    EXPECTED.save(tmp_path / "model")
    (tmp_path / "twice.csv").write_text("width,width,label\n1,2,0\n")
    code, _, err = run(capsys, "predict", tmp_path / "model", tmp_path / "twice.csv")
    assert (code, 'expected distinct column names, got two columns named "width"' in err) == (1, True)


def test_wider_rows_without_names_are_refused_before_they_are_learned(tmp_path, capsys):
    EXPECTED.save(tmp_path / "model")
    (tmp_path / "wide.libsvm").write_text("1 1:1 7:2\n0 2:1\n")
    code, _, err = run(
        capsys,
        "train",
        tmp_path / "wide.libsvm",
        "--resume",
        tmp_path / "model",
        "-o",
        tmp_path / "more",
        "-q",
    )
    assert (code, "because the columns of the model have names" in err) == (1, True)


def test_many_words_are_read_in_small_pieces(tmp_path):
    words = np.random.default_rng(0).integers(0, 2000, 30_000)
    frame = pd.DataFrame({"w": [f"word {i}" for i in words], "label": words % 2})
    data = table(tmp_path / "data.parquet", frame)
    with Rows(str(data), Layout()) as rows:
        pieces = [batch.X for batch in rows]
    assert sum(map(len, pieces)) == 30_000
    assert pieces[-1].shape[1] == len(set(words.tolist()))
    # All rows at once would take 240 MB.
    assert max(piece.nbytes for piece in pieces) < 5e6


@pytest.mark.parametrize(
    ("name", "values", "is_warned"),
    [
        ("", np.arange(400), True),
        ("", np.arange(1, 401), True),
        ("Unnamed: 0", np.arange(400), True),
        ("__index_level_0__", np.arange(400), True),
        ("index", np.arange(1, 401), True),
        ("step", np.arange(400), False),
        ("", np.arange(2, 402), False),
        ("", np.arange(400) // 2, False),
        ("", np.where(np.arange(400) == 300, 0, np.arange(400)), False),
        ("index", np.full(400, np.nan), False),
    ],
)
@pytest.mark.parametrize("form", ["csv", "categories", "parquet", "pipe"])
def test_a_first_column_that_counts_the_rows(form, name, values, is_warned, tmp_path, capsys, monkeypatch):
    frame = FRAME[["width", "height"]].iloc[:400].assign(label=Y[:400])
    frame.insert(0, name, values)
    if form == "categories":
        frame.insert(1, "colour", np.where(np.arange(400) % 3, "red", "blue"))
    data = table(tmp_path / "a.parquet", frame) if form == "parquet" else csv(tmp_path / "a.csv", frame)
    options = ["-o", tmp_path / "m", "-q", "--format", data.suffix[1:]]
    with data.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        code, _, err = run(capsys, "train", "-" if form == "pipe" else data, *options)
    what = f'column "{name}"' if name else "the first column, which has no name,"
    warning = f"budgetrs: warning: {what} counts the rows ({values[0]:g}, {values[1]:g}, ...): if it is a row"
    assert (code, err.count("\n")) == (0, int(is_warned)), err
    assert err.startswith(warning) == is_warned
