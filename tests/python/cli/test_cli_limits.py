"""Small files that would ask for much: they are refused before memory is reserved."""

import time
import zipfile

import numpy as np
import pyarrow
import pytest
from pyarrow import feather, parquet

import budgetrs
from budgetrs import Classifier
from budgetrs._core import Reader
from conftest import run

FAR = "".join(f"{i % 2} {2**24 - 50 + i}:1\n" for i in range(40))
NEAR = "".join(f"{i % 2} {i + 1}:1\n" for i in range(40))


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.mark.parametrize("command", ["train", "compare", "resume", "predict", "evaluate"])
def test_a_model_that_takes_too_much_is_refused_at_once(command, write, tmp_path, capsys):
    far, model = write("far.libsvm", FAR), tmp_path / "model"
    assert run(capsys, "train", write("near.libsvm", NEAR), "-o", model, "-q", "--set", "gamma=1")[0] == 0
    before = model.read_bytes()
    arguments = {
        "train": ["train", far, "-o", model],
        "compare": ["compare", far],
        "resume": ["train", far, "--resume", model, "-o", model],
    }.get(command, [command, model, far])
    start = time.perf_counter()
    code, _, err = run(capsys, *arguments, "-q")
    assert time.perf_counter() - start < 10
    vectors = "51 support vectors" if command == "compare" else "501 support vectors"
    # A warning of many features may precede it.
    assert (code, err.splitlines()[-1].startswith(f"{far}:1: ")) == (1, True)
    assert f"bytes for {vectors} of 16777205 features, got 4294967296" in err
    assert "--max-memory must be at least " in err
    assert model.read_bytes() == before


def test_the_options_lower_and_raise_the_limits(write, tmp_path, capsys):
    near, far = write("near.libsvm", NEAR), write("far.libsvm", FAR.replace("1677", "2677"))
    out = ["-o", tmp_path / "model", "-q"]
    for options, said in (
        (["--max-memory", "10K"], f"{near}:1: --max-memory must be at least "),
        (
            ["--max-features", "39"],
            f"{near}:40:3: expected an index of at most 39 (max_features), got `40`",
        ),
    ):
        code, _, err = run(capsys, "train", near, *out, *options)
        assert (code, err.startswith(said)) == (1, True)
    assert run(capsys, "train", near, *out, "--max-features", "40", "--max-memory", "1G")[0] == 0
    code, _, err = run(capsys, "train", far, *out)
    assert (code, "at most 16777216 (max_features)" in err, "--max-features N" in err) == (1, True, True)
    # Beyond the features, the memory.
    code, _, err = run(capsys, "train", far, *out, "--max-features", "30000000")
    assert (code, "--max-memory must be" in err) == (1, True)


def test_the_columns_of_other_files_are_counted(write, tmp_path, capsys):
    np.save(tmp_path / "wide.npy", np.zeros((3, 11)))
    wide = ",".join("1" * 11) + "\n"
    table = pyarrow.table({f"c{i}": [0.0, 1.0] for i in range(10)} | {"y": [0, 1]})
    parquet.write_table(table, tmp_path / "wide.parquet")
    feather.write_feather(table, tmp_path / "wide.arrow")
    words = "word,y\n" + "".join(f"w{i},{i % 2}\n" for i in range(30))
    for data, said in (
        (tmp_path / "wide.parquet", "expected at most 9 features, got 10; --max-features N allows more"),
        (tmp_path / "wide.arrow", "expected at most 9 features, got 10; --max-features N allows more"),
        (write("words.csv", words), "expected at most 9 features, got 30; --max-features N allows more"),
        (tmp_path / "wide.npy", "expected at most 9 features, got 10; --max-features N allows more"),
        (
            write("wide.csv", wide),
            "expected at most 9 features (max_features), got 11 fields; --max",
        ),
    ):
        code, _, err = run(capsys, "train", data, "-o", tmp_path / "m", "-q", "--max-features", "9")
        assert (code, said in err) == (1, True), err


def test_long_labels_have_a_limit(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "far.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in (("X", np.zeros((3, 2))), ("y", np.zeros((3,), "U10000000"))):
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array)
    far = tmp_path / "far.npz"
    code, _, err = run(capsys, "train", far, "-o", tmp_path / "m", "-q", "--max-memory", "10M")
    assert (code, "--max-memory must be at least 40,000,000 bytes for one row of the array" in err) == (
        1,
        True,
    )


def test_a_line_of_many_fields_is_read_in_one_pass(write, tmp_path, capsys):
    # Two fields compared with each other each time would take minutes.
    names = write("names.csv", ",".join(f"n{i}" for i in range(1 << 18)) + ",n7\n")
    start = time.process_time()
    code, _, err = run(capsys, "train", names, "-o", tmp_path / "m", "-q")
    assert (code, 'got two columns named "n7"' in err) == (1, True)
    assert time.process_time() - start < 20


@pytest.mark.parametrize("value", ["0", "x", "1.5G", "-1", "G", "٣"])
@pytest.mark.parametrize("option", ["--max-memory", "--max-features"])
def test_what_is_no_limit(option, value, capsys):
    code, _, err = run(capsys, "train", "absent", "-o", "m", f"{option}={value}")
    assert (code, f"{option}: expected" in err) == (2, True)


@pytest.fixture
def limit():
    before = budgetrs.set_memory_limit(1 << 20)
    yield
    budgetrs.set_memory_limit(before)


def test_the_limit_of_a_process(limit, tmp_path):
    wide, narrow = np.eye(2, 10_000, dtype=np.float32), np.eye(4, 100, dtype=np.float32)
    model = Classifier("pa-random", budget=100)
    with pytest.raises(budgetrs.ParameterError, match=r"max_memory must be .* got 1048576") as refused:
        model.learn(wide, [0, 1])
    assert refused.value.parameter == "max_memory"
    model.learn(narrow, [0, 1, 0, 1])
    with pytest.raises(budgetrs.ParameterError, match="max_memory"):
        model.add_features(10_000)
    assert model.n_features_in_ == 100
    # A command has a limit of its own, and leaves this one.
    assert budgetrs.set_memory_limit(1 << 30) == 1 << 20
    large = Classifier("pa-random", budget=100).learn(wide, [0, 1]).to_bytes()
    budgetrs.set_memory_limit(1 << 20)
    with pytest.raises(ValueError, match="max_memory"):
        Classifier.from_bytes(large)
    for wrong in (0, -1, 1.5, "1G"):
        with pytest.raises(budgetrs.ParameterError, match="max_memory must be a number of bytes"):
            budgetrs.set_memory_limit(wrong)
    assert budgetrs.set_memory_limit(1 << 20) == 1 << 20


def test_a_command_leaves_the_limit_of_the_process(limit, write, tmp_path, capsys):
    assert run(capsys, "train", write("near.libsvm", NEAR), "-o", tmp_path / "m", "-q")[0] == 0
    assert budgetrs.set_memory_limit(1 << 20) == 1 << 20


def test_the_reader_has_a_limit():
    reader = Reader("libsvm", max_features=5)
    reader.feed(b"1 5:1\n")
    with pytest.raises(ValueError, match=r"an index of at most 5 \(max_features\), got `6`"):
        reader.feed(b"1 6:1\n")
    with pytest.raises(budgetrs.ParameterError, match="max_features must be in 1"):
        Reader("libsvm", max_features=0)
