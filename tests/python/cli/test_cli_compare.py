"""The command `budgetrs compare`: what it prints, writes and refuses, and how it is stopped."""

import csv
import lzma
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from budgetrs import compare_budgets
from budgetrs.cli import main
from budgetrs.comparison.picture import draw_comparison
from conftest import blobs, board, csv_text, libsvm_text
from test_cli_signals import STOPS, interruptible, stopped
from test_import import without_extras

SMALL = ["--algorithm", "bsgd-merge", "--budget", "5,40", "--set", "gamma=2", "-q"]


@pytest.fixture
def train(tmp_path):
    (tmp_path / "train.libsvm").write_text(libsvm_text(*board(1500)))
    return tmp_path / "train.libsvm"


def run(capsys, *arguments):
    """Run a command in this process: its exit code, its `key: value` lines, its table and its errors."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    lines = out.splitlines()
    said = dict(line.split(": ", 1) for line in lines if ": " in line)
    start = next(
        (at for at, line in enumerate(lines) if line.endswith("progressive error after")), len(lines)
    )
    table = [line.split() for line in lines[start + 2 :] if ": " not in line]
    return code, said, table, err


def rows_of(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_the_table_is_that_of_the_function(train, capsys):
    code, said, table, err = run(
        capsys, "compare", train, "--algorithm", "bsgd-merge", "--budget", "40,none,5", "--set", "gamma=2"
    )
    assert (code, err) == (0, "")
    X, y = board(1500)
    expected = compare_budgets(X, y, [40, None, 5], "bsgd-merge", gamma=2.0)
    assert [line[0] for line in table] == ["40", "none", "5"]
    steps = [expected.rows.tolist().index(rows) for rows in (100, 1000, 1500)]
    for at, line in enumerate(table):
        assert line[1:4] == [f"{100 * expected.error[at, step]:.2f}%" for step in steps]
        assert line[4] == f"{100 * expected.standard_error[at, -1]:.2f}%"
        assert line[5] == str(expected.n_support_vectors[at, -1])
        assert float(line[6].replace(",", "")) > 0
    best = expected.budgets.index(expected.best_budget)
    shown = f"{100 * expected.error[best, -1]:.2f}%"
    assert said["best budget"] == f"{expected.best_budget or 'none'} ({shown})"
    p = expected.error[best, -1]
    near = expected.budgets.index(expected.sufficient_budget)
    assert said["smallest budget within one standard error"] == (
        f"{expected.sufficient_budget or 'none'} ({100 * expected.error[near, -1]:.2f}%; "
        f"sqrt(p (1 - p) / n) = {100 * np.sqrt(p * (1 - p) / 1500):.2f}%)"
    )
    assert list(said) == [
        *("rows read", "best budget", "smallest budget within one standard error"),
        *("baseline error, most frequent class", "baseline error, previous label"),
        *("rows/s", "seconds", "peak memory"),
    ]
    assert said["rows read"] == "1,500"


def test_files(train, capsys, tmp_path):
    curves = tmp_path / "curves.csv"
    code, said, _, _ = run(capsys, "compare", train, *SMALL, "--csv", curves, "--figure", tmp_path / "a.PNG")
    assert code == 0
    assert said["curves"].startswith(f"{curves} (")
    assert said["picture"].startswith(f"{tmp_path / 'a.PNG'} (")
    X, y = board(1500)
    expected = compare_budgets(X, y, [5, 40], "bsgd-merge", gamma=2.0).to_records()
    read = rows_of(curves)
    assert len(read) == len(expected)
    for row, record in zip(read, expected, strict=True):
        for key in ("budget", "rows", "n_mistakes", "error_rate", "standard_error", "n_updates"):
            assert float(row[key]) == record[key], key
    for name, start in (("a.PNG", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        assert run(capsys, "compare", train, *SMALL, "--figure", tmp_path / name)[0] == 0
        content = (tmp_path / name).read_bytes()
        assert content.startswith(start)
        assert len(content) > 5000
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("a.PNG", "a.pdf", "a.svg", "curves.csv", "train.libsvm")
    ]


def test_the_budgets_by_default(train, capsys):
    code, _, table, _ = run(capsys, "compare", train, "-q")
    assert (code, [line[0] for line in table]) == (0, ["50", "100", "200", "500"])


def test_every_format_says_the_same(tmp_path, capsys):
    X, y = blobs(800)
    text = csv_text(X, y)
    (tmp_path / "plain.csv").write_text(text)
    (tmp_path / "packed.csv.xz").write_bytes(lzma.compress(text.encode()))
    (tmp_path / "first.csv").write_text(csv_text(X, y, first=True).replace(",", ";"))
    np.save(tmp_path / "matrix.npy", np.column_stack([X, y]))
    np.savez(tmp_path / "arrays.npz", X=X, y=y)
    more = {"first.csv": ["--target", "0", "--delimiter", ";"]}
    expected = compare_budgets(X, y, [5, 40], "bsgd-merge", gamma=0.5).n_mistakes
    for path in sorted(tmp_path.iterdir()):
        options = [*SMALL, "--set", "gamma=0.5", *more.get(path.name, [])]
        assert run(capsys, "compare", path, *options, "--csv", tmp_path / "c")[0] == 0
        said = [int(row["n_mistakes"]) for row in rows_of(tmp_path / "c")]
        assert said == expected.ravel().tolist(), path.name


def test_a_pipe_and_features_that_come_later(tmp_path):
    """A subprocess reads standard input, in which rows become wider than those that were looked at."""
    X, y = blobs(1500, n_features=6)
    X[:1200, 3:] = 0
    text = "".join(
        f"{c} {' '.join(f'{i}:{v!r}' for i, v in enumerate(x, 1) if v)}\n"
        for x, c in zip(X.tolist(), y, strict=True)
    )
    command = [sys.executable, "-m", "budgetrs", "compare", "-", "-q"]
    options = [*SMALL, "--set", "gamma=0.3", "--csv", str(tmp_path / "c")]
    done = subprocess.run(
        [*command, *options], input=text, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "rows read: 1,500\n" in done.stdout
    (tmp_path / "file.libsvm").write_text(text)
    assert main(["compare", str(tmp_path / "file.libsvm"), *options[:-1], str(tmp_path / "d"), "-q"]) == 0
    one, other = rows_of(tmp_path / "c"), rows_of(tmp_path / "d")
    for row in (*one, *other):
        assert float(row.pop("seconds")) > 0
    assert one == other
    assert one[-1]["rows"] == "1500"


def test_a_device_is_written_to_directly(train, capfd):
    assert main(["compare", str(train), *SMALL, "--csv", "/dev/null"]) == 0
    assert "curves: /dev/null" in capfd.readouterr().out


def test_progress_without_a_terminal_is_plain_lines(train, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.progress.Lines.interval", 0.0)
    code, said, table, err = run(capsys, "compare", train, *SMALL[:-1])
    assert code == 0
    shown = [line for line in err.splitlines() if line.startswith("training: 100%  1,500 rows  ")]
    budget = said["best budget"].split()[0]
    error = next(line[3] for line in table if line[0] == budget)
    assert any(f"rows  progressive error {error} at budget {budget}  " in line for line in shown)


@pytest.mark.parametrize(("number", "code"), STOPS)
def test_a_stop_prints_and_writes_what_there_is(number, code, tmp_path):
    pipe, curves, picture = tmp_path / "pipe", tmp_path / "c.csv", tmp_path / "c.png"
    os.mkfifo(pipe)
    options = [pipe, *SMALL[:-1], "--csv", curves, "--figure", picture]
    got, out, said = stopped(number, pipe, "training", "compare", *options)
    rows = int(out.split("rows read: ")[1].split()[0].replace(",", ""))
    assert 0 < rows <= 1200
    assert (got, said) == (code, f"budgetrs: interrupted; the comparison covers the first {rows:,} rows")
    assert "progressive error after\nbudget" in out
    X, y = board(1200)
    expected = compare_budgets(X[:rows], y[:rows], [5, 40], "bsgd-merge", gamma=2.0).n_mistakes
    assert [int(row["n_mistakes"]) for row in rows_of(curves)] == expected.ravel().tolist()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_stop_in_the_middle_leaves_the_rows_that_all_have_learned(train, capsys, monkeypatch, tmp_path):
    """The signal comes when one model has learned its ninth piece and the other one its eighth."""
    calls = []

    class Stopping:
        def __init__(self, model):
            self._model = model

        def __getattr__(self, name):
            return getattr(self._model, name)

        def learn(self, X, y, **more):
            calls.append(len(y))
            self._model.learn(X, y, **more)
            if len(calls) == 17:
                signal.raise_signal(signal.SIGINT)

    compare = sys.modules["budgetrs.cli.compare"]
    begin = compare.new

    def wrapped(*given):
        runners = begin(*given)
        runners.models = {budget: Stopping(model) for budget, model in runners.models.items()}
        return runners

    said_of = []

    def draw(*given, interrupted):
        said_of.append(interrupted)
        return draw_comparison(*given, interrupted=interrupted)

    monkeypatch.setattr("budgetrs.cli.compare.draw_comparison", draw)
    monkeypatch.setattr(compare, "new", wrapped)
    monkeypatch.setattr("budgetrs.comparison.checkpoints.Checkpoints.after", lambda self, rows: rows + 12)
    files = ["--csv", tmp_path / "c", "--figure", tmp_path / "c.png"]
    with interruptible():
        code, said, _, err = run(capsys, "compare", train, *SMALL, *files)
    assert said_of == [True]
    assert calls == [12] * 17
    assert (code, said["rows read"]) == (130, "96")
    assert err == "budgetrs: interrupted; the comparison covers the first 96 rows\n"
    X, y = (part[:96] for part in board(1500))
    expected = compare_budgets(X, y, [5, 40], "bsgd-merge", gamma=2.0, checkpoints=12)
    read = [int(row["n_mistakes"]) for row in rows_of(tmp_path / "c")]
    assert read == expected.n_mistakes.ravel().tolist()


def test_without_extras(train, tmp_path):
    call = f"sys.exit(main(['compare', {str(train)!r}, '--budget', '5,20', '-q'"
    done = without_extras(f"from budgetrs.cli import main\n{call}]))")
    assert (done.returncode, done.stderr) == (0, "")
    assert "best budget: " in done.stdout
    done = without_extras(
        f"from budgetrs.cli import main\n{call}, '--figure', {str(tmp_path / 'a.png')!r}]))"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "budgetrs: --figure needs matplotlib: pip install 'budgetrs[plot]'\n"
