"""What `train`, `predict` and `evaluate` do: the native model of the same rows."""

import itertools
import lzma
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import budgetrs
from budgetrs import Classifier, Regressor
from budgetrs.cli import main
from conftest import (
    ONE_OF_EACH_SUM,
    blobs,
    board,
    csv,
    csv_text,
    libsvm_text,
    run,
    unnamed,
    write_rows,
)

SMALL = ["--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2", "-q"]


def lines_of(found):
    """Return the exit code of a command, and its `key: value` lines."""
    code, out, _ = found
    return code, dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)


@pytest.fixture
def files(tmp_path):
    """A training file, a test file, and where the model goes."""
    for name, seed, rows in (("train", 0, 600), ("test", 1, 200)):
        (tmp_path / f"{name}.csv").write_text(csv_text(*board(rows, seed)))
    return tmp_path / "train.csv", tmp_path / "test.csv", tmp_path / "model"


def test_train_evaluate_predict_info(files, capsys, tmp_path):
    train, test, model = files
    code, shown = lines_of(run(capsys, "train", train, "--test", test, "-o", model, *SMALL))
    baselines = [f"baseline accuracy, {name}" for name in ("most frequent class", "previous label")]
    recent = "progressive accuracy, last 1,000 rows"
    assert code == 0
    names = ["rows read", "support vectors", "progressive accuracy", recent, *baselines, "test accuracy"]
    assert list(shown) == [*names, "rows/s", "seconds", "peak memory", "model"]
    (X, y), (X_test, y_test) = board(600), board(200, 1)
    native = Classifier("bsgd-merge", budget=20, gamma=2.0).learn(X, y)
    assert model.read_bytes() == native.to_bytes()
    assert (shown["rows read"], shown["support vectors"]) == ("600", "20")
    assert shown["test accuracy"] == f"{100 * np.mean(native.predict(X_test) == y_test):.2f}%"
    assert shown["progressive accuracy"] == f"{100 - native.n_mistakes_ / 6:.2f}%"
    assert shown[recent] == f"{100 * (1 - native.recent_error_):.2f}%"
    errors = native.majority_error_, native.no_change_error_
    assert [shown[name] for name in baselines] == [f"{100 * (1 - error):.2f}%" for error in errors]

    code, evaluated = lines_of(run(capsys, "evaluate", model, test, "-q"))
    assert (code, evaluated["rows read"], evaluated["test accuracy"]) == (0, "200", shown["test accuracy"])
    printed = run(capsys, "predict", model, test)[1].split()
    assert printed == list(map(str, native.predict(X_test)))
    code, predicted = lines_of(run(capsys, "predict", model, test, "-o", tmp_path / "out", "-q"))
    assert (code, predicted["rows read"]) == (0, "200")
    assert (tmp_path / "out").read_text().split() == printed
    scores = np.array(run(capsys, "predict", model, test, "--scores")[1].split(), dtype=np.float32)
    np.testing.assert_allclose(scores, native.decision_function(X_test), rtol=1e-5, atol=1e-5)
    code, told = lines_of(run(capsys, "info", model))
    assert (code, told["algorithm"], told["budget"], told["gamma in use"]) == (0, "bsgd-merge", "20", "2")
    assert (told["features"], told["rows learned"], told["dtype"]) == ("2", "600", "float32")
    assert told["classes"] == ", ".join(map(str, native.classes_))


@pytest.mark.parametrize("algorithm", ["online-kernel", "bpa-nn", "bsgd-merge"])
def test_regression(algorithm, tmp_path, capsys):
    X = blobs(500)[0]
    y = np.round(X[:, 0].astype(float) * 3 + 1, 3)
    (tmp_path / "data.csv").write_text(csv_text(X, y))
    options = ["--task", "regression", "--algorithm", algorithm, "--budget", "20", "-q", "-o", tmp_path / "m"]
    code, shown = lines_of(run(capsys, "train", tmp_path / "data.csv", *options))
    native = Regressor(algorithm, budget=20).learn(X, y)
    assert code == 0
    assert (tmp_path / "m").read_bytes() == native.to_bytes()
    assert shown["progressive MAE"] == f"{native.mean_absolute_error_:.6g}"
    assert shown["progressive RMSE"] == f"{native.mean_squared_error_**0.5:.6g}"
    assert shown["baseline RMSE, mean target"] == f"{native.constant_error_**0.5:.6g}"
    code, measured = lines_of(run(capsys, "evaluate", tmp_path / "m", tmp_path / "data.csv", "-q"))
    residuals = y - native.predict(X)
    assert float(measured["test RMSE"]) == pytest.approx(np.sqrt(np.mean(residuals**2)), rel=1e-4)
    assert float(measured["test MAE"]) == pytest.approx(np.mean(np.abs(residuals)), rel=1e-4)
    assert float(measured["test R^2"]) == pytest.approx(1 - np.mean(residuals**2) / y.var(), rel=1e-4)
    changes = np.sqrt(np.sum(np.diff(y) ** 2) / 500)
    assert float(measured["baseline RMSE, previous target"]) == pytest.approx(changes, rel=1e-4)
    assert float(measured["baseline RMSE, mean target"]) == pytest.approx(y.std(), rel=1e-4)
    (tmp_path / "equal.csv").write_text(csv_text(X, np.ones(500)))
    measured = lines_of(run(capsys, "evaluate", tmp_path / "m", tmp_path / "equal.csv", "-q"))[1]
    assert measured["test R^2"] == "none (all targets are equal)"


SMALLEST = ["--set", "maintenance=smallest"]

# The options of a model, the option that changes it, and its parameter.
OPTIONS = [
    ([], ["--budget", "7"], {"budget": 7}),
    ([], ["--budget", "none", "--set", "maintenance=none"], {"budget": None}),
    ([], SMALLEST, {"maintenance": "smallest"}),
    ([], ["--set", "alpha=0.01"], {"alpha": 0.01}),
    ([], ["--set", "gamma=scale"], {"gamma": "scale"}),
    (SMALLEST, ["--set", "kernel=laplacian"], {"kernel": "laplacian"}),
    ([*SMALLEST, "--set", "kernel=poly"], ["--set", "degree=2"], {"degree": 2}),
    (["--set", "alpha=0.5"], ["--set", "project_to_ball=true"], {"project_to_ball": True}),
    (["--algorithm", "online-kernel", "--set", "C0=0.5"], ["--set", "C-decay=false"], {"C_decay": False}),
    ([], ["--set", "average=0.3"], {"average": 0.3, "stream_length": 600}),
    ([], ["--set", "average=0.3", "--passes", "2"], {"average": 0.3, "stream_length": 1200}),
    ([], ["--set", "average=0.3", "--set", "stream_length=5000"], {"stream_length": 5000}),
    ([], ["--set", "rate=auto", "--set", "max_size=25"], {"rate": "auto", "stream_length": 600}),
    (["--set", "maintenance=random"], ["--seed", "3"], {"seed": 3}),
    ([], ["--scaling", "online"], {"scaling": "online"}),
    ([], ["--set", 'class_weight={"0": 10}'], {"class_weight": {0: 10.0}}),
    (
        [],
        ["--missing-values", "-9", "--scaling", "online", "--set", "missing=mean"],
        {"missing_values": -9.0},
    ),
]


@pytest.mark.parametrize(("plain", "option", "expected"), OPTIONS, ids=str)
def test_every_option_changes_the_model(plain, option, expected, files, capsys):
    train, _, model = files
    without_gamma = [word for word in SMALL if word != "gamma=2"]
    without_gamma.pop(without_gamma.index("--set"))
    small = without_gamma if "online-kernel" in plain else SMALL
    assert run(capsys, "train", train, "-o", model, *small, *plain)[0] == 0
    before = Classifier.load(model).to_bytes()
    assert run(capsys, "train", train, "-o", model, *small, *plain, *option)[0] == 0
    after = Classifier.load(model)
    assert after.to_bytes() != before
    for name, value in expected.items():
        assert np.array_equal(after.params[name], value) or after.params[name] == value


@pytest.mark.parametrize("form", ["csv", "libsvm", "npy"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_rows_of_later_passes_count_for_no_error(task, form, tmp_path, capsys):
    X, y = blobs(300)
    X += np.random.default_rng(1).normal(0, 3, X.shape).astype(np.float32)
    path, model = write_rows(tmp_path / f"data.{form}", X, y), tmp_path / "model"
    options = ["--task", task, "--budget", "20", "-o", model, "-q"]
    found = []
    for passes in (1, 3):
        code, shown = lines_of(run(capsys, "train", path, *options, "--passes", passes))
        found.append({key: shown[key] for key in shown if key.startswith(("progressive", "baseline"))})
        assert (code, shown["rows read"]) == (0, str(300 * passes))
        assert found[-1].items() <= lines_of(run(capsys, "info", model))[1].items()
    assert found[0] == found[1] != {}
    native = (Regressor if task == "regression" else Classifier)(budget=20)
    for number in range(3):
        native.learn(X, y, repeated=number > 0)
    if form != "libsvm":  # the kernel values of sparse rows are rounded in another order
        assert model.read_bytes() == native.to_bytes()


@pytest.mark.parametrize(
    ("kernel", "more"),
    [
        *itertools.product(
            ONE_OF_EACH_SUM, [["--set", f"gamma={gamma}"] for gamma in ("2", "auto", "scale")]
        ),
        ("linear", []),
    ],
)
def test_features_that_are_new_to_a_model_count_as_zero(kernel, more, tmp_path, capsys):
    narrow, model, wide = tmp_path / "narrow.libsvm", tmp_path / "model", tmp_path / "wide.libsvm"
    narrow.write_text(libsvm_text(*board(500)))
    options = ["--budget", "20", "-q", "--algorithm", "bsgd-smallest", "--set", f"kernel={kernel}", *more]
    assert run(capsys, "train", narrow, "-o", model, *options)[0] == 0
    before = model.read_bytes()
    dense = np.zeros((52, 10), np.float32)
    dense[np.arange(52), np.random.default_rng(3).integers(2, 9, 52)] = 0.5
    dense[1:, [0, 9]] = 0.25
    wide.write_text(libsvm_text(dense, np.ones(52, int)))
    knowing = Classifier.load(model)
    knowing.add_features(10, keep_gamma=True)
    scores = np.array(run(capsys, "predict", model, wide, "--scores")[1].split(), dtype=np.float32)
    np.testing.assert_allclose(scores, knowing.decision_function(dense), rtol=1e-4, atol=1e-6)
    accuracy = f"test accuracy: {100 * np.mean(knowing.predict(dense) == 1):.2f}%"
    for command in (["evaluate", model, wide], ["train", narrow, "--test", wide, "-o", model, *options]):
        out = run(capsys, *command, "-q")[1]
        assert accuracy in out
        assert "unseen features: 8" in out
    assert model.read_bytes() == before


def test_columns_are_matched_by_name(tmp_path, capsys):
    X, y = board(300)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(
        town=np.array(["Oslo", "Rome", "Bern"])[np.arange(300) % 3]
    )
    path, model = csv(tmp_path / "data.csv", frame.assign(label=y)), tmp_path / "m"
    assert run(capsys, "train", path, "-o", model, "--budget", "20", "-q")[0] == 0
    native = Classifier(budget=20).learn(frame.astype({"a": "f4", "b": "f4"}), y)
    assert Classifier.load(model).target_name == "label"
    expected = list(map(str, native.predict(frame)))
    for given in (
        frame.assign(label=y),
        frame[["town", "b", "a"]],
        frame[["b", "town", "a"]].assign(label=y)[["label", "a", "town", "b"]],
    ):
        csv(path, given)
        assert run(capsys, "predict", model, path) == (0, "\n".join(expected) + "\n", "")
    csv(path, frame.assign(town="Paris"))
    code, out, err = run(capsys, "predict", model, path)
    assert (code, len(out.split())) == (0, 300)
    assert err.startswith(
        "budgetrs: warning: column town has mostly categories that the model has not learned"
    )
    assert err.count("\n") == 1


def test_new_categories_become_features(tmp_path, capsys):
    rows = [f"t{i // 3000},{i % 5},{i % 2}" for i in range(60_000)]
    path, model = tmp_path / "data.csv", tmp_path / "m"
    path.write_text("\n".join(["t,a,y", *rows]))
    options = ["--algorithm", "bsgd-random", "--set", "gamma=1", "--budget", "20", "-q"]
    assert run(capsys, "train", path, "-o", model, *options)[0] == 0
    names = sorted([*(f"t=t{i}" for i in range(20)), "a"])
    assert sorted(Classifier.load(model).get_feature_names_out()) == names


@pytest.fixture
def parts(tmp_path):
    """A file of 700 rows, and its two parts, of which gamma="scale" needs the rows of both."""
    X, y = board(700)
    paths = tmp_path / "whole.csv", tmp_path / "first.csv", tmp_path / "second.csv"
    for path, rows in zip(paths, (slice(None), slice(300), slice(300, None)), strict=True):
        path.write_text(csv_text(X[rows], y[rows]))
    return paths


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--algorithm", "bsgd-merge"],
        ["--algorithm", "bsgd-random", "--seed", "3", "--set", "average=polynomial"],
        ["--algorithm", "bpa-nn", "--task", "regression"],
        ["--task", "regression"],
        ["--dtype", "float64"],
        ["--set", "class_weight=balanced"],
    ],
    ids=" ".join,
)
def test_two_runs_are_one(options, parts, tmp_path, capsys):
    whole, first, second = parts
    one, half = tmp_path / "one", tmp_path / "half"
    assert run(capsys, "train", whole, "-o", one, "--budget", "20", "-q", *options)[0] == 0
    assert run(capsys, "train", first, "-o", half, "--budget", "20", "-q", *options)[0] == 0
    before = half.read_bytes()
    for output in (tmp_path / "other", half):
        code, shown = lines_of(run(capsys, "train", second, "--resume", half, "-o", output, "-q"))
        assert (code, shown["rows read"], shown["rows learned before"]) == (0, "400", "300")
        assert output.read_bytes() == one.read_bytes()
        assert output == half or half.read_bytes() == before


def test_resuming_keeps_the_metadata_and_says_so(parts, tmp_path, capsys):
    _, first, second = parts
    model, other = tmp_path / "model", tmp_path / "other"
    assert run(capsys, "train", first, "-o", model, "--budget", "20", "-q")[0] == 0
    assert run(capsys, "train", second, "--resume", model, "-o", other, "-q")[::2] == (0, "")
    assert Classifier.load(other).metadata == {}
    loaded = Classifier.load(model)
    loaded.save(model, metadata={"offsets": [300], "schema": 2})
    code, _, said = run(capsys, "train", second, "--resume", model, "-o", other, "-q")
    assert (code, said.count("\n")) == (0, 1)
    assert said.startswith(
        f'budgetrs: warning: {other} keeps the metadata of {model} ("offsets", "schema"), '
    )
    assert Classifier.load(other).metadata == {"offsets": [300], "schema": 2}


def test_resuming_takes_passes_a_test_and_new_classes_and_features(parts, tmp_path, capsys):
    whole, first, second = parts
    model, twice = tmp_path / "model", tmp_path / "twice"
    assert run(capsys, "train", first, "-o", model, "--budget", "20", "-q")[0] == 0
    options = ["--resume", model, "-o", twice, "-q", "--passes", "2", "--test", whole]
    code, shown = lines_of(run(capsys, "train", second, *options))
    native, (X, y) = Classifier.load(model), board(700)
    for number in range(2):
        native.learn(X[300:], y[300:], repeated=number > 0)
    assert (code, shown["rows read"]) == (0, "800")
    assert twice.read_bytes() == native.to_bytes()
    assert shown["test accuracy"] == f"{100 * np.mean(native.predict(X) == y):.2f}%"

    sparse, more = tmp_path / "a.libsvm", tmp_path / "b.libsvm"
    sparse.write_text(libsvm_text(X, y))
    more.write_text("".join(f"{label} 1:0.5 5:1\n" for label in (0, 3) * 50))
    assert run(capsys, "train", sparse, "-o", model, "--budget", "20", "-q")[0] == 0
    code, shown = lines_of(run(capsys, "train", more, "--resume", model, "-o", model, "-q"))
    assert (code, shown["new classes"], shown["new features"]) == (0, "3", "3 of 5")


def rows_by_label(task, *, categories=False):
    """Rows that are sorted by label."""
    X, y = blobs(2500, 3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    X[np.abs(X) < 0.5] = 0
    frame = pd.DataFrame(X, columns=list("abcd"))
    if categories:
        frame["e"] = np.array(["red", "green", "blue", "dark red"])[np.arange(2500) * 4 // 2500]
    return frame, y if task == "classification" else (10.0 * y + X[:, 0])


@pytest.mark.parametrize("form", ["csv", "names", "categories", "libsvm", "npy", "parquet"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_shuffle_is_the_native_fit(task, form, tmp_path, capsys):
    frame, y = rows_by_label(task, categories=form == "categories")
    X = frame.to_numpy(np.float32) if form in ("csv", "libsvm", "npy") else frame
    path = write_rows(tmp_path / f"data.{'csv' if form in ('names', 'categories') else form}", X, y)
    for passes, given in (("auto", []), (2, ["--passes", "2"])):
        options = ["--task", task, "--budget", "20", *given, "--seed", "3", "--shuffle", "-q"]
        assert run(capsys, "train", path, "-o", tmp_path / "m", *options)[::2] == (0, "")
        native = (Classifier if task == "classification" else Regressor)(budget=20, seed=3)
        native.fit(X, y, passes=passes)
        found = type(native).load(tmp_path / "m")
        assert found.n_samples_seen_ == (3 if passes == "auto" else 2) * 2500
        if form != "libsvm":
            assert unnamed(tmp_path / "m") == native.to_bytes()
        np.testing.assert_allclose(found.support_vectors_, native.support_vectors_, rtol=1e-4, atol=1e-5)


def test_sorted_rows_need_shuffling(tmp_path, capsys):
    X, y = board(2000)
    order = np.argsort(y, kind="stable")
    path = tmp_path / "data.csv"
    path.write_text(csv_text(X[order], y[order]))
    accuracy = {}
    for options in ([], ["--shuffle"]):
        _, _, err = run(capsys, "train", path, "-o", tmp_path / "m", "-q", "--budget", "20", *options)
        assert err.startswith("budgetrs: warning: the label changes once in 2000 rows") == (not options)
        accuracy[len(options)] = np.mean(Classifier.load(tmp_path / "m").predict(X) == y)
    assert accuracy[0] < 0.7 < 0.9 < accuracy[1]
    code, out, _ = run(capsys, "compare", path, "--budget", "5,20", "--shuffle", "-q")
    assert (code, "best budget: 20" in out) == (0, True)
    for form, text in (
        ("libsvm", libsvm_text(X[order], y[order])),
        ("named.csv", "t,b,y\n" + csv_text(X[order], y[order])),
    ):
        (tmp_path / f"data.{form}").write_text(text)
        assert (
            run(capsys, "compare", tmp_path / f"data.{form}", "--budget", "5,20", "--shuffle", "-q")[0] == 0
        )


WARNINGS = [
    (
        "0 0:1\n1 3:2\n" * 20,
        "--format libsvm",
        "the indices of data start at 0, which the model does not store: give --zero-based yes with each "
        "later file",
    ),
    ("first,b,y\n" + "".join(f"{i},{i % 7},{i % 2}\n" for i in range(60)), "", None),
    (
        ",b,y\n" + "".join(f"{i},{i % 7},{i % 2}\n" for i in range(60)),
        "",
        "the first column, which has no name, counts the rows (0, 1, ...)",
    ),
    (
        "t,y\n" + "".join(f"w{i},{i % 2}\n" for i in range(60)),
        "",
        "column t is categorical with 60 categories after 60 rows, such as 'w0'",
    ),
    (
        "".join(f"{i % 7},{i % 31 / 10}\n" for i in range(400)),
        "",
        "the labels are 31 distinct numbers in 400 rows, such as 0.1, each taken as a class",
    ),
    ("".join(f"{i % 7},{i % 31 / 10}\n" for i in range(400)), "--task classification", None),
    (
        "".join(f"{i % 7},{i % 23}\n" for i in range(400)),
        "",
        "the labels are 23 different integers, each a class; if they are numbers: --task regression",
    ),
    ("".join(f"{i % 7},{i % 23}\n" for i in range(400)), "--task classification", None),
    ("".join(f"{i % 7},{i % 20}\n" for i in range(400)), "", None),
    (
        "".join(f"{i},{i}.5\n" for i in range(40)),
        "--task classification",
        "the labels are 40 different texts",
    ),
    (
        "".join(f"{i},{i}.5\n" for i in range(40)),
        "--task classification --shuffle",
        "the labels are 40 different texts",
    ),
    (
        "".join(f"{i * 37 % 1000},{i * 53 % 1000},{i % 2}\n" for i in range(900)),
        "--algorithm bsgd-merge --set gamma=1",
        "of 100% of the rows all kernel values with other support vectors are below 0.001: --set gamma=1 "
        "is too large; try --set gamma=scale or --scaling online",
    ),
    (
        "0 1:1\n1 200000:1\n" * 60,
        "--format libsvm",
        "data has feature numbers up to 200,000, and --scaling online makes every row dense",
    ),
    ("0 1:1\n1 200000:1\n" * 60, "--format libsvm --algorithm bsgd-random", None),
    (
        "".join(f"{i % 7 if i % 3 else -9999},{i % 2}\n" for i in range(900)),
        "",
        "values that repeat far outside the range of their feature are clipped: -9999 in feature 1",
    ),
]


@pytest.mark.parametrize(("text", "options", "warning"), WARNINGS)
def test_warnings(text, options, warning, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_text(text)
    form = [] if "--format" in options else ["--format", "csv"]
    code, _, err = run(capsys, "train", "data", "-o", "m", "--budget", "30", "-q", *form, *options.split())
    assert (code, err.count("\n")) == (0, int(warning is not None)), err
    assert err.startswith(f"budgetrs: warning: {warning}" if warning else ""), err


def command(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "budgetrs", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_closed_pipe_is_silent(files, capsys):
    train, test, model = files
    test.write_text(csv_text(*board(20_000)))
    assert run(capsys, "train", train, "-o", model, *SMALL)[0] == 0
    with command("predict", model, test) as process:
        assert process.stdout.readline().strip() in ("0", "1")
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(120) == 0


def test_a_slow_pipe_is_predicted_at_once(files, capsys):
    train, _, model = files
    assert run(capsys, "train", train, "-o", model, *SMALL)[0] == 0
    with command("predict", model, "-", "--format", "csv") as process:
        for row in ("0.5,0.5\n", "-1,1\n"):
            process.stdin.write(row)
            process.stdin.flush()
            assert process.stdout.readline().strip() in ("0", "1")
        process.stdin.close()
        assert process.wait(120) == 0


def test_progress_without_a_terminal_is_plain_lines(files, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.progress.Lines.interval", 0.0)
    train, _, model = files
    shown = run(capsys, "train", train, "-o", model, *SMALL[:-1])[2]
    line = r"training: 100%  600 rows  progressive accuracy \d\d\.\d\d%  [\d,]+ rows/s  20 support vectors"
    assert any(re.fullmatch(line, text) for text in shown.splitlines())
    assert "\r" not in shown


def test_help(capsys):
    code, alone, err = run(capsys)
    assert (code, err, alone.startswith("usage: budgetrs ")) == (0, "", True)
    for arguments in (["help"], ["--help"], ["-h"]):
        assert run(capsys, *arguments) == (0, alone, "")
    for name in ("train", "compare", "predict", "evaluate", "info", "plot", "demo"):
        assert f"\n    {name} " in alone
        assert run(capsys, "help", name) == run(capsys, name, "--help")
    assert run(capsys, "--version") == (0, f"budgetrs {budgetrs.__version__}\n", "")
    for name in ("train", "compare"):
        text = run(capsys, name, "--help-all")[1]
        assert all(f"  {option} " in text for option in ("--dtype", "--max-features", "--max-memory"))
        assert ("\n  average " in text.partition("parameters for")[2]) == (name == "train")


@pytest.mark.parametrize(("name", "most"), [("train", 23), ("compare", 21), ("predict", 16)])
def test_the_help_is_short(name, most, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run(capsys, name, "--help")[1]
    options = re.findall(r"^  (?:-\w[^,]*, )?(?:-\w, )?(--[\w-]+)", text, re.MULTILINE)
    assert len(set(options)) <= most
    assert all(len(line) <= 80 or "|" in line for line in text.splitlines())


def test_a_list_may_begin_with_a_negative_number(files, capsys):
    train, _, model = files
    X, y = board(300)
    train.write_text(csv_text(X, 2 * y - 1))
    code = run(
        capsys, "train", train, "-o", model, "-q", "--classes", "-1,1", "--target", "-1", "--max_features=5"
    )[0]
    assert (code, Classifier.load(model).classes_.tolist()) == (0, [-1, 1])


def test_demo(tmp_path, capsys):
    code, shown = lines_of(run(capsys, "demo", "--rows", 20_000, "-o", tmp_path / "demo", "-q"))
    assert code == 0
    assert float(shown["test accuracy"].rstrip("%")) > 90
    assert (tmp_path / "demo" / "demo.png").read_bytes().startswith(b"\x89PNG")
    model = Classifier.load(tmp_path / "demo" / "checkerboard.safetensors")
    assert (model.algorithm, model.n_support_vectors_, model.n_samples_seen_) == (
        "online-kernel",
        100,
        20_000,
    )


def test_demo_csv(tmp_path, capsys):
    path = tmp_path / "wave.csv"
    code, out, err = run(capsys, "demo", "--csv", path)
    assert (code, out, err) == (0, f"example: {path} (53.8 KiB)\n", "")
    x, y = np.loadtxt(path, delimiter=",").T
    assert (len(x), len(set(x)), x[:2].tolist(), x.max()) == (4000, 200, [0.35, 0.7], 9.95)
    np.testing.assert_allclose(y, np.sin(x), atol=1e-6)
    code, shown = lines_of(run(capsys, "train", path, "--task", "regression", "-o", tmp_path / "m", "-q"))
    assert (code, shown["rows read"]) == (0, "4,000")
    assert run(capsys, "demo", "--csv", tmp_path)[0] == 1


def test_adult(real_data, tmp_path, capsys):
    train, test = real_data("a9a.train.libsvm.xz"), real_data("a9a.test.libsvm.xz")
    model = tmp_path / "model"
    options = ["--algorithm", "bsgd-merge", "--budget", 500, "--set", "gamma=0.01", "-q"]
    code, shown = lines_of(run(capsys, "train", train, *options, "--test", test, "-o", model))
    assert (code, shown["rows read"], shown["support vectors"]) == (0, "32,561", "500")
    assert float(shown["test accuracy"].rstrip("%")) >= 84.0
    assert main(["predict", str(model), str(test), "-o", str(tmp_path / "out"), "-q"]) == 0
    with lzma.open(test, "rt") as file:
        truth = [int(line.split(" ", 1)[0]) for line in file]
    found = [int(label) for label in (tmp_path / "out").read_text().split()]
    assert f"{100 * np.mean(np.equal(found, truth)):.2f}%" == shown["test accuracy"]


def test_text_needs_neither_pandas_nor_pyarrow(tmp_path):
    rows = "".join(f"{('red', 'blue')[i % 2]},{i % 7},{i % 3}\n" for i in range(300))
    (tmp_path / "data.csv").write_text(f"t,a,y\n{rows}")
    code = (
        "import sys\n"
        "from budgetrs.cli import main\n"
        "code = main(sys.argv[1:])\n"
        "sys.exit(code or bool({'pandas', 'pyarrow', 'scipy'} & set(sys.modules)))"
    )
    call = [sys.executable, "-c", code, "train", tmp_path / "data.csv", "-o", tmp_path / "m", "-q"]
    assert subprocess.run(call, capture_output=True, timeout=120, check=False).returncode == 0


def test_the_test_file_has_the_first_index_of_the_data(tmp_path, capsys):
    data, test, model = tmp_path / "a.libsvm", tmp_path / "b.libsvm", tmp_path / "m"
    data.write_text("".join(f"{i % 2} {i % 2}:1\n" for i in range(200)))
    test.write_text("1 1:1\n" * 50)
    options = ["--algorithm", "bsgd-merge", "--set", "gamma=1", "-o", model, "-q", "--test", test]
    assert "test accuracy: 100.00%\n" in run(capsys, "train", data, *options)[1]
    assert "test accuracy: 0.00%\n" in run(capsys, "evaluate", model, test)[1]
