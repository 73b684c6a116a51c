"""What ``--task regression`` refuses, and options that depend on how long a stream will be."""

import re
import subprocess
import sys

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from budgetrs.cli import arguments, main, parameters
from budgetrs.cli.task import TASKS
from conftest import board, csv_text, libsvm_text
from test_cli_errors import failing
from test_cli_regression import SMALL, waves, written

X, Y = waves(100)
NUMBERS = Y.tolist()
GOOD = {"a.csv": csv_text(X, NUMBERS), "a.libsvm": libsvm_text(X, NUMBERS)}


@pytest.fixture
def models(tmp_path):
    """A model of numbers and one of classes."""
    Regressor("bpa-s", budget=20, gamma=2.0).learn(X, Y).save(tmp_path / "numbers")
    Classifier("bsgd-merge", budget=20, gamma=2.0).learn(*board(100)).save(tmp_path / "classes")
    return tmp_path / "numbers", tmp_path / "classes"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("spam", r"expected a number as the target, got `spam`"),
        (
            "nan",
            r"expected a (target in field 3, got `nan` \(a missing value\); remove the rows without a target|"
            r"number as the target that is finite, got `nan`)",
        ),
        ("-inf", r"expected a number as the target that is finite, got `-inf`"),
        ("1e999", r"expected a number as the target within the range of float64, got `1e999`"),
        ("1e39", r"expected a number as the target within the range of float32, got `1e39`"),
        ("1_000", r"expected a number as the target, got `1_000`(; it has thousands separators: .*)?"),
        ("0x10", r"expected a number as the target, got `0x10`"),
        ("2e15", r"y must be numbers from -1e15 to 1e15, got 2000000000000000"),
    ],
)
@pytest.mark.parametrize("name", GOOD)
def test_bad_targets_in_text(name, word, expected, tmp_path, capsys, models):
    path = tmp_path / name
    row = f"0.5,0.5,{word}\n" if name == "a.csv" else f"{word} 1:0.5 2:0.5\n"
    path.write_text(GOOD[name] + "\n" + row + GOOD[name])
    for arguments_ in (["train", path, "-o", tmp_path / "m", *SMALL], ["evaluate", models[0], path, "-q"]):
        code, said = failing(capsys, *arguments_)
        assert code == 1
        assert re.fullmatch(rf"{re.escape(str(path))}:102(:\d+)?: {expected}", said)
    assert not (tmp_path / "m").exists()


def test_bad_targets_in_arrays(tmp_path, capsys, models):
    cases = {
        "nan": (np.nan, "expected a finite number as the target, got nan"),
        "inf": (-np.inf, "expected a finite number as the target, got -inf"),
        "large": (-2e15, "y must be numbers from -1e15 to 1e15, got -2000000000000000"),
    }
    for name, (value, expected) in cases.items():
        y = Y.copy()
        y[41] = value
        np.savez(tmp_path / f"{name}.npz", X=X, y=y)
        np.save(tmp_path / f"{name}.npy", np.column_stack([X, y]))
        for path in (tmp_path / f"{name}.npz", tmp_path / f"{name}.npy"):
            said = f"{path}:row 42: {expected}"
            assert failing(capsys, "train", path, "-o", tmp_path / "m", *SMALL) == (1, said)
            assert failing(capsys, "evaluate", models[0], path, "-q") == (1, said)
    np.savez(tmp_path / "text.npz", X=X, y=Y.astype(str))
    code, said = failing(capsys, "train", tmp_path / "text.npz", "-o", tmp_path / "m", *SMALL)
    assert code == 1
    assert re.fullmatch(r".*text\.npz:row 1: expected a number as the target, got '-?\d\.\d+'", said)


def test_missing_targets(tmp_path, capsys, models):
    path = tmp_path / "a.csv"
    path.write_text("1,2,0.5\n1,2,\n")
    code, said = failing(capsys, "train", path, "-o", tmp_path / "m", *SMALL)
    assert (code, said.split(", got")[0]) == (1, f"{path}:2:5: expected a target in field 3")
    path.write_text("1,2\n3,4\n")
    said = f"budgetrs: {path}: expected labels to compare with, got 2 feature columns"
    assert failing(capsys, "evaluate", models[0], path) == (1, said)
    assert main(["predict", str(models[0]), str(path)]) == 0
    assert len(capsys.readouterr().out.split()) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "ranking"], "--task: expected classification or regression, got 'ranking'"),
        (["--task", "regression", "--classes", "0,1"], "--classes cannot be combined with --task regression"),
        (
            ["--task", "regression", "--set", "loss=hinge"],
            '--set loss = "hinge" cannot be combined with regression',
        ),
        (["--set", "loss=huber"], '--set loss = "huber" cannot be combined with algorithm = "online-kernel"'),
        (
            ["--algorithm", "bsgd-merge", "--set", "loss=huber"],
            '--set loss = "huber" cannot be combined with classification',
        ),
        (["--task", "regression", "--set", "loss=nothing"], "--set loss must be one of"),
        (
            ["--task", "regression", "--algorithm", "rbp"],
            '--algorithm = "rbp" cannot be combined with regression',
        ),
        (
            ["--task", "regression", "--algorithm", "bpa-s", "--set", "loss=huber"],
            '--set loss = "huber" cannot be combined with',
        ),
        (["--task", "regression", "--algorithm", "no"], "--algorithm must be an algorithm"),
        (
            ["--task", "regression", "--set", "epsilon=-1"],
            "--set epsilon must be a number from 0 to 1e15, got -1",
        ),
        (
            ["--task", "regression", "--set", "epsilon=x"],
            "--set epsilon: expected a number from 0 to 1e15, got 'x'",
        ),
        (
            ["--task", "regression", "--set", "delta=1"],
            '--set delta does not apply to algorithm = "online-kernel"',
        ),
        (
            ["--task", "regression", "--algorithm", "pegasos", "--set", "loss=huber", "--set", "delta=0"],
            "--set delta must be a number from 1e-15",
        ),
        (
            [
                "--task",
                "regression",
                "--algorithm",
                "pegasos",
                "--set",
                "loss=quantile",
                "--set",
                "quantile=1",
            ],
            "--set quantile must be a number between",
        ),
        (
            ["--task", "regression", "--algorithm", "pegasos", "--set", "loss=huber", "--set", "epsilon=1"],
            '--set epsilon does not apply to algorithm = "pegasos"',
        ),
        (
            ["--task", "regression", "--set", "grad_tol=1"],
            '--set grad_tol does not apply to algorithm = "online-kernel"',
        ),
        (["--set", "epsilon=1"], '--set epsilon does not apply to algorithm = "online-kernel"'),
        (["--task", "regression", "--budget", "0"], "--budget must be an integer from 1"),
    ],
    ids=str,
)
@pytest.mark.parametrize("command", ["train", "compare"])
def test_wrong_arguments(command, options, message, tmp_path, capsys):
    path = written(tmp_path / "good.libsvm", 50)
    output = ["-o", tmp_path / "m"] if command == "train" else []
    code, said = failing(capsys, command, path, *output, *options)
    assert code == 2
    assert message in said.splitlines()[-1]
    assert not (tmp_path / "m").exists()


def test_models_of_one_task_and_data_of_the_other(tmp_path, capsys, models):
    numbers, classes = models
    words, values = tmp_path / "words.csv", tmp_path / "values.csv"
    words.write_text(csv_text(X, ["cat", "dog"] * 50))
    values.write_text(csv_text(X, ["1", *NUMBERS[1:]]))
    code, said = failing(capsys, "evaluate", numbers, words)
    assert code == 1
    assert re.fullmatch(rf"{words}:1:\d+: expected a number as the target, got `cat`", said)
    wrong = "expected one of the classes 0, 1 of the model, got the number"
    assert failing(capsys, "evaluate", classes, values) == (
        1,
        f"{values}:2: {wrong} {NUMBERS[1]}; --task regression trains regression models",
    )
    said = f"budgetrs: --scores: expected a classification model, {numbers} is a regression model"
    assert failing(capsys, "predict", numbers, values, "--scores") == (2, said)
    # Labels are passed over where there is nothing to compare.
    for model, data in ((numbers, words), (classes, values)):
        assert main(["predict", str(model), str(data)]) == 0
        assert len(capsys.readouterr().out.split()) == 100


def test_classes_that_are_fractions_know_others(tmp_path, capsys):
    """A class 0.5 makes 0.7 an unknown class rather than a number to be learned."""
    for name, labels in (("numbers.csv", [0.5, 1.5]), ("mixed.csv", [0.5, "spam"])):
        train, test = tmp_path / name, tmp_path / f"test-{name}"
        train.write_text(csv_text(X, labels * 50))
        test.write_text(csv_text(X, [labels[0], 0.7] * 50))
        assert main(["train", str(train), "-o", str(tmp_path / "m"), "-q"]) == 0
        capsys.readouterr()
        assert main(["evaluate", str(tmp_path / "m"), str(test), "-q"]) == 0
        assert "rows of unknown classes, counted as wrong: 50\n" in capsys.readouterr().out


def given(*options, data="-", rows=1):
    """The parameters that options of `train` stand for."""
    args = arguments.parse(["train", *map(str, options), "-o", "m", str(data)])
    return parameters.parameters(args, rows)


def test_the_options_of_long_streams():
    assert given() == {}
    assert given("--set", "rate=50") == {"rate": 50.0}
    assert given("--set", "rate=auto", "--set", "stream_length=900") == {"rate": "auto", "stream_length": 900}
    assert given("--set", "max_size=7", "--set", "rate=1e3") == {"rate": 1000.0, "max_size": 7}
    for text, value in (("0.3", 0.3), ("random", "random"), ("true", True), ("False", False)):
        found = given("--set", f"average={text}")["average"]
        assert (found, type(found)) == (value, type(value))
    assert given("--set", "average=0.3", "--set", "average=true")["average"] is True  # the last one counts


@pytest.mark.parametrize(
    "options", [["--set", "rate=auto"], ["--set", "average=true"], ["--set", "average=0.3"]]
)
def test_the_length_of_a_file_is_its_rows_times_the_passes(options, tmp_path):
    data = written(tmp_path / "data.libsvm", 10)
    assert given(*options, data=data, rows=10)["stream_length"] == 10
    assert given(*options, "--passes", 3, data=data, rows=10)["stream_length"] == 30
    assert (
        given(*options, "--set", "stream_length=7", "--passes", 3, data=data, rows=10)["stream_length"] == 7
    )
    assert "stream_length" not in given("--set", "rate=5", data=data, rows=10)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("passes", [1, 3])
def test_a_model_knows_how_long_its_stream_was(task, passes, tmp_path, capsys):
    data, model = tmp_path / "data.libsvm", tmp_path / "m"
    data.write_text(libsvm_text(*board(150)))
    options = [
        "--task",
        task,
        "--algorithm",
        "bsgd-merge",
        "--set",
        "gamma=1",
        "--budget",
        "5",
        "--passes",
        str(passes),
        "-q",
    ]
    for more in (
        ["--set", "rate=auto", "--set", "max_size=9"],
        ["--set", "average=true"],
        ["--set", "average=random"],
    ):
        assert main(["train", str(data), "-o", str(model), *options, *more]) == 0
        params = TASKS[task].native.load(model).params
        assert params["stream_length"] == 150 * passes
        name, _, value = more[1].partition("=")
        assert params[name] == (0.5 if value == "true" else value)


def test_a_pipe_of_a_given_length(tmp_path):
    called = [sys.executable, "-m", "budgetrs", "train", "-", "-o", str(tmp_path / "m"), *SMALL]
    options = ["--set", "rate=auto", "--set", "stream_length=100", "--set", "max_size=30"]
    done = subprocess.run(
        [*called, *options], input=GOOD["a.csv"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    native = Regressor("bsgd-merge", budget=20, gamma=2.0, rate="auto", stream_length=100, max_size=30)
    assert Regressor.load(tmp_path / "m").to_bytes() == native.learn(X, Y).to_bytes()


@pytest.mark.parametrize("command", ["train", "compare"])
def test_a_pipe_cannot_be_counted(command, tmp_path, capsys):
    output = ["-o", str(tmp_path / "m")] if command == "train" else []
    called = [sys.executable, "-m", "budgetrs", command, "-", *output, "--set", "rate=auto"]
    done = subprocess.run(
        called, input=GOOD["a.csv"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "budgetrs: --set rate=auto: expected --set stream_length=N too, the number of rows of the stream, "
        "because <stdin> can be read only once\n"
    )
    assert "stream_length" not in given("--set", "average=true")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--set", "rate=often"],
            """--set rate: expected a finite number > 0, "auto", or none, got 'often'""",
        ),
        (
            ["--set", "max_size=x"],
            """--set max_size: expected an integer from 1 to 16777216, or none, got 'x'""",
        ),
        (
            ["--set", "stream_length=0"],
            "--set stream_length must be an integer from 1 to 2^53, or none, got 0",
        ),
        (
            ["--set", "average=DATA"],
            'expected false, true, a number from 0.001 to 1, "polynomial", or "random", got \'DATA\'',
        ),
        (
            ["--set", "average=0"],
            '--set average must be false, true, a number from 0.001 to 1, "polynomial", or "random", got 0',
        ),
    ],
)
def test_wrong_options_of_long_streams(options, message, tmp_path, capsys):
    path = written(tmp_path / "good.libsvm", 50)
    code, said = failing(capsys, "train", path, "-o", tmp_path / "m", *options)
    assert code == 2
    assert message in said
