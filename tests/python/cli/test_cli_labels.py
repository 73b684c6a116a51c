"""Labels of files that are missing, or that are nearly numbers."""

import json

import pandas as pd
import pytest

from budgetrs import Classifier
from conftest import run


@pytest.mark.parametrize("marker", ["NA", "?", "null", "None", "n/a", "<NA>", "\\N", "unknown"])
@pytest.mark.parametrize("columns", [["x", "label"], ["x", "word", "label"]])
def test_texts_of_missing_values_are_no_labels(marker, columns, tmp_path, capsys):
    frame = pd.DataFrame({"x": range(60), "word": ["a", "b", "c"] * 20, "label": ["yes", "no"] * 30})
    frame.loc[40, "label"] = marker
    data = tmp_path / "data.csv"
    frame[columns].to_csv(data, index=False)
    options = ["-o", tmp_path / "m", "-q", "--missing-values", "unknown"]
    code, _, err = run(capsys, "train", data, *options)
    assert (code, err) == (
        1,
        f"{data}:42: expected a label, got {marker!r} (a missing value); remove the rows without a label, or "
        "name all classes by --classes\n",
    )
    assert run(capsys, "train", data, *options, "--classes", f"yes,no,{marker}")[0] == 0
    assert run(capsys, "evaluate", tmp_path / "m", data, "-q")[0] == 0
    assert run(capsys, "train", data, "-o", tmp_path / "m", "-q", "--resume", tmp_path / "m")[0] == 0
    frame.loc[40, "label"] = "yes"
    frame[columns].to_csv(tmp_path / "good.csv", index=False)
    assert run(capsys, "train", tmp_path / "good.csv", *options)[0] == 0
    for command in (
        ["evaluate", tmp_path / "m", data],
        ["train", data, "--resume", *[tmp_path / "m"], *options],
    ):
        code, _, err = run(capsys, *command, "--missing-values", "unknown")
        assert (code, f"expected a label, got {marker!r} (a missing value)" in err) == (1, True), err


def test_a_dash_is_a_label_of_text_and_missing_among_numbers(tmp_path, capsys):
    data = tmp_path / "data.csv"
    for usual, expected in (("+", 0), ("1", 1)):
        data.write_text(
            "".join(f"{i},{'-' if i == 20 else usual if i % 2 else '0' * len(usual)}\n" for i in range(40))
        )
        code, _, err = run(capsys, "train", data, "-o", tmp_path / "m", "-q")
        assert (code, "got '-', which means missing among numbers" in err) == (expected, expected == 1)
    data.write_text("".join(f"{i},{'+-'[i % 2]}\n" for i in range(40)))
    assert run(capsys, "train", data, "-o", tmp_path / "m", "-q")[0] == 0


@pytest.mark.parametrize(
    ("label", "options", "said"),
    [
        ("{},5", ["--delimiter", ";"], "with a decimal comma; --decimal , reads it, and --task regression"),
        ("${}.50", [], "with a currency sign; remove it"),
        ("{}%", [], "with a percent sign; remove it"),
        ("1 {:03d}", [], "with thousands separators; remove them"),
        ("{} kg", [], "with a unit; remove it"),
        ("01-Jan-2{}", [], "a date or time; --target NAME chooses another column"),
        ("class {}", [], None),
    ],
)
def test_labels_that_are_nearly_numbers_are_an_error(label, options, said, tmp_path, capsys):
    separator = options[1] if options else ","
    rows = "".join(f"{i}{separator}{label.format(100 + i)}\n" for i in range(40))
    for header in ("", f"x{separator}y\n"):
        (tmp_path / "data.csv").write_text(header + rows)
        train = ["train", tmp_path / "data.csv", "-o", tmp_path / "m", "-q", *options]
        code, _, err = run(capsys, *train)
        assert (
            code,
            f"got 40 distinct values in 40 rows, such as '{label.format(100)}', {said}" in err,
        ) == ((0, False) if said is None else (1, True)), err
        assert run(capsys, *train, "--task", "classification")[::2] == (0, "")


@pytest.mark.parametrize("labels", [("yes", "no"), ("1", "0"), ("1.5", "2"), ("a", "7")])
def test_weights_of_labels_are_a_json_object(labels, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text("".join(f"{i * 7 % 41},{labels[i % 3 == 0]}\n" for i in range(200)))
    train = ["train", data, "-o", tmp_path / "m", "-q"]
    weights = json.dumps({labels[0]: 0.1, labels[1]: 50})
    assert run(capsys, *train, "--set", f"class_weight={weights}")[::2] == (0, "")
    weighted = Classifier.load(tmp_path / "m")
    assert sorted(weighted.params["class_weight"]) == sorted(weighted.classes_.tolist())
    for wrong in ('{"yes": "x"}', "{yes: 2}", "{1}", "heavy"):
        code, _, err = run(capsys, *train, "--set", f"class_weight={wrong}")
        assert (code, 'a JSON object of labels and finite weights >= 0, such as {"a": 2}' in err) == (
            2,
            True,
        ), err
