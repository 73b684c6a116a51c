"""Text that is nearly a number, and the texts of missing values, in CSV."""

import json

import numpy as np
import pandas as pd
import pytest

from budgetrs import Classifier
from conftest import csv, run, unnamed

RNG = np.random.default_rng(0)
A, C = RNG.uniform(-50, 50, 400).round(2), RNG.uniform(0, 1, 400).round(3)
Y = (A > 0).astype(int)
FRAME = pd.DataFrame({"a": A, "c": C, "y": Y})
MARKERS = [
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "-", ".", "?", "\\N"),
]
WORDS = np.array(["red", "green", "blue"])[RNG.integers(0, 3, 400)]


def train(capsys, path, *options):
    """Return the exit code, the model and standard error."""
    model = path.with_name("model")
    model.unlink(missing_ok=True)
    code, _, err = run(capsys, "train", path, "-o", model, "--budget", "20", "-q", *options)
    assert model.exists() == (code == 0)
    return code, Classifier.load(model) if code == 0 else None, err


def test_a_decimal_comma(tmp_path, capsys):
    comma = csv(tmp_path / "comma.csv", FRAME, sep=";", decimal=",")
    code, _, err = train(capsys, comma, "--delimiter", ";")
    first = str(A[0]).replace(".", ",")
    assert (code, err) == (
        1,
        f"{comma}:2: expected a number in column a, got '{first}', with a decimal comma as in "
        "400 of 400 values; --decimal , reads it; --categorical a takes its values as categories\n",
    )
    words = csv(
        tmp_path / "words.csv", FRAME.assign(word=WORDS)[["word", "a", "c", "y"]], sep=";", decimal=","
    )
    for path, frame in ((comma, FRAME), (words, FRAME.assign(word=WORDS)[["word", "a", "c", "y"]])):
        point = csv(tmp_path / "point.csv", frame)
        found = train(capsys, path, "--delimiter", ";", "--decimal", ",")[1].to_bytes()
        assert found == train(capsys, point)[1].to_bytes()
        predicted = run(capsys, "predict", tmp_path / "model", path, "--delimiter", ";", "--decimal", ",")[1]
        assert predicted == run(capsys, "predict", tmp_path / "model", point)[1]
        code, _, err = train(capsys, point, "--decimal", ",", "--delimiter", ";")
        assert code == 1
    code, _, err = train(capsys, point, "--decimal", ",")
    assert (code, "with a decimal point as in" in err) == (1, True), err
    target = csv(tmp_path / "target.csv", FRAME[["c", "a"]], sep=";", decimal=",")
    options = ["--delimiter", ";", "--task", "regression", "-o", tmp_path / "m", "-q"]
    assert run(capsys, "train", target, *options, "--decimal", ",")[0] == 0
    headless = csv(tmp_path / "headless.csv", FRAME, sep=";", decimal=",", header=False)
    for path in (target, headless):
        code, _, err = run(capsys, "train", path, *options[:2], "-o", tmp_path / "m", "-q")
        assert (code, "--decimal , reads it" in err) == (1, True), err


@pytest.mark.parametrize(
    ("form", "what"),
    [
        ("{:.2f}%", "a percent sign"),
        ("{:.1f} %", "a percent sign"),
        ("${:.2f}", "a currency sign"),
        ("{:.2f} €", "a currency sign"),
        ("EUR {:.2f}", "a currency sign"),
        ("{:.2E}", None),
        ("{:.3f}D+03", "an exponent with the letter D"),
        ("{:.3f}d0", "an exponent with the letter D"),
        ("'{:.2f}'", "quotes"),
        ("({:.2f})", "parentheses"),
        ("<{:.2f}", "a comparison sign"),
        ("{:.2f}-", "a sign after the number"),
        ("1 000.{:.0f}", "thousands separators"),
        ("1'234'{:03.0f}", "thousands separators"),
        ("1.234,{:.0f}", "thousands separators and a decimal comma"),
        ("1,10,100.{:.0f}", "thousands separators"),
        ('="{:.2f}"', "an Excel formula"),
        ("{:.2f} kg", "a unit"),
        ("+{:.2f}", None),
        (" {:.2f} ", None),
    ],
)
def test_text_that_is_nearly_a_number_is_never_a_category(form, what, tmp_path, capsys):
    values = [form.format(abs(a)) for a in A]
    for frame in (FRAME.assign(a=values), FRAME.assign(a=values, word=WORDS)[["word", "a", "c", "y"]]):
        path = csv(tmp_path / "data.csv", frame)
        code, model, err = train(capsys, path)
        if what is None:
            assert code == 0, err
            assert model.feature_names_in_.tolist() == frame.columns[:-1].tolist()
        else:
            assert (code, f"in column a, got {values[0]!r}, with {what} as in 400 of 400" in err) == (
                1,
                True,
            ), err
        assert train(capsys, path, "--categorical", "a")[0] == 0
        late = frame.assign(a=[*A[:-1], values[-1]])
        late = pd.concat([late.iloc[:-1]] * 4 + [late.iloc[-1:]])
        code, _, err = train(capsys, csv(tmp_path / "late.csv", late))
        assert (code, what is None or what in err) == (0 if what is None else 1, True), err


@pytest.mark.parametrize("place", [0, 7, 399])
@pytest.mark.parametrize("marker", ["unknown", "--", "#DIV/0!", "n.a."])
def test_a_stray_marker_makes_no_categories(marker, place, tmp_path, capsys):
    values = A.astype(object)
    values[[place, 11]] = marker
    path = csv(tmp_path / "data.csv", FRAME.assign(a=values))
    code, _, err = train(capsys, path)
    assert code == 1
    assert f"expected a number in column a, as in 398 of 400 values, got '{marker}'" in err
    quoted = {"--": "'\"--\"'", "#DIV/0!": "'#DIV/0!'"}.get(marker, marker)
    assert f"; --missing-values {quoted} takes it as missing; " in err
    assert "--categorical a" in err
    expected = train(
        capsys, csv(tmp_path / "nan.csv", FRAME.assign(a=pd.Series(values).replace(marker, None)))
    )
    assert train(capsys, path, "--missing-values", f'"{marker}"')[1].to_bytes() == expected[1].to_bytes()
    words = csv(tmp_path / "words.csv", FRAME.assign(a=values, b=WORDS)[["a", "b", "c", "y"]])
    assert train(capsys, words, "--missing-values", f"other,{marker}")[0] == 0


def test_words_are_still_categories(tmp_path, capsys):
    for values in (WORDS, np.char.add(WORDS, "1"), np.where(C < 0.3, "7", np.where(C < 0.6, "A7", "7-B"))):
        code, model, err = train(capsys, csv(tmp_path / "data.csv", FRAME.assign(a=values)))
        assert (code, err) == (0, "")
        assert set(model.get_feature_names_out()) == {*(f"a={value}" for value in values), "c"}
    dates = pd.date_range("2020-01-01", periods=400).strftime("%Y-%m-%d")
    for first in ("2020-01-01", "unknown"):
        path = csv(tmp_path / "data.csv", FRAME.assign(a=[first, *dates[1:]]))
        code, _, err = train(capsys, path)
        assert (code, "in column a, got the date or time 2020" in err) == (1, True)


@pytest.mark.parametrize("marker", MARKERS)
def test_markers_of_missing_values(marker, tmp_path, capsys):
    holes = FRAME.assign(word=WORDS.astype(object))[["a", "word", "c", "y"]]
    holes.loc[[0, 5, 50], "a"] = None
    if marker not in ("-", "."):  # categories, where a column holds text
        holes.loc[[0, 7, 70], "word"] = None
    for frame in (holes, holes[["a", "c", "y"]]):
        expected = train(capsys, csv(tmp_path / "expected.csv", frame, na_rep="?"))[1]
        path = csv(tmp_path / "data.csv", frame, na_rep=marker)
        assert train(capsys, path)[1].to_bytes() == expected.to_bytes()
        read = frame.drop(columns="y").astype({"a": "f4", "c": "f4"})
        assert Classifier(budget=20, classes=[0, 1]).learn(read, Y).to_bytes() == unnamed(tmp_path / "model")
        predicted = run(capsys, "predict", tmp_path / "model", path)[1].split()
        assert predicted == list(map(str, expected.predict(read)))
        code, _, err = train(capsys, path, "--algorithm", "bsgd-merge")
        assert (code, "--scaling online --set missing=mean replaces missing values" in err) == (1, True), err


def test_a_dash_is_a_category_of_text(tmp_path, capsys):
    values = np.where(C < 0.2, "-", WORDS)
    model = train(capsys, csv(tmp_path / "data.csv", FRAME.assign(a=values)))[1]
    assert "a=-" in model.get_feature_names_out()
    assert (
        "a=-" not in train(capsys, tmp_path / "data.csv", "--missing-values", "-")[1].get_feature_names_out()
    )


def test_the_sample_of_a_pipe_and_of_gaps_at_the_start(tmp_path, capsys):
    path = csv(tmp_path / "data.csv", pd.concat([FRAME.assign(a=None, c=None)] * 5 + [FRAME.assign(a=WORDS)]))
    code, model, err = train(capsys, path)
    assert (code, err) == (0, "")
    assert json.dumps(model.feature_names_in_.tolist()) == '["a", "c"]'
    assert "a=red" in model.get_feature_names_out()
