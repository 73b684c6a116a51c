"""`--target`: the label by the name of its column, or by its number."""

import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier
from conftest import board, csv_text, libsvm_text, run, unnamed

SMALL = ["--budget", "20", "-q"]
X, y = board(300)


def table(position, names, *, delimiter=","):
    """CSV with the label at a position, and a header."""
    rows = [",".join(names)]
    for x, label in zip(X.tolist(), y, strict=True):
        fields = list(map(repr, x))
        fields.insert(position, str(label))
        rows.append(",".join(fields))
    return "\n".join(rows).replace(",", delimiter) + "\n"


def learned(*names):
    """The model of these rows, with names of the columns if they have any."""
    rows = pd.DataFrame(X, columns=list(names)) if names else X
    return Classifier(budget=20, classes=[0, 1]).learn(rows, y)


@pytest.fixture
def expected():
    return learned()


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("by", ["name", "number", "from the end"])
@pytest.mark.parametrize("name", ["target", "my target"])
def test_by_name_and_by_number(position, by, name, tmp_path, capsys):
    expected, names = learned("width", "height"), ["width", "height"]
    names.insert(position, name)
    data, model = tmp_path / "data.csv", tmp_path / "model"
    data.write_text(table(position, names))
    column = {"name": name, "number": position, "from the end": position - 3}[by]
    label = ["--target", column]
    assert run(capsys, "train", data, "-o", model, *SMALL, *label)[0] == 0
    assert unnamed(model) == expected.to_bytes()
    accuracy = f"test accuracy: {100 * np.mean(expected.predict(X) == y):.2f}%\n"
    assert accuracy in run(capsys, "evaluate", model, data, *label)[1]
    predicted = run(capsys, "predict", model, data, *label)[1].split()
    assert predicted == list(map(str, expected.predict(X)))


@pytest.mark.parametrize(
    ("header", "delimiter", "name", "others"),
    [
        ('"the label",a,b', ",", "the label", "ab"),
        (" label , a , b", ",", "label", "ab"),
        ("\ufefflabel,a,b", ",", "label", "ab"),
        ("\n\nlabel,a,b", ",", "label", "ab"),
        ("label;a;b", ";", "label", "ab"),
        ("étiquette,1,2", ",", "étiquette", "12"),
        ("label,1,2", ",", "label", "12"),
    ],
)
def test_forms_of_the_header(header, delimiter, name, others, tmp_path, capsys):
    data, model = tmp_path / "data.csv", tmp_path / "model"
    body = csv_text(X, y, first=True).replace(",", delimiter)
    data.write_text(f"{header}\n{body}", encoding="utf-8")
    options = ["--target", name, "--delimiter", delimiter]
    code, _, err = run(capsys, "train", data, "-o", model, *SMALL, *options)
    assert (code, err) == (0, "")
    assert unnamed(model) == learned(*others).to_bytes()


def test_a_file_to_predict_may_lack_the_label(expected, tmp_path, capsys):
    data, model = tmp_path / "data.csv", tmp_path / "model"
    expected.save(model)
    for header in ("a,b\n", ""):
        data.write_text(header + "".join(f"{a!r},{b!r}\n" for a, b in X.tolist()))
        code, out, _ = run(capsys, "predict", model, data, "--target", "target")
        assert (code, out.split()) == (0, list(map(str, expected.predict(X))))
    code, _, err = run(capsys, "evaluate", model, data, "--target", "target")
    assert (code, "expected labels to compare with" in err) == (1, True)
    # The label is there, but a feature is not.
    data.write_text("a,target\n1,0\n")
    code, _, err = run(capsys, "predict", model, data, "--target", "target")
    assert (code, "expected 2 features and a label, got 2 fields" in err) == (1, True)


def test_an_array_by_number(expected, tmp_path, capsys):
    model = tmp_path / "model"
    for position in (0, 1, -2):
        at = position % 3
        np.save(tmp_path / "data.npy", np.insert(X.astype(np.float64), at, y, axis=1))
        options = ["--target", position]
        assert run(capsys, "train", tmp_path / "data.npy", "-o", model, *SMALL, *options)[0] == 0
        assert model.read_bytes() == expected.to_bytes()


@pytest.mark.parametrize("header", ["a,b,label", "0.5,0.25,1", "a,b,Target"])
def test_a_name_that_is_not_there_once(header, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text(f"{header}\n1,2,0\n")
    code, out, err = run(capsys, "train", data, "-o", tmp_path / "m", "--target", "target", "--format", "csv")
    assert (code, out) == (1, "")
    shown = header.replace(",", ", ")
    assert err == (f"budgetrs: {data}: expected one column named target (--target), got {shown}\n")


def test_formats_without_a_header(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.column_stack([X, y]))
    (tmp_path / "a.libsvm").write_text(libsvm_text(X, y))
    for name, kind in (("a.npy", "npy"), ("a.libsvm", "libsvm")):
        data = tmp_path / name
        code, _, err = run(capsys, "train", data, "-o", tmp_path / "m", "--target", "target")
        assert (code, err) == (
            2,
            "budgetrs: --target target: expected CSV with a header, Parquet or Arrow, the format of "
            f"{data} is {kind}\n",
        )
    assert run(capsys, "train", data, "-o", tmp_path / "m", "--target", " ")[0] == 2


def test_a_header_that_comes_in_parts(tmp_path):
    command = ["train", "-", "-o", str(tmp_path / "model"), "--format", "csv", "--target", "the label"]
    process = subprocess.Popen(
        [sys.executable, "-m", "budgetrs", *command, *SMALL, "--classes", "0,1"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    text = table(0, ["the label", "a", "b"]).encode()
    with process:
        for start in range(0, 12, 3):
            process.stdin.write(text[start : start + 3])
        process.stdin.write(text[12:])
        process.stdin.close()
        assert process.stderr.read() == b""
    assert unnamed(tmp_path / "model") == learned("a", "b").to_bytes()


@pytest.mark.parametrize(
    ("text", "options", "hint"),
    [
        ("cat,1,2\ndog,2,3\n", [], "0"),
        ("kind,x,y\n1,1,2\ndog,2,3\n", [], "kind"),
        ("my kind;x;y\n1;1;2\ndog;2;3\n", ["--delimiter", ";"], "'my kind'"),
        ('"a cat",1,2\ndog,2,3\n', [], "0"),
        ("1,2,0\ncat,2,1\n", [], "0"),
        ("1,cat,0\n2,dog,1\n", [], None),
    ],
)
def test_labels_in_the_first_column_are_asked_for(text, options, hint, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text(text)
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "model", *SMALL, *options)
    assert code == 1
    expected = f"; if the first column is the target: --target {hint}"
    assert expected in err if hint else "--target" not in err, err
    if hint and not text.startswith("1"):
        more = [*options, "--target", shlex.split(hint)[0]]
        assert run(capsys, "train", data, "-o", tmp_path / "model", *SMALL, *more)[0] == 0


@pytest.mark.parametrize("known", [True, False], ids=["name", "no name"])
@pytest.mark.parametrize("form", ["csv", "categories", "parquet", "arff"])
def test_only_the_target_is_left_out(form, known, tmp_path, capsys):
    frame = pd.DataFrame(X, columns=["width", "height"])
    if form == "categories":
        frame["colour"] = np.array(["red", "green", "blue"])[np.arange(len(y)) % 3]
    data, path = tmp_path / ("data.csv" if form == "categories" else f"data.{form}"), tmp_path / "m"
    model = Classifier(budget=20).learn(frame, y)
    model.target_name = "label" if known else None
    model.save(path)
    expected = list(map(str, model.predict(frame)))
    for names, target, is_right in (
        (["label"], [], known),
        (["label"], ["--target", "label"], True),
        ([], [], True),
        ([], ["--target", "label"], True),
        (["foreign"], [], False),
        (["foreign"], ["--target", "label"], False),
        (["foreign"], ["--target", "foreign"], True),
        (["label", "foreign"], [], False),
        (["foreign", "label"], ["--target", "label"], False),
    ):
        for given in (
            frame.assign(**dict.fromkeys(names, y)),
            frame.iloc[:, ::-1].assign(**dict.fromkeys(names, y)),
        ):
            written(data, form, given)
            code, out, err = run(capsys, "predict", path, data, *target)
            if is_right:
                assert (code, out.split(), err) == (0, expected, "")
                continue
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert f"{data} must have the columns of the rows learned before, in any order, got" in err


def written(data, form, frame):
    if form == "parquet":
        frame.to_parquet(data)
    elif form == "arff":
        head = "".join(f"@attribute {name} real\n" for name in frame.columns)
        data.write_text(f"@relation x\n{head}@data\n{frame.to_csv(index=False, header=False)}")
    else:
        frame.to_csv(data, index=False)


@pytest.mark.parametrize("form", ["csv", "parquet", "arff"])
@pytest.mark.parametrize("command", ["evaluate", "train"])
def test_labels_of_the_learned_name(form, command, tmp_path, capsys):
    frame = pd.DataFrame(X, columns=["width", "height"])
    data, model = tmp_path / f"data.{form}", tmp_path / "m"
    written(data, form, frame.assign(label=y))
    assert run(capsys, "train", data, "-o", model, *SMALL)[0] == 0
    first, foreign = tmp_path / f"first.{form}", tmp_path / f"foreign.{form}"
    written(first, form, frame.assign(label=y)[["label", "height", "width"]])
    written(foreign, form, frame.assign(other=y))
    arguments = {
        "evaluate": lambda file: ["evaluate", model, file, "-q"],
        "train": lambda file: ["train", file, "--resume", model, "-o", tmp_path / "more", "-q"],
    }[command]
    assert run(capsys, *arguments(first))[::2] == (0, "")
    code, out, err = run(capsys, *arguments(foreign))
    assert (code, out) == (1, "")
    assert err == (
        f"budgetrs: {foreign}: expected a column named label, the target that the model learned, got other; "
        "if one of these is the target: --target NAME\n"
    )
    assert run(capsys, *arguments(foreign), "--target", "other")[::2] == (0, "")
