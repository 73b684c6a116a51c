"""Parquet and Arrow files are read as NumPy's, with names, text labels and missing values."""

import gzip
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from budgetrs import Classifier, Regressor
from budgetrs.cli import main
from conftest import board, unnamed

X, y = board(500)
WORDS = np.array(["no", "yes"])[y]
FORMATS = ["data.parquet", "data.arrow", "data.feather"]


def columns(**more):
    return pa.table({"width": X[:, 0], "height": X[:, 1].astype(np.float64), **more})


def written(path, table):
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=130)
    elif path.suffix == ".feather":
        feather.write_feather(table, path)
    else:
        with ipc.new_file(path, table.schema) as file:
            for batch in table.to_batches(max_chunksize=170):
                file.write_batch(batch)
    return path


def train(path, *options, budget=20):
    model = path.parent / "model"
    assert main(["train", str(path), "-o", str(model), "--budget", str(budget), "-q", *options]) == 0
    return model


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("labels", [y, y.astype(np.int8), y.astype(bool), WORDS], ids=lambda y: str(y.dtype))
def test_a_table_is_its_numbers(name, labels, tmp_path, capsysbinary):
    path = written(tmp_path / name, columns(label=labels))
    model = Classifier.load(train(path))
    expected = Classifier(budget=20, classes=np.unique(labels)).learn(X, labels)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
    unlabelled = written(tmp_path / f"new-{name}", columns())
    capsysbinary.readouterr()
    assert main(["predict", str(tmp_path / "model"), str(unlabelled)]) == 0
    assert capsysbinary.readouterr().out.decode().split() == [str(label) for label in model.predict(X)]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("column", ["label", "1"])
def test_the_label_has_a_name_or_a_number(name, column, tmp_path):
    words = pa.array(WORDS.tolist()).dictionary_encode()
    path = written(tmp_path / name, columns(label=words).select(["width", "label", "height"]))
    model = Classifier.load(train(path, "--target", column))
    assert model.classes_.tolist() == ["no", "yes"]
    rows = pd.DataFrame(X, columns=["width", "height"])
    expected = Classifier(budget=20, classes=["no", "yes"]).learn(rows, WORDS)
    assert unnamed(tmp_path / "model") == expected.to_bytes()
    assert main(["evaluate", str(tmp_path / "model"), str(path), "--target", column]) == 0


@pytest.mark.parametrize("name", FORMATS)
def test_labels_may_be_missing_where_they_are_not_needed(name, tmp_path, capsysbinary):
    path = written(tmp_path / name, columns(label=y))
    model = Classifier.load(train(path))
    written(path, columns(label=pa.nulls(500, pa.int64())))
    capsysbinary.readouterr()
    assert main(["predict", str(tmp_path / "model"), str(path)]) == 0
    assert capsysbinary.readouterr().out.decode().split() == [str(label) for label in model.predict(X)]


def test_targets_and_other_types_of_numbers(tmp_path):
    whole = pa.array([None if i % 50 == 7 else i % 9 for i in range(500)], pa.uint16())
    path = written(tmp_path / "data.parquet", columns(count=whole, is_wide=X[:, 0] > 0, target=X.sum(axis=1)))
    train(path, "--task", "regression")
    counts = np.array([np.nan if i % 50 == 7 else i % 9 for i in range(500)])
    rows = np.column_stack([X, counts, X[:, 0] > 0]).astype(np.float32)
    rows = pd.DataFrame(rows, columns=["width", "height", "count", "is_wide"])
    expected = Regressor(budget=20).learn(rows, X.sum(axis=1).astype(np.float64))
    assert unnamed(tmp_path / "model") == expected.to_bytes()


@pytest.mark.parametrize(
    ("more", "options", "message"),
    [
        (
            {"day": pa.array(range(500), pa.date32()), "label": y},
            (),
            "data.parquet: expected numbers or categories in column day, got date32[day]; convert",
        ),
        ({"label": pa.array([*y[:-1].tolist(), None])}, (), "row 500: expected a label, got none"),
        (
            {"label": y},
            ("--target", "class"),
            "one column named class (--target), got width, height",
        ),
        ({"label": y}, ("--target", "3"), "the target in column 3 (--target), got 3 columns"),
        (
            {"count": pa.array([None, *range(499)]), "label": y},
            ("--algorithm", "bsgd-merge"),
            "row 1: expected finite float32 numbers, got nan in column count",
        ),
    ],
)
def test_what_cannot_be_learned_is_named(more, options, message, tmp_path, capsys):
    path = written(tmp_path / "data.parquet", columns(**more))
    assert main(["train", str(path), "-o", str(tmp_path / "model"), "-q", *options]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_and_packed_files_are_refused(name, tmp_path, capsys):
    path = written(tmp_path / name, columns(label=y))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert main(["train", str(path), "-o", str(tmp_path / "model"), "-q"]) == 1
    assert f"{name}: cannot be read" in capsys.readouterr().err
    path.write_bytes(gzip.compress(data))
    assert main(["train", str(path), "-o", str(tmp_path / "model"), "-q"]) == 1
    assert "must be a file that is not compressed as a whole" in capsys.readouterr().err


def test_without_pyarrow_the_message_says_what_to_install(tmp_path, monkeypatch, capsys):
    path = written(tmp_path / "data.parquet", columns(label=y))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["train", str(path), "-o", str(tmp_path / "model"), "-q"]) == 1
    assert "parquet needs pyarrow: pip install 'budgetrs[arrow]'" in capsys.readouterr().err


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_decimals_are_numbers(name, task, tmp_path):
    prices = X[:, 0].astype(np.float64).round(2) + 0.0  # decimals have no -0
    target = y if task == "classification" else prices
    numbers = columns(price=prices, label=target.astype(np.float64))
    decimals = numbers
    for i, column in ((2, "price"), (3, "label")):
        decimals = decimals.set_column(i, column, numbers[column].cast(pa.decimal128(10, 4)))
    expected = train(written(tmp_path / f"n-{name}", numbers), "--task", task).read_bytes()
    assert train(written(tmp_path / name, decimals), "--task", task).read_bytes() == expected


def test_the_index_of_pandas_is_no_column(tmp_path, capsys):
    frame = columns(label=y).to_pandas()
    expected = train(written(tmp_path / "plain.parquet", columns(label=y))).read_bytes()
    rng = np.random.default_rng(0)
    for index in (
        rng.permutation(500),
        pd.date_range("2024", periods=len(frame)),
        pd.Index(rng.permutation(500), name="id"),
    ):
        path = tmp_path / "data.parquet"
        frame.set_index(index).to_parquet(path)
        assert train(path).read_bytes() == expected
        assert main(["evaluate", str(tmp_path / "model"), str(path), "-q"]) == 0
    train(path, "--target", "id", "--task", "regression")
    assert Regressor.load(tmp_path / "model").feature_names_in_.tolist() == ["width", "height", "label"]


def test_a_target_of_another_type_is_named(tmp_path, capsys):
    path = written(tmp_path / "data.parquet", columns(day=pd.date_range("2024", periods=500)))
    assert main(["train", str(path), "-o", str(tmp_path / "m"), "-q"]) == 1
    assert "numbers in the target day, got timestamp[" in capsys.readouterr().err
