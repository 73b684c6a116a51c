"""Files that are not what they seem: format, line ends, delimiter, header; rows before a bad one."""

import zipfile

import numpy as np
import pandas as pd
import pytest

from conftest import run

N = 400
X = np.random.default_rng(0).normal(size=(N, 2))
FRAME = pd.DataFrame({"gain": X[:, 0], "loss": X[:, 1], "y": np.where(X[:, 0] * X[:, 1] > 0, "p", "q")})
WORDS = FRAME.assign(size=np.array(["S", "M"])[np.arange(N) % 2])[["gain", "loss", "size", "y"]]
TEXT = FRAME.to_csv(index=False)


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / name

    return write


@pytest.fixture
def model(tmp_path, write, capsys):
    data = write("train.csv", TEXT)
    assert run(capsys, "train", data, "-o", tmp_path / "model", "-q")[0] == 0
    return tmp_path / "model"


@pytest.mark.parametrize("form", ["csv", "libsvm"])
def test_a_format_that_is_not_that_of_the_file(form, model, tmp_path, capsys):
    data = tmp_path / "train.parquet"
    FRAME.to_parquet(data)
    for arguments in (("train", data, "-o", tmp_path / "o"), ("predict", model, data)):
        code, _, err = run(capsys, *arguments, "--format", form)
        assert (code, err) == (
            1,
            f"budgetrs: {data}: expected text for --format {form}, got a Parquet file\n",
        )


@pytest.mark.parametrize("end", ["\r", "\r\n"])
@pytest.mark.parametrize("frame", [FRAME, WORDS])
def test_lines_may_end_in_returns(end, frame, write, tmp_path, capsys):
    models = []
    for name, text in (("a.csv", frame.to_csv(index=False)), ("b.csv", frame.to_csv(index=False))):
        data = write(name, text.replace("\n", end) if name == "b.csv" else text)
        assert run(capsys, "train", data, "-o", tmp_path / name[0], "-q")[0] == 0
        models.append((tmp_path / name[0]).read_bytes())
    assert models[0] == models[1]


def test_a_return_within_a_line_is_refused(write, tmp_path, capsys):
    data = write("odd.csv", "a\rb,c,y\n1,2,p\n2,1,q\n")
    code, _, err = run(capsys, "train", data, "-o", tmp_path / "o")
    assert (code, err) == (1, f"budgetrs: {data}: expected lines with no carriage return within\n")


def test_tabs(model, write, tmp_path, capsys):
    text = TEXT.replace(",", "\t")
    assert run(capsys, "train", write("train.tsv", text), "-o", tmp_path / "o", "-q")[0] == 0
    assert (tmp_path / "o").read_bytes() == model.read_bytes()
    for delimiter, shown in (("\t", "tab"), ("|", "'|'")):
        code, _, err = run(
            capsys, "train", write("t.txt", TEXT.replace(",", delimiter)), "-o", tmp_path / "o"
        )
        assert (code, f"separated by {shown}: give --format csv --delimiter {shown}" in err) == (1, True)


def test_a_name_twice_is_refused(model, write, tmp_path, capsys):
    for frame in (FRAME, WORDS):
        data = write("twice.csv", frame.to_csv(index=False).replace("gain,loss", "a,a"))
        for arguments in (("train", data, "-o", tmp_path / "o"), ("predict", model, data)):
            code, _, err = run(capsys, *arguments)
            assert (code, 'expected distinct column names, got two columns named "a"' in err) == (1, True)
    # Rows without a header may repeat what they hold.
    rows = write("rows.csv", "NA,NA,p\n" + TEXT.split("\n", 1)[1])
    assert run(capsys, "train", rows, "-o", tmp_path / "o", "-q")[0] == 0


@pytest.mark.parametrize(
    ("frame", "bad"), [(FRAME, "bad"), (WORDS, "bad"), (WORDS, "bad,1,S,p"), (WORDS, "1,bad,S,p\nbad,1,S,p")]
)
def test_rows_before_a_bad_one_are_predicted(frame, bad, write, tmp_path, capsys, monkeypatch):
    text = frame.to_csv(index=False)
    assert run(capsys, "train", write("train.csv", text), "-o", tmp_path / "model", "-q")[0] == 0
    _, expected, _ = run(capsys, "predict", tmp_path / "model", tmp_path / "train.csv")
    with write("bad.csv", f"{text}{bad}\n{text}").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        code, out, err = run(capsys, "predict", tmp_path / "model", "-", "--target", "y")
    assert (code, out) == (1, expected)
    assert err.startswith(f"<stdin>:{N + 2}:")


def test_other_columns_are_named(model, write, capsys):
    wider = FRAME.assign(w=1.0)
    got = 'got the new columns "w"; if this is the target: --target w'
    learned = (
        "expected a column named y, the target that the model learned, got w; if one of these is the target"
    )
    for names, messages in (
        (["w", "gain", "loss"], {"predict": got, "evaluate": learned}),
        (["gain", "w", "y", "loss"], {"predict": got, "evaluate": got}),
    ):
        data = write("data.csv", wider[names].to_csv(index=False))
        for command, message in messages.items():
            code, _, err = run(capsys, command, model, data)
            assert (code, message in err) == (1, True), err


def test_the_columns_of_the_test_file_are_checked_first(model, write, tmp_path, capsys):
    data, more = (
        write("data.csv", TEXT),
        write("more.csv", FRAME.assign(w=1.0).iloc[:, ::-1].to_csv(index=False)),
    )
    none = write("none.csv", FRAME[["gain", "loss"]].to_csv(index=False))
    FRAME.rename(columns={"gain": "win"}).to_parquet(tmp_path / "other.parquet")
    tests = {more: "got the new columns", none: "expected labels", tmp_path / "other.parquet": '"gain"'}
    for test, message in tests.items():
        for more_options in ([], ["--resume", model]):
            out = tmp_path / "o"
            code, _, err = run(capsys, "train", data, "-o", out, "--test", test, "-q", *more_options)
            assert (code, message in err, out.exists()) == (1, True, False)


def test_a_missing_number_says_what_takes_it(write, tmp_path, capsys):
    data = write("missing.csv", f"{TEXT}1,,p\n")
    WORDS.assign(size=None).to_parquet(tmp_path / "missing.parquet")
    (FRAME.assign(gain=np.nan)).to_parquet(tmp_path / "gain.parquet")
    for path in (data, tmp_path / "gain.parquet"):
        for options, hint in (
            (["--algorithm", "bsgd-merge"], "--scaling online --set missing=mean"),
            (["--set", "missing=error"], "--set missing=mean"),
        ):
            code, _, err = run(capsys, "train", path, "-o", tmp_path / "o", *options)
            assert (code, err.endswith(f"; {hint} replaces missing values by the mean\n")) == (1, True)


def test_a_zip_archive_of_other_files(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as archive:
        archive.writestr("t.csv", TEXT)
    code, _, err = run(capsys, "train", tmp_path / "t.csv.zip", "-o", tmp_path / "o")
    assert (code, "got t.csv; unpack zip archives first" in err) == (1, True)
