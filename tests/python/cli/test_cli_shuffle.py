"""``--shuffle``: the rows of a file are learned by the native `fit`, or compared in random order."""

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier, Regressor
from conftest import blobs, board, csv, csv_text, libsvm_text, run, unnamed

N = 2500


def rows(task, *, categories=False):
    """Rows that are sorted by label."""
    X, y = blobs(N, 3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    X[np.abs(X) < 0.5] = 0
    frame = pd.DataFrame(X, columns=list("abcd"))
    if categories:
        frame["e"] = np.array(["red", "green", "blue", "dark red"])[np.arange(N) * 4 // N]
    targets = y if task == "classification" else (10.0 * y + X[:, 0])
    return frame, targets


def native(task, X, y, passes):
    model = (
        Classifier(budget=20, classes=[0, 1, 2], seed=3)
        if task == "classification"
        else Regressor(budget=20, seed=3)
    )
    return model.fit(X, y, passes=passes)


@pytest.mark.parametrize("form", ["csv", "names", "categories", "libsvm", "npy", "parquet"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_model_is_the_native_fit(task, form, tmp_path, capsys):
    frame, y = rows(task, categories=form == "categories")
    X = frame.to_numpy(np.float32) if form in ("csv", "libsvm", "npy") else frame
    path = tmp_path / f"data.{'csv' if form in ('names', 'categories') else form}"
    if form in ("names", "categories"):
        csv(path, frame.assign(y=y))
    elif form == "parquet":
        frame.assign(y=y).to_parquet(path)
    elif form == "npy":
        np.save(path, np.column_stack([X.astype(float), y]))
    else:
        path.write_text((csv_text if form == "csv" else libsvm_text)(X, y))
    of = Classifier if task == "classification" else Regressor
    for passes, given in (("auto", []), (2, ["--passes", "2"])):
        options = ["--task", task, "--budget", "20", *given, "--seed", "3", "--shuffle", "-q"]
        code, _, err = run(capsys, "train", path, "-o", tmp_path / "m", *options)
        assert (code, err) == (0, "")
        expected, found = native(task, X, y, passes), of.load(tmp_path / "m")
        assert found.n_samples_seen_ == (3 if passes == "auto" else 2) * N
        if form != "libsvm":
            assert unnamed(tmp_path / "m") == expected.to_bytes()
        np.testing.assert_allclose(found.support_vectors_, expected.support_vectors_, rtol=1e-4, atol=1e-5)


def test_rows_that_are_sorted_by_label_are_learned(tmp_path, capsys):
    X, y = board(2000)
    order = np.argsort(y, kind="stable")
    path = tmp_path / "data.csv"
    path.write_text(csv_text(X[order], y[order]))
    accuracy = {}
    for options in ([], ["--shuffle"]):
        run(capsys, "train", path, "-o", tmp_path / "m", "-q", "--budget", "20", *options)
        model = Classifier.load(tmp_path / "m")
        accuracy[len(options)] = np.mean(model.predict(X) == y)
    assert accuracy[0] < 0.7 < 0.9 < accuracy[1]
    code, out, _ = run(capsys, "compare", path, "--budget", "5,20", "--shuffle", "-q")
    assert (code, "best budget: 20" in out) == (0, True)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (
            ["--resume", "MODEL"],
            2,
            "--shuffle cannot be combined with --resume: shuffle the rows of DATA before",
        ),
        (
            ["--max-memory", "2K"],
            1,
            "DATA: expected rows of at most 2,048 bytes for --shuffle, which holds all rows",
        ),
        ([], 0, ""),
    ],
)
def test_errors(options, code, message, tmp_path, capsys):
    frame, y = rows("classification")
    path, model = csv(tmp_path / "data.csv", frame.assign(y=y)), tmp_path / "m"
    run(capsys, "train", path, "-o", model, "-q", "--budget", "20")
    before = model.read_bytes()
    given = [str(model) if text == "MODEL" else text for text in options]
    found, _, err = run(capsys, "train", path, "-o", model, "-q", "--shuffle", *given)
    assert (found, err.count("\n")) == (code, int(code > 0))
    assert message.replace("DATA", str(path)) in err
    assert (model.read_bytes() == before) == (code > 0)


@pytest.mark.parametrize("command", [["train", "-", "-o", "m"], ["compare", "-"]])
def test_a_pipe_is_an_error(command, capsys):
    code, _, err = run(capsys, *command, "--shuffle")
    assert (code, err) == (
        2,
        "budgetrs: --shuffle: expected a file that can be read again, got <stdin>; shuffle its rows before, "
        "such as by shuf\n",
    )


def test_an_invalid_row_is_named_by_its_number_in_the_file(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text("".join(f"{i % 7},{i % 3},{i}\n" for i in range(50)) + "1,2,2e15\n")
    options = ["--task", "regression", "--shuffle", "-q", "-o", tmp_path / "m"]
    code, _, err = run(capsys, "train", path, *options)
    assert (code, f"{path}:row 51: " in err) == (1, True), err
