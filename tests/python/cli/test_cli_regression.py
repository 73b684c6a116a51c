"""The command line with ``--task regression``: numbers instead of classes."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from budgetrs import Classifier, Regressor, compare_budgets
from budgetrs._core import Reader
from budgetrs.cli import main
from budgetrs.cli.task import TASKS
from conftest import ROOT, board, bounded, csv_text, libsvm_text
from test_cli import run
from test_cli_signals import STOPS, stopped

SMALL = ["--task", "regression", "--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2", "-q"]
BPA = ["--algorithm", "bpa-nn", "--set", "epsilon=0.01"]


def waves(rows, seed=0):
    """Points of the square and a smooth function of them, with more digits than single precision has."""
    X = np.random.default_rng(seed).uniform(-1, 1, (rows, 2)).astype(np.float32)
    return X, np.sin(3 * X[:, 0].astype(float)) + X[:, 1].astype(float) ** 2


def written(path, rows, seed=0):
    X, y = waves(rows, seed)
    path.write_text((csv_text if path.suffix == ".csv" else libsvm_text)(X, y.tolist()))
    return path


@pytest.fixture
def files(tmp_path):
    """A training and a test file, and where the model goes."""
    train, test = written(tmp_path / "train.csv", 600), written(tmp_path / "test.csv", 200, 1)
    return train, test, tmp_path / "model"


def errors(found, y):
    """The lines of a test by hand: RMSE, MAE and R^2."""
    residuals = found.astype(np.float64) - y
    square = np.mean(residuals**2)
    return [
        f"{number:.6g}" for number in (np.sqrt(square), np.mean(np.abs(residuals)), 1 - square / np.var(y))
    ]


def of_test(said):
    return [said[f"test {name}"] for name in ("RMSE", "MAE", "R^2")]


def test_the_algorithm_that_is_not_named_fits_the_task(files, capsys):
    train, _, model = files
    assert run(capsys, "train", train, "-o", model, "--task", "regression")[0] == 0
    assert Regressor.load(model).algorithm == Regressor().algorithm == "online-kernel"
    assert run(capsys, "train", train, "-o", model, *SMALL)[0] == 0
    assert Regressor.load(model).algorithm == "bsgd-merge"


@pytest.mark.parametrize(
    "options", [[], BPA, ["--set", "loss=huber", "--set", "delta=0.1"], [*BPA, "--passes", "2"]]
)
def test_train_evaluate_predict_info(options, files, capsys, tmp_path):
    train, test, model = files
    code, said = run(capsys, "train", train, "--test", test, "-o", model, *SMALL, *options)
    assert (code, list(said)[:10]) == (
        0,
        [
            *("rows read", "support vectors", "progressive RMSE", "progressive MAE"),
            "progressive MAE, last 1,000 rows",
            *("baseline RMSE, mean target", "baseline RMSE, previous target"),
            *("test RMSE", "test MAE", "test R^2"),
        ],
    )
    given = dict(zip(options[::2], options[1::2], strict=True))
    settings = dict(text.split("=") for text in options if "=" in text)
    more = {name: text if name == "loss" else float(text) for name, text in settings.items()}
    native = Regressor(given.get("--algorithm", "bsgd-merge"), budget=20, gamma=2.0, **more)
    for number in range(int(given.get("--passes", 1))):
        native.learn(*waves(600), repeated=number > 0)
    X, y = waves(200, 1)
    assert Regressor.load(model).to_bytes() == native.to_bytes()
    assert said["support vectors"] == str(native.n_support_vectors_)
    assert said["progressive RMSE"] == f"{np.sqrt(native.mean_squared_error_):.6g}"
    assert said["progressive MAE"] == f"{native.mean_absolute_error_:.6g}"
    assert said["progressive MAE, last 1,000 rows"] == f"{native.recent_error_:.6g}"
    assert said["baseline RMSE, mean target"] == f"{np.sqrt(native.constant_error_):.6g}"
    assert said["baseline RMSE, previous target"] == f"{np.sqrt(native.no_change_error_):.6g}"
    assert of_test(said) == errors(native.predict(X), y)

    code, evaluated = run(capsys, "evaluate", model, test, "-q")
    assert (code, evaluated["rows read"], of_test(evaluated)) == (0, "200", of_test(said))
    changes = np.sqrt(np.sum(np.diff(y) ** 2) / 200)
    baselines = [evaluated[f"baseline RMSE, {name}"] for name in ("mean target", "previous target")]
    assert baselines == [f"{number:.6g}" for number in (np.std(y), changes)]

    assert main(["predict", str(model), str(test)]) == 0
    printed = capsys.readouterr().out
    np.testing.assert_array_equal(np.array(printed.split(), np.float32), native.predict(X))
    assert run(capsys, "predict", model, test, "-o", tmp_path / "out", "-q")[0] == 0
    assert (tmp_path / "out").read_text() == printed

    code, told = run(capsys, "info", model)
    assert (code, told["task"], told["algorithm"], told["loss"]) == (
        0,
        "regression",
        native.algorithm,
        native.params["loss"],
    )
    assert (told["rows learned"], told["features"]) == (said["rows read"], "2")
    assert [told[f"progressive {name}"] for name in ("RMSE", "MAE")] == [
        said[f"progressive {name}"] for name in ("RMSE", "MAE")
    ]
    assert "classes" not in told


def test_it_learns(files, capsys):
    train, test, model = files
    options = [*SMALL, *BPA, "--budget", "100", "--passes", "3", "--test", test]
    code, said = run(capsys, "train", train, "-o", model, *options)
    assert code == 0
    assert float(said["test R^2"]) > 0.99


def test_info_tells_the_task_of_classes(tmp_path, capsys):
    Classifier("bsgd-merge", budget=20, gamma=2.0).learn(*board(100)).save(tmp_path / "model")
    assert run(capsys, "info", tmp_path / "model")[1]["task"] == "classification"
    Regressor().save(tmp_path / "fresh")
    code, told = run(capsys, "info", tmp_path / "fresh")
    assert (code, told["task"], told["rows learned"]) == (0, "regression", "0")


@pytest.mark.parametrize("name", ["pegasos", "bsgd-project", "pa", "bpa-s", "pa-merge"])
def test_algorithms(name, files, capsys):
    train, _, model = files
    options = ["--task", "regression", "--set", "gamma=2", *(["--budget", "20"] if bounded(name) else [])]
    assert run(capsys, "train", train, "--algorithm", name, *options, "-o", model, "-q")[0] == 0
    loaded = Regressor.load(model)
    assert (loaded.algorithm, loaded.params["loss"]) == (name, "epsilon_insensitive")


# The options of a model, and the option that changes it.
OPTIONS = [
    ([], ["--set", "loss=squared_error"]),
    ([], ["--set", "epsilon=0.4"]),
    (["--set", "loss=huber"], ["--set", "delta=0.1"]),
    (["--set", "loss=quantile"], ["--set", "quantile=0.9"]),
    ([], ["--set", "alpha=0.01"]),
    (["--set", "loss=squared_error", "--set", "alpha=0.01"], ["--set", "project_to_ball=true"]),
    (["--algorithm", "bpa-s"], ["--set", "C=0.1"]),
    ([], ["--set", "maintenance=smallest"]),
    ([], ["--scaling", "fixed"]),
    ([], ["--passes", "2"]),
    ([], ["--dtype", "float64"]),
]


@pytest.mark.parametrize(("plain", "option"), OPTIONS, ids=str)
def test_every_option_changes_the_model(plain, option, files, capsys):
    train, _, model = files
    found = []
    for options in (plain, [*plain, *option]):
        assert run(capsys, "train", train, "-o", model, *SMALL, *options)[0] == 0
        found.append(Regressor.load(model).dual_coef_)
    assert found[0].shape != found[1].shape or not np.allclose(*found, rtol=1e-9)


def test_progress_without_a_terminal_is_plain_lines(files, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.progress.Lines.interval", 0.0)
    train, test, model = files
    assert main(["train", str(train), "-o", str(model), *SMALL[:-1], "--test", str(test)]) == 0
    shown = capsys.readouterr().err.splitlines()
    number = r"[\d.e+-]+"
    line = rf"training: 100%  600 rows  [\d,]+ rows/s  progressive RMSE {number}  MAE {number}"
    line += "  20 support vectors"
    assert any(re.fullmatch(line, text) for text in shown)
    line = rf"testing: 100%  200 rows  [\d,]+ rows/s  RMSE {number}  MAE {number}"
    assert any(re.fullmatch(line, text) for text in shown)


def streamed(model, text, *options):
    command = [sys.executable, "-m", "budgetrs", "train", "-", "-o", model, *SMALL, *options]
    return subprocess.run(
        list(map(str, command)), input=text, capture_output=True, text=True, timeout=120, check=False
    )


def test_standard_input_is_learned_as_the_file(files, capsys, tmp_path):
    train, _, model = files
    assert run(capsys, "train", train, "-o", model, *SMALL)[0] == 0
    done = streamed(tmp_path / "other", train.read_text(), "--scan-rows", 50)
    assert (done.returncode, done.stderr) == (0, "")
    assert "scan: feature count taken from the first 50 rows (--scan-rows)\n" in done.stdout
    assert (tmp_path / "other").read_bytes() == model.read_bytes()
    done = streamed(tmp_path / "other", train.read_text(), "--scan-rows", 50, "--scaling", "fixed")
    assert "scan: feature count, mean and standard deviation taken from the first 50 rows" in done.stdout


def test_features_that_come_later(tmp_path, capsys):
    X, y = waves(400)
    lines = [f"{t!r} 1:{a!r}\n" for (a, _), t in zip(X[:300].tolist(), y[:300].tolist(), strict=True)]
    text = "".join(lines) + libsvm_text(X[300:], y[300:].tolist())
    done = streamed(tmp_path / "other", text, "--scan-rows", 100)
    assert (done.returncode, done.stderr) == (0, "")
    X[:300, 1] = 0
    native = Regressor("bsgd-merge", budget=20, gamma=2.0).learn(X, y)
    np.testing.assert_allclose(
        Regressor.load(tmp_path / "other").predict(X), native.predict(X), rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize(("number", "code"), STOPS)
def test_stopping(number, code, files, tmp_path):
    train, _, model = files
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    options = [*SMALL[:-1], "--scan-rows", 100]
    got, out, said = stopped(number, pipe, "training", "train", pipe, "-o", model, *options)
    learned = Regressor.load(model).n_samples_seen_
    assert 0 < learned <= 400
    saved = f"budgetrs: interrupted; the model of the first {learned} rows is saved in {model}"
    assert (got, said) == (code, saved)
    assert f"rows read: {learned}\n" in out
    assert "progressive RMSE: " in out
    assert "test RMSE" not in out
    options = [train, "-o", model, *SMALL[:-1], "--test", pipe]
    got, out, said = stopped(number, pipe, "testing", "train", *options)
    assert (got, said) == (
        code,
        f"budgetrs: interrupted; the test is incomplete; the model is saved in {model}",
    )
    assert Regressor.load(model).n_samples_seen_ == 600
    output = tmp_path / "out"
    got, _, said = stopped(number, pipe, "predicting", "predict", model, pipe, "-o", output)
    assert (got, said) == (code, f"budgetrs: interrupted; {output} was not written")


def test_compare(files, capsys, tmp_path):
    train, _, _ = files
    options = [
        "--task",
        "regression",
        "--algorithm",
        "bpa-nn",
        "--set",
        "epsilon=0.05",
        "--set",
        "gamma=2",
        "-q",
    ]
    code, said = run(capsys, "compare", train, *options, "--budget", "5,40,none", "--csv", tmp_path / "c.csv")
    assert code == 0
    X, y = waves(600)
    expected = compare_budgets(X, y, [5, 40, None], "bpa-nn", task="regression", epsilon=0.05, gamma=2.0)
    best = expected.error[expected.budgets.index(expected.best_budget), -1]
    assert said["best budget"] == f"{expected.best_budget or 'none'} ({best:.4g})"
    assert "sqrt((mean(e^2) - mean(e)^2) / n) = " in said["smallest budget within one standard error"]
    column = [line.split(",")[2] for line in (tmp_path / "c.csv").read_text().splitlines()]
    assert column[0] == "mean_absolute_error"
    assert list(map(float, column[1:])) == expected.error.ravel().tolist()


def test_a_signal_while_saving_waits(files, capsys, monkeypatch):
    train, _, model = files

    class Impatient:
        def __init__(self, model):
            self._model = model

        def __getattr__(self, name):
            return getattr(self._model, name)

        def save(self, path):
            signal.raise_signal(signal.SIGINT)
            self._model.save(path)

    begin = sys.modules["budgetrs.cli.train"]._new_model
    monkeypatch.setattr("budgetrs.cli.train._new_model", lambda *given: Impatient(begin(*given)))
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["train", str(train), "-o", str(model), *SMALL]) == 130
    finally:
        signal.signal(signal.SIGINT, old)
    assert "the model of the first 600 rows is saved" in capsys.readouterr().err
    assert Regressor.load(model).n_samples_seen_ == 600


def test_the_tasks_are_those_of_the_reader():
    for name, task in TASKS.items():
        Reader("csv", task=name)
        assert task.name == name


def test_the_examples_of_the_site(tmp_path):
    page = (ROOT / "docs" / "cli.md").read_text()
    block = "".join(re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    program = f'set -e\nbudgetrs() {{ "{sys.executable}" -m budgetrs "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", program + block],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    header = lines.index("prediction,lower,upper")
    found = [float(line.split(",")[0]) for line in lines[header + 1 : header + 3]]
    np.testing.assert_allclose(found, np.sin([1.5, 4.7]), atol=0.05)
