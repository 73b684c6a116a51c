"""The command `budgetrs plot`: the picture it writes, and what it refuses."""

import json
import lzma

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from budgetrs.cli import output, plot
from budgetrs.cli.errors import UsageError
from conftest import board, csv_text, libsvm_text, run
from test_import import without_extras


@pytest.fixture
def files(tmp_path):
    """A model, the rows that it has learned, and where the picture goes."""
    X, y = board(3000)
    Classifier(budget=20).learn(X, y).save(tmp_path / "model")
    (tmp_path / "train.csv").write_text(csv_text(X, y))
    return tmp_path / "model", tmp_path / "train.csv", tmp_path / "a.png"


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were drawn."""
    found = []

    def draw(*given, draw=plot.draw_model):
        found.append(draw(*given))
        return found[-1]

    monkeypatch.setattr(plot, "draw_model", draw)
    return found


@pytest.mark.parametrize(("name", "start"), [("a.PNG", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_formats(name, start, files, capsys):
    path = files[0].with_name(name)
    code, out, err = run(capsys, "plot", files[0], "-o", path)
    assert (code, err) == (0, "")
    assert out.startswith(f"picture: {path} (")
    assert path.read_bytes().startswith(start)
    assert sorted(file.name for file in path.parent.iterdir()) == sorted([name, "model", "train.csv"])


def test_the_rows_and_their_range(files, capsys, drawn):
    model, data, picture = files
    code, out, _ = run(capsys, "plot", model, "-o", picture, "--data", data, "-q")
    assert (code, out.splitlines()[0]) == (0, "rows read: 3,000")
    X, _ = board(3000)
    axes = drawn[0].axes[0]
    margin = 0.05 * np.ptp(X, axis=0)
    found = [*axes.get_xlim(), *axes.get_ylim()]
    expected = np.column_stack([X.min(axis=0) - margin, X.max(axis=0) + margin]).ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend[1] == "1,500 of 3,000 rows"
    assert legend[-2:] == ["0", "1"]


def test_every_format_and_rows_without_labels(files, capsys, drawn):
    model, _, picture = files
    X, y = board(500)
    folder = picture.parent
    (folder / "rows.libsvm.xz").write_bytes(lzma.compress(libsvm_text(X, y).encode()))
    np.savez(folder / "rows.npz", X=X, y=y)
    (folder / "rows.csv").write_text(csv_text(X, y, first=True).replace(",", ";"))
    np.save(folder / "alone.npy", X)
    for name, *options in (
        ("rows.libsvm.xz",),
        ("rows.npz",),
        ("rows.csv", "--target", "0", "--delimiter", ";"),
        ("alone.npy",),
    ):
        code, out, _ = run(capsys, "plot", model, "-o", picture, "--data", folder / name, *options, "-q")
        assert (code, out.splitlines()[0]) == (0, "rows read: 500")
    limits = [(*one.axes[0].get_xlim(), *one.axes[0].get_ylim()) for one in drawn]
    np.testing.assert_allclose(limits, [limits[0]] * 4, rtol=1e-6)
    counts = [len(one.axes[0].get_legend().get_texts()) for one in drawn]
    assert counts == [5, 5, 5, 4]


def test_labels_that_are_texts_and_regression(tmp_path, capsys, drawn):
    X, y = board(300)
    words = np.where(y == 1, "same", "other")
    Classifier(budget=10).learn(X, words).save(tmp_path / "words")
    (tmp_path / "words.csv").write_text(csv_text(X, words))
    Regressor(budget=10).learn(X[:, :1], X[:, 0] ** 2).save(tmp_path / "square")
    (tmp_path / "square.csv").write_text(csv_text(X[:, :1], X[:, 0] ** 2))
    for name in ("words", "square"):
        arguments = (tmp_path / name, "-o", tmp_path / "a.png", "--data", tmp_path / f"{name}.csv")
        assert run(capsys, "plot", *arguments, "-q")[0] == 0
    assert drawn[0].axes[0].get_legend().get_texts()[3].get_text() == "other"
    assert drawn[1].axes[0].get_ylabel() == "prediction"


def test_more_features(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(200, 4))
    Classifier(budget=10).learn(X, X[:, 0] > 0).save(tmp_path / "model")
    (tmp_path / "d.csv").write_text(csv_text(X, X[:, 0] > 0))
    arguments = ("plot", tmp_path / "model", "-o", tmp_path / "a.png")
    assert run(capsys, *arguments)[0] == 0
    code, _, err = run(capsys, *arguments, "--data", tmp_path / "d.csv")
    expected = f"budgetrs: --data: expected a model of one or two features, {tmp_path / 'model'} has 4\n"
    assert (code, err) == (2, expected)


def test_json(files, capsys):
    model, data, picture = files
    code, out, _ = run(capsys, "plot", model, "-o", picture, "--data", data, "--json", "-q")
    expected = {"picture": str(picture), "picture_bytes": picture.stat().st_size, "rows_read": 3000}
    assert (code, json.loads(out)) == (0, {"event": "result", "command": "plot", **expected})


def test_a_picture_that_cannot_be_drawn_leaves_the_old_one(files, capsys, monkeypatch):
    def fail(*_):
        raise UsageError("no")

    files[2].write_bytes(b"old")
    monkeypatch.setattr(output, "write_picture", fail)
    assert run(capsys, "plot", files[0], "-o", files[2])[0] == 2
    assert files[2].read_bytes() == b"old"


def test_without_extras(files):
    call = f"sys.exit(main(['plot', {str(files[0])!r}, '-o', {str(files[2])!r}]))"
    done = without_extras(f"from budgetrs.cli import main\n{call}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "budgetrs: -o needs matplotlib: pip install 'budgetrs[plot]'\n"
    assert not files[2].exists()
