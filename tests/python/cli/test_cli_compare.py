"""The command `budgetrs compare`: what it prints, writes and refuses, and how it is stopped."""

import csv
import lzma
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from budgetrs import Classifier, compare_budgets
from budgetrs._core import REQUIRED
from budgetrs.cli import main
from budgetrs.cli.compare import draw_comparison
from conftest import CODE_PATHS, blobs, board, bounded, csv_text, libsvm_text
from test_cli_signals import STOPS, stopped
from test_import import without_extras

SMALL = ["--algorithm", "bsgd-merge", "--budget", "5,40", "--set", "gamma=2", "-q"]


def rate_for(name):
    """Give the options without which there is no algorithm of that name."""
    return [word for key in REQUIRED.get(name, ()) for word in ("--set", f"{key}=auto")]


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


@pytest.mark.parametrize("name", CODE_PATHS)
def test_each_error_is_that_of_training(name, train, capsys, tmp_path):
    budget = "20" if bounded(name) else "none"
    model = tmp_path / "model"
    options = ["--algorithm", name, *rate_for(name), "--set", "gamma=2", "--seed", "5"]
    # The online kernel machine standardises by itself.
    options += [] if name == "online-kernel" else ["--scaling", "online"]
    options += ["-q", "--dtype", "float64"]
    assert main(["train", str(train), "-o", str(model), "--budget", budget, *options]) == 0
    budgets = f"{budget},7" if bounded(name) else budget
    code, _, table, _ = run(capsys, "compare", train, "--budget", budgets, *options, "--csv", tmp_path / "c")
    assert code == 0
    alone = Classifier.load(model)
    last = [row for row in rows_of(tmp_path / "c") if row["budget"] == budget][-1]
    assert int(last["n_mistakes"]) == alone.n_mistakes_
    assert int(last["n_updates"]) == alone.n_updates_
    assert int(last["n_support_vectors"]) == int(table[0][5]) == alone.n_support_vectors_


SMALLEST = ["--set", "maintenance=smallest"]
POLY = [*SMALLEST, "--set", "kernel=poly"]

# The options of a model, and the option that changes it.
OPTIONS = [
    ([], SMALLEST),
    (SMALLEST, ["--set", "rate=50"]),
    ([*SMALLEST, "--set", "rate=50"], ["--set", "max_size=45"]),
    ([], ["--set", "alpha=0.01"]),
    ([], ["--set", "gamma=0.5"]),
    (SMALLEST, ["--set", "kernel=laplacian"]),
    (POLY, ["--set", "degree=2"]),
    (POLY, ["--set", "coef0=1"]),
    (["--set", "alpha=0.5"], ["--set", "project_to_ball=true"]),
    (["--algorithm", "bpa-s"], ["--set", "C=0.1"]),
    (["--algorithm", "bpa-s"], ["--set", "loss=squared_hinge"]),
    (["--algorithm", "bpa-nn"], ["--set", "n_neighbors=3"]),
    (["--algorithm", "bpa-s"], ["--set", "may_discard_new=true"]),
    (["--set", "maintenance=random"], ["--seed", "3"]),
    ([], ["--scaling", "online"]),
    ([], ["--algorithm", "bsgd-smallest"]),
]


@pytest.mark.parametrize(("plain", "option"), OPTIONS, ids=str)
def test_every_option_of_the_model_counts(plain, option, train, capsys, tmp_path):
    mistakes = []
    for options in (plain, [*plain, *option]):
        assert run(capsys, "compare", train, *SMALL, *options, "--csv", tmp_path / "c")[0] == 0
        mistakes.append([(row["n_mistakes"], row["n_updates"]) for row in rows_of(tmp_path / "c")])
    assert mistakes[0] != mistakes[1]


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


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--budget", "50,,60"], 2, "--budget: expected an integer >= 1 or none, got ''"),
        (["--budget", ""], 2, "--budget: expected an integer >= 1 or none, got ''"),
        (["--budget", "5.5"], 2, "got '5.5'"),
        (["--budget", "5,0"], 2, "budgetrs: --budget must be an integer from 1 to 16777216, or none, got 0"),
        (["--budget", "5,7,5"], 2, "budgetrs: budgets must all be different, got 5 twice"),
        (
            ["--algorithm", "pegasos", "--budget", "none,5"],
            2,
            'budget = 5 cannot be combined with maintenance = "none"',
        ),
        (
            ["--algorithm", "svm"],
            2,
            "budgetrs: --algorithm must be an algorithm (train --help-all lists all)",
        ),
        (
            ["--set", "C=1"],
            2,
            'budgetrs: --set C does not apply to algorithm = "online-kernel" with maintenance =',
        ),
        (["--passes", "2"], 2, "unknown option --passes"),
        (["--classes", "0,2"], 1, r"expected one of the classes 0, 2 (--classes), got 1; --classes A,B,..."),
        (
            ["--figure", "FOLDER/a.gif"],
            2,
            "a.gif: expected a file name ending in .png, .pdf, .svg, got '.gif'",
        ),
        (["--figure", "-"], 2, "--figure -: expected a file name ending in .png, .pdf, .svg, got ''"),
        (["--csv", "-"], 2, "--csv: expected a file, got - (standard output)"),
        (["--csv", "FOLDER/none/a"], 1, "FOLDER/none/a: no such directory FOLDER/none"),
        (["--csv", "FOLDER"], 1, "FOLDER: expected a file, got the directory FOLDER"),
        (["--csv", "FOLDER/train.libsvm"], 2, "expected an output file, got the input"),
        (["--figure", "FOLDER/link.png"], 2, "expected an output file, got the input"),
        (
            ["--csv", "FOLDER/a.png", "--figure", "FOLDER/../FOLDERNAME/a.png"],
            2,
            "--csv and --figure: expected two files, got FOLDER/a.png for both",
        ),
    ],
)
def test_refusals(options, code, message, train, capsys):
    folder = train.parent
    (folder / "link.png").symlink_to(train)
    before = sorted(folder.iterdir()), train.read_bytes()

    def filled(text):
        return text.replace("FOLDERNAME", folder.name).replace("FOLDER", str(folder))

    got, said, _, err = run(capsys, "compare", train, "-q", *map(filled, options))
    assert got == code
    assert said == {}
    assert filled(message) in err
    assert (sorted(folder.iterdir()), train.read_bytes()) == before


def test_a_bad_row_is_named(tmp_path, capsys):
    path = tmp_path / "bad.libsvm"
    path.write_text(libsvm_text(*board(1300)) + "1 1:nan\n")
    code, said, _, err = run(capsys, "compare", path, *SMALL, "--csv", tmp_path / "c")
    assert (code, said) == (1, {})
    assert err.startswith(f"{path}:1301: expected a number in column 1, got a missing value; ")
    path.write_text(libsvm_text(*board(1300)) + "1 1:1e25\n")
    code, _, _, err = run(capsys, "compare", path, *SMALL)
    assert code == 1
    assert err.startswith(f"{path}:1301: ")
    assert "|x|^2 <= 1e28 in float32" in err
    path.write_text("1 1:1\n" * 5)
    code, _, _, err = run(capsys, "compare", path, *SMALL)
    assert (code, err.split(";")[0]) == (
        1,
        f"budgetrs: {path}: expected two or more classes in 5 rows, got only 1",
    )
    assert not (tmp_path / "c").exists()


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
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        files = ["--csv", tmp_path / "c", "--figure", tmp_path / "c.png"]
        code, said, _, err = run(capsys, "compare", train, *SMALL, *files)
    finally:
        signal.signal(signal.SIGINT, old)
    assert said_of == [True]
    assert calls == [12] * 17
    assert (code, said["rows read"]) == (130, "96")
    assert err == "budgetrs: interrupted; the comparison covers the first 96 rows\n"
    X, y = (part[:96] for part in board(1500))
    expected = compare_budgets(X, y, [5, 40], "bsgd-merge", gamma=2.0, checkpoints=12)
    read = [int(row["n_mistakes"]) for row in rows_of(tmp_path / "c")]
    assert read == expected.n_mistakes.ravel().tolist()


def test_a_stop_before_anything_was_learned(train, capsys, monkeypatch, tmp_path):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("budgetrs.cli.files.Data.find_width", interrupt)
    code, said, _, err = run(capsys, "compare", train, *SMALL, "--csv", tmp_path / "c")
    assert (code, said, err) == (130, {}, "budgetrs: interrupted; no row was learned yet\n")
    assert not (tmp_path / "c").exists()


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


def test_help(capsys):
    assert main(["compare", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for text in ("--budget N,N,...", "--csv FILE", "--figure FILE", "--set NAME=VALUE", "Exit codes"):
        assert text in said


def test_ijcnn1(real_data, tmp_path, capsys):
    """More support vectors help on this set, and the picture is made from real data."""
    data = real_data("ijcnn1.train.libsvm.xz")
    options = [*SMALL, "--budget", "50,200,1000", "--set", "gamma=1", "--figure", tmp_path / "a.png"]
    code, said, table, _ = run(capsys, "compare", data, *options)
    assert (code, said["rows read"]) == (0, "49,990")
    errors = [float(line[3].rstrip("%")) for line in table]
    assert errors[0] > errors[1] > errors[2]
    assert said["best budget"] == f"1000 ({table[2][3]})"
    assert (tmp_path / "a.png").stat().st_size > 50_000
