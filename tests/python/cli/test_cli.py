"""The command line: what the commands do. Data formats: test_cli_data.py; errors: test_cli_errors.py."""

import itertools
import re
import subprocess
import sys

import numpy as np
import pytest

import budgetrs
from budgetrs import Classifier, Regressor
from budgetrs._core import REQUIRED
from budgetrs.cli import main
from conftest import CODE_PATHS, ONE_OF_EACH_SUM, blobs, board, bounded, csv_text, libsvm_text

SMALL = ["--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2", "-q"]


def run(capsys, *arguments):
    """Run a command in this process: its exit code and its `key: value` lines."""
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)


@pytest.fixture
def files(tmp_path):
    """A training and a test file, and where the model goes."""
    for name, seed, rows in (("train", 0, 600), ("test", 1, 200)):
        (tmp_path / f"{name}.libsvm").write_text(libsvm_text(*board(rows, seed)))
    return tmp_path / "train.libsvm", tmp_path / "test.libsvm", tmp_path / "model"


def test_train_evaluate_predict_info(files, capsys, tmp_path):
    train, test, model = files
    code, said = run(capsys, "train", train, "--test", test, "-o", model, *SMALL)
    assert code == 0
    baselines = [f"baseline accuracy, {name}" for name in ("most frequent class", "previous label")]
    recent = "progressive accuracy, last 1,000 rows"
    assert list(said)[:4] == ["rows read", "support vectors", "progressive accuracy", recent]
    assert list(said)[4:7] == [*baselines, "test accuracy"]
    assert said["rows read"] == "600"
    assert said["support vectors"] == "20"
    for line in ("progressive accuracy", "test accuracy"):
        assert re.fullmatch(r"\d\d\.\d\d%", said[line])
    assert {"rows/s", "seconds", "peak memory"} <= set(said)
    assert said["model"].startswith(str(model))

    X, y = board(600)
    native = Classifier("bsgd-merge", budget=20, gamma=2.0).learn(X, y)
    X_test, y_test = board(200, 1)
    assert said["test accuracy"] == f"{100 * np.mean(native.predict(X_test) == y_test):.2f}%"
    right = 600 - native.n_mistakes_
    assert said["progressive accuracy"] == f"{100 * right / 600:.2f}%"
    assert said[recent] == f"{100 * (1 - native.recent_error_):.2f}%"
    errors = native.majority_error_, native.no_change_error_
    assert [said[name] for name in baselines] == [f"{100 * (1 - error):.2f}%" for error in errors]

    code, evaluated = run(capsys, "evaluate", model, test, "-q")
    assert (code, evaluated["rows read"]) == (0, "200")
    assert evaluated["test accuracy"] == said["test accuracy"]

    assert main(["predict", str(model), str(test)]) == 0
    printed = capsys.readouterr().out.split()
    assert printed == [str(label) for label in native.predict(X_test)]
    code, predicted = run(capsys, "predict", model, test, "-o", tmp_path / "out", "-q")
    assert (code, predicted["rows read"]) == (0, "200")
    assert (tmp_path / "out").read_text().split() == printed

    assert main(["predict", str(model), str(test), "--scores"]) == 0
    scores = np.array(capsys.readouterr().out.split(), dtype=np.float32)
    np.testing.assert_allclose(scores, native.decision_function(X_test), rtol=1e-5, atol=1e-5)

    code, told = run(capsys, "info", model)
    assert code == 0
    assert told["algorithm"] == "bsgd-merge"
    assert told["classes"] == "0, 1"
    assert (told["features"], told["support vectors"], told["rows learned"]) == ("2", "20", "600")
    assert (told["budget"], told["gamma in use"], told["dtype"]) == ("20", "2", "float32")


def rate_for(name):
    """Give the options without which there is no algorithm of that name."""
    return [word for key in REQUIRED.get(name, ()) for word in ("--set", f"{key}=auto")]


@pytest.mark.parametrize("name", CODE_PATHS)
def test_every_algorithm(name, files, capsys):
    train, test, model = files
    options = [*rate_for(name), "--set", "gamma=2", *(["--budget", "20"] if bounded(name) else [])]
    code, said = run(capsys, "train", train, "--algorithm", name, *options, "--test", test, "-o", model, "-q")
    assert code == 0
    assert float(said["test accuracy"].rstrip("%")) > 70
    assert Classifier.load(model).algorithm == name


SMALLEST = ["--set", "maintenance=smallest"]
POLY = [*SMALLEST, "--set", "kernel=poly"]

# The options of a model, and the option that changes it.
OPTIONS = [
    ([], ["--budget", "7"]),
    ([], SMALLEST),
    ([], ["--set", "alpha=0.01"]),
    ([], ["--set", "gamma=0.5"]),
    (SMALLEST, ["--set", "kernel=laplacian"]),
    (POLY, ["--set", "degree=2"]),
    (POLY, ["--set", "coef0=1"]),
    (["--set", "alpha=0.5"], ["--set", "project_to_ball=true"]),
    (["--algorithm", "bpa-s"], ["--set", "C=0.1"]),
    (["--algorithm", "online-kernel", "--set", "C0=0.5"], ["--set", "C_decay=false"]),
    (["--algorithm", "bpa-s"], ["--set", "loss=squared_hinge"]),
    (["--algorithm", "bpa-nn"], ["--set", "n_neighbors=3"]),
    (SMALLEST, ["--set", "rate=50"]),
    ([*SMALLEST, "--set", "rate=50"], ["--set", "max_size=25"]),
    ([], ["--set", "average=0.3"]),
    (["--set", "average=0.3"], ["--set", "stream_length=5000"]),
    (["--algorithm", "bpa-s"], ["--set", "may_discard_new=true"]),
    (["--set", "maintenance=random"], ["--seed", "3"]),
    ([], ["--scaling", "fixed"]),
    ([], ["--scaling", "online"]),
    ([], ["--passes", "2"]),
    ([], ["--dtype", "float64"]),
    ([], ["--classes", "0,1,2"]),
    ([], ["--algorithm", "bsgd-smallest"]),
]


@pytest.mark.parametrize(("plain", "option"), OPTIONS, ids=str)
def test_every_option_changes_the_model(plain, option, files, capsys):
    train, _, model = files
    assert run(capsys, "train", train, "-o", model, *SMALL, *plain)[0] == 0
    before = Classifier.load(model).dual_coef_
    assert run(capsys, "train", train, "-o", model, *SMALL, *plain, *option)[0] == 0
    after = Classifier.load(model).dual_coef_
    assert before.shape != after.shape or not np.allclose(before, after, rtol=1e-9)


def test_budget_none_and_gamma_words(files, capsys):
    train, _, model = files
    options = ["--budget", "none", "--set", "maintenance=none", "--set"]
    for gamma in ("scale", "auto"):
        assert run(capsys, "train", train, "-o", model, *options, f"gamma={gamma}", "-q")[0] == 0
        assert Classifier.load(model).params["gamma"] == gamma
        assert Classifier.load(model).params["budget"] is None


def test_fixed_scaling_is_in_the_model(tmp_path, capsys):
    X, y = blobs(500, dtype=np.float32)
    raw = X * np.float32([1, 100, 0.01, 7])
    (tmp_path / "raw.csv").write_text(
        "".join(f"{','.join(map(repr, r.tolist()))},{c}\n" for r, c in zip(raw, y, strict=True))
    )
    model = tmp_path / "model"
    options = [
        "--algorithm",
        "bsgd-merge",
        "--budget",
        "30",
        "--set",
        "gamma=0.25",
        "-q",
        "--scaling",
        "fixed",
    ]
    assert run(capsys, "train", tmp_path / "raw.csv", "-o", model, *options)[0] == 0
    native = Classifier("bsgd-merge", budget=30, gamma=0.25, classes=[0, 1, 2])
    native.set_scaling(raw.mean(axis=0, dtype=np.float64), raw.std(axis=0, dtype=np.float64))
    native.learn(raw, y)
    loaded = Classifier.load(model)
    np.testing.assert_allclose(
        loaded.decision_function(raw), native.decision_function(raw), rtol=1e-3, atol=1e-3
    )
    assert np.mean(loaded.predict(raw) == y) > 0.9


@pytest.mark.parametrize(
    ("kernel", "more"),
    [
        *itertools.product(
            ONE_OF_EACH_SUM,
            [
                ["--set", "gamma=2"],
                ["--set", "gamma=2", "--scaling", "fixed"],
                ["--set", "gamma=auto"],
                ["--set", "gamma=scale"],
            ],
        ),
        # It has no gamma.
        ("linear", []),
        ("linear", ["--scaling", "fixed"]),
    ],
)
def test_wider_rows_widen_the_model(kernel, more, tmp_path, capsys):
    """Features that come later count as zero in what was learned: a model that knew of them says the same."""
    narrow, model, wide = tmp_path / "narrow.libsvm", tmp_path / "model", tmp_path / "wide.libsvm"
    narrow.write_text(libsvm_text(*board(500)))
    model_of = ["--algorithm", "bsgd-smallest", "--set", f"kernel={kernel}"]
    options = ["--budget", "20", "-q", *model_of, *more]
    assert main(["train", str(narrow), "-o", str(model), *options]) == 0
    before = model.read_bytes()
    # Over several pieces, the width grows on the way.
    rng = np.random.default_rng(3)
    rows = [{0: 0.5, 1: -0.25}, {0: 0.1, 4: 1.0}, *({int(j): 0.5, 9: 1.0} for j in rng.integers(2, 9, 50))]
    wide.write_text("".join("1 " + " ".join(f"{j + 1}:{v}" for j, v in row.items()) + "\n" for row in rows))
    dense = np.zeros((len(rows), 10), dtype=np.float32)
    for i, row in enumerate(rows):
        for j, v in row.items():
            dense[i, j] = v
    knowing = Classifier.load(model)
    knowing.add_features(10, keep_gamma=True)
    capsys.readouterr()
    assert main(["predict", str(model), str(wide), "--scores"]) == 0
    scores = np.array(capsys.readouterr().out.split(), dtype=np.float32)
    np.testing.assert_allclose(scores, knowing.decision_function(dense), rtol=1e-4, atol=1e-6)
    assert main(["evaluate", str(model), str(wide), "-q"]) == 0
    out = capsys.readouterr().out
    assert f"test accuracy: {100 * np.mean(knowing.predict(dense) == 1):.2f}%" in out
    assert "unseen features: 8" in out
    assert main(["train", str(narrow), "--test", str(wide), "-o", str(model), *options]) == 0
    assert "unseen features: 8" in capsys.readouterr().out
    assert model.read_bytes() == before


def test_passes_read_the_file_again(files, capsys):
    train, _, model = files
    assert run(capsys, "train", train, "-o", model, *SMALL, "--passes", "3")[1]["rows read"] == "1,800"
    X, y = board(600)
    native = Classifier("bsgd-merge", budget=20, gamma=2.0)
    for number in range(3):
        native.learn(X, y, repeated=number > 0)
    np.testing.assert_allclose(Classifier.load(model).dual_coef_, native.dual_coef_, rtol=1e-5)


@pytest.mark.parametrize("form", ["csv", "libsvm"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_rows_of_later_passes_count_for_no_error(task, form, tmp_path, capsys):
    X, y = blobs(300)
    X += np.random.default_rng(1).normal(0, 3, X.shape).astype(np.float32)
    path, model = tmp_path / f"data.{form}", tmp_path / "model"
    path.write_text((csv_text if form == "csv" else libsvm_text)(X, y))
    options = ["--task", task, "--budget", "20", "-o", model, "-q"]
    lines = []
    for passes in (1, 3):
        code, said = run(capsys, "train", path, *options, "--passes", passes)
        lines.append({key: said[key] for key in said if key.startswith(("progressive", "baseline"))})
        assert (code, said["rows read"]) == (0, str(300 * passes))
        shown = run(capsys, "info", model)[1]
        assert lines[-1].items() <= shown.items()
    assert lines[0] == lines[1] != {}
    of = Regressor if task == "regression" else Classifier
    native = of(budget=20, classes=[0, 1, 2]) if task == "classification" else of(budget=20)
    for number in range(3):
        native.learn(X, y, repeated=number > 0)
    assert of.load(model).to_bytes() == native.to_bytes()


def command(*arguments, program=("-m", "budgetrs")):
    return subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_standard_input_is_learned_as_the_file(files, tmp_path, capsys):
    train, _, model = files
    assert run(capsys, "train", train, "-o", model, *SMALL)[0] == 0
    other = tmp_path / "other"
    process = command("train", "-", "-o", other, *SMALL, "--scan-rows", 50)
    out, err = process.communicate(train.read_text(), timeout=120)
    assert (process.returncode, err) == (0, "")
    assert "scan: classes and feature count taken from the first 50 rows (--scan-rows)\n" in out
    assert "rows read: 600" in out
    assert other.read_bytes() == model.read_bytes()
    process = command("train", "-", "-o", other, *SMALL, "--scan-rows", 50, "--classes", "0,1")
    out, _ = process.communicate(train.read_text(), timeout=120)
    assert "scan: feature count taken from the first 50 rows (--scan-rows)\n" in out


def test_a_pipe_takes_new_classes(tmp_path):
    X, y = blobs(400, 4)
    y[(y == 3) & (np.arange(400) < 200)] = 0
    y[(y == 2) & (np.arange(400) < 150)] = 1
    names, model = np.array(["b", "a", "late", "9"]), tmp_path / "model"
    text = "".join(f"{','.join(map(str, x))},{names[c]}\n" for x, c in zip(X.tolist(), y, strict=True))
    options = [model, "--format", "csv", *SMALL, "--scan-rows", 100]
    process = command("train", "-", "-o", *options)
    out, err = process.communicate(text, timeout=120)
    assert (process.returncode, err) == (0, "")
    assert "scan: classes and feature count taken from the first 100 rows (--scan-rows)\n" in out
    assert "new classes: late, 9\n" in out
    found = Classifier.load(model)
    assert found.classes_.tolist() == ["a", "b", "late", "9"]
    assert np.mean(found.predict(X[200:]) == names[y[200:]]) > 0.8
    process = command("train", "-", "-o", *options, "--classes", "a,b,late")
    out, err = process.communicate(text, timeout=120)
    assert process.returncode == 1
    assert "expected one of the classes a, b, late (--classes), got 9" in err
    process = command("compare", "-", *options[1:])
    out, err = process.communicate(text, timeout=120)
    assert (process.returncode, err) == (0, "")
    assert "new classes: late, 9\n" in out


@pytest.mark.parametrize(
    ("names", "late", "expected"),
    [
        (["3", "5"], "b", f"an integer from {-(2**63)} to {2**63 - 1}"),
        (["3", "5"], "2.5", f"an integer from {-(2**63)} to {2**63 - 1}"),
        (["3", "5"], str(2**63), f"an integer from {-(2**63)} to {2**63 - 1}"),
        (["3", "2.5"], "b", "a finite number"),
    ],
)
def test_a_pipe_says_why_a_late_class_is_refused(tmp_path, names, late, expected):
    X, y = blobs(200, 2)
    labels = [late if i == 150 else names[c] for i, c in enumerate(y)]
    text = "".join(f"{','.join(map(str, x))},{c}\n" for x, c in zip(X.tolist(), labels, strict=True))
    process = command("train", "-", "-o", tmp_path / "model", "--format", "csv", *SMALL, "--scan-rows", 100)
    _, err = process.communicate(text, timeout=120)
    assert process.returncode == 1
    assert (
        f":151: expected {expected}, as all classes of the first 100 rows, "
        f"got {late}; --classes A,B,... names all classes" in err
    )


@pytest.mark.parametrize("verb", ["train", "compare"])
def test_a_pipe_may_be_sorted_by_class(tmp_path, verb):
    X, y = blobs(300, 3)
    y = np.sort(y)
    text = "".join(f"{','.join(map(str, x))},{c}\n" for x, c in zip(X.tolist(), y, strict=True))
    model = tmp_path / "model"
    output = ["-o", model] if verb == "train" else []
    process = command(verb, "-", *output, "--format", "csv", *SMALL, "--scan-rows", 50)
    out, err = process.communicate(text, timeout=120)
    assert process.returncode == 0
    assert err.startswith("budgetrs: warning: the label changes")
    assert err.count("\n") == 1
    assert "new classes: 1, 2\n" in out
    if verb == "train":
        expected = Classifier.load(model)
        assert expected.classes_.tolist() == [0, 1, 2]
        assert expected.n_samples_seen_ == 300


def test_a_closed_pipe_is_silent(files, capsys):
    train, test, model = files
    test.write_text(libsvm_text(*board(20_000)))
    assert run(capsys, "train", train, "-o", model, *SMALL)[0] == 0
    with command("predict", model, test) as process:
        assert process.stdout.readline().strip() in ("0", "1")
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(120) == 0


def test_progress_without_a_terminal_is_plain_lines(files, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.progress.Lines.interval", 0.0)
    train, _, model = files
    assert main(["train", str(train), "-o", str(model), *SMALL[:-1]]) == 0
    shown = capsys.readouterr().err
    line = r"training: 100%  600 rows  [\d,]+ rows/s  progressive accuracy \d\d\.\d\d%  20 support vectors"
    assert any(re.fullmatch(line, text) for text in shown.splitlines())
    assert "\r" not in shown


def test_version_and_help(capsys):
    for arguments, said in ((["--version"], budgetrs.__version__), (["train", "--help"], "Exit codes")):
        assert main(arguments) == 0
        assert said in capsys.readouterr().out


def test_demo(tmp_path, capsys):
    code, said = run(capsys, "demo", "--rows", 20_000, "-o", tmp_path / "demo", "-q")
    assert code == 0
    assert float(said["test accuracy"].rstrip("%")) > 90
    assert (tmp_path / "demo" / "demo.png").read_bytes().startswith(b"\x89PNG")
    model = Classifier.load(tmp_path / "demo" / "checkerboard.safetensors")
    assert model.algorithm == "online-kernel"
    assert model.n_support_vectors_ == 100
    assert model.n_samples_seen_ == 20_000


def test_adult(real_data, tmp_path, capsys):
    train, test = real_data("a9a.train.libsvm.xz"), real_data("a9a.test.libsvm.xz")
    model = tmp_path / "model"
    options = ["--algorithm", "bsgd-merge", "--budget", 500, "--set", "gamma=0.01", "-q"]
    code, said = run(capsys, "train", train, *options, "--test", test, "-o", model)
    assert code == 0
    assert (said["rows read"], said["support vectors"]) == ("32,561", "500")
    assert float(said["test accuracy"].rstrip("%")) >= 84.0
    assert run(capsys, "evaluate", model, test, "-q")[1]["test accuracy"] == said["test accuracy"]
    assert run(capsys, "predict", model, test, "-o", tmp_path / "out", "-q")[0] == 0
    import lzma

    with lzma.open(test, "rt") as file:
        truth = [int(line.split(" ", 1)[0]) for line in file]
    found = [int(label) for label in (tmp_path / "out").read_text().split()]
    assert f"{100 * np.mean(np.equal(found, truth)):.2f}%" == said["test accuracy"]
