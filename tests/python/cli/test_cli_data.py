"""The command line reads every format, plain and compressed, from files and pipes."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from budgetrs import Classifier, _core
from budgetrs.cli import main
from budgetrs.cli.batch import Csr
from budgetrs.cli.layout import Layout
from budgetrs.cli.rows import Rows
from budgetrs.cli.scan import Moments, scan_start
from conftest import blobs, board, csv_text, libsvm_text

SMALL = ["--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2", "-q"]
PACK = {"plain": bytes, "gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npz(save=np.savez, **arrays):
    out = io.BytesIO()
    save(out, **arrays)
    return out.getvalue()


X, y = board(500)
TABLE = np.column_stack([X, y])
DENSE = {
    "data.csv": csv_text(X, y).encode(),
    "header.csv": b"first,second,label\n" + csv_text(X, y).encode(),
    "data.npy": npy(TABLE),
    "fortran.npy": npy(np.asfortranarray(TABLE)),
    "data.npz": npz(X=X, y=y),
    "small.npz": npz(np.savez_compressed, X=X, y=y.astype(np.uint8)),
    "fortran.npz": npz(X=np.asfortranarray(X), y=y),
}


def train(tmp_path, path, *options):
    model = tmp_path / "model"
    assert main(["train", str(path), "-o", str(model), *SMALL, *options]) == 0
    return Classifier.load(model)


@pytest.fixture
def expected():
    return Classifier("bsgd-merge", budget=20, gamma=2.0, classes=[0, 1]).learn(X, y)


# An archive is compressed by itself, and refused when it is packed again.
PACKED = [
    (name, packing) for name in DENSE for packing in PACK if packing == "plain" or not name.endswith("npz")
]


@pytest.mark.parametrize(("name", "packing"), PACKED)
def test_dense_formats_give_the_same_model(name, packing, tmp_path, expected):
    path = tmp_path / (name if packing == "plain" else f"{name}.{packing}")
    path.write_bytes(PACK[packing](DENSE[name]))
    model = train(tmp_path, path)
    np.testing.assert_array_equal(model.support_vectors_, expected.support_vectors_)
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
    assert main(["evaluate", str(tmp_path / "model"), str(path), "-q"]) == 0


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("suffix", [".libsvm", "", ".txt"])
def test_compression_is_told_by_content(packing, suffix, tmp_path):
    (tmp_path / "reference.libsvm").write_text(libsvm_text(X, y))
    expected = train(tmp_path, tmp_path / "reference.libsvm").to_bytes()
    path = tmp_path / f"data{suffix}"
    path.write_bytes(PACK[packing](libsvm_text(X, y).encode()))
    assert train(tmp_path, path).to_bytes() == expected


def test_target_columns(tmp_path, expected):
    first = csv_text(X, y, first=True)
    (tmp_path / "first.csv").write_text(first)
    (tmp_path / "semicolons.data").write_text(first.replace(",", ";"))
    np.save(tmp_path / "first.npy", np.column_stack([y, X]))
    for name, more in (("first.csv", []), ("semicolons.data", ["--delimiter", ";"]), ("first.npy", [])):
        model = train(tmp_path, tmp_path / name, "--target", "0", *more)
        np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


def test_the_label_is_where_the_reader_has_it(tmp_path, expected):
    """The command line and the reader agree on the column that is the label by default."""
    reader = _core.Reader("csv")
    reader.feed(DENSE["data.csv"])
    _, features, codes = reader.take()
    np.testing.assert_array_equal(features, X)
    np.testing.assert_array_equal(np.array(reader.labels)[codes], y)
    model = train(tmp_path, _written(tmp_path / "data.csv", DENSE["data.csv"]))
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


def test_text_labels_and_numbers_that_are_text(tmp_path, capsys):
    names = np.array(["cat", "7"])
    (tmp_path / "data.csv").write_text(csv_text(X, names[y]))
    model = train(tmp_path, tmp_path / "data.csv")
    assert model.classes_.tolist() == ["7", "cat"]
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "model"), str(tmp_path / "data.csv")]) == 0
    found = np.array(capsys.readouterr().out.split())
    assert np.mean(found == names[y]) > 0.85
    assert main(["evaluate", str(tmp_path / "model"), str(tmp_path / "data.csv"), "-q"]) == 0
    assert f"test accuracy: {100 * np.mean(found == names[y]):.2f}%" in capsys.readouterr().out


def test_prediction_needs_no_labels(tmp_path, capsys, expected):
    train(tmp_path, _written(tmp_path / "data.csv", DENSE["data.csv"]))
    capsys.readouterr()
    plain = "".join(f"{a!r},{b!r}\n" for a, b in X.tolist()).encode()
    for name, data in (
        ("x.csv", plain),
        ("x.npy", npy(X)),
        ("x.npz", npz(X=X)),
        ("xy.csv", DENSE["data.csv"]),
    ):
        assert main(["predict", str(tmp_path / "model"), str(_written(tmp_path / name, data))]) == 0
        assert capsys.readouterr().out.split() == [str(label) for label in expected.predict(X)]


def _written(path, data):
    path.write_bytes(data)
    return path


def test_unknown_labels_count_as_wrong(tmp_path, capsys):
    train(tmp_path, _written(tmp_path / "data.csv", DENSE["data.csv"]))
    other = np.where(np.arange(500) < 100, 9, y)
    model = Classifier.load(tmp_path / "model")
    capsys.readouterr()
    assert (
        main(
            [
                "evaluate",
                str(tmp_path / "model"),
                str(_written(tmp_path / "o.csv", csv_text(X, other).encode())),
                "-q",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert f"test accuracy: {100 * np.mean(model.predict(X) == other):.2f}%" in out
    assert "rows of unknown classes, counted as wrong: 100" in out


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("name", ["data.csv", "data.npy"])
def test_standard_input(packing, name, tmp_path, expected):
    done = subprocess.run(
        [sys.executable, "-m", "budgetrs", "train", "-", "-o", str(tmp_path / "model"), *SMALL],
        input=PACK[packing](DENSE[name]),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    model = Classifier.load(tmp_path / "model")
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


def test_a_named_pipe_is_a_stream(tmp_path, expected):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(DENSE["data.csv"],))
    writer.start()
    model = train(tmp_path, pipe)
    writer.join(60)
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


def test_a_stream_that_gets_wider(tmp_path):
    """Features that appear after the scanned rows are zeros before."""
    lines = libsvm_text(X, y).splitlines()
    wider = [f"{line} 7:0.5" if i >= 300 else line for i, line in enumerate(lines)]
    text = "\n".join(wider).encode()
    path = _written(tmp_path / "data.libsvm", text)
    from_file = train(tmp_path, path)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "budgetrs",
            "train",
            "-",
            "-o",
            str(tmp_path / "other"),
            *SMALL,
            "--scan-rows",
            "20",
        ],
        input=text,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    streamed = Classifier.load(tmp_path / "other")
    assert streamed.n_features_in_ == from_file.n_features_in_ == 7
    np.testing.assert_array_equal(streamed.support_vectors_, from_file.support_vectors_)
    np.testing.assert_array_equal(streamed.dual_coef_, from_file.dual_coef_)


def _streamed(path, text, *options):
    return subprocess.run(
        [sys.executable, "-m", "budgetrs", "train", "-", "-o", str(path), "-q", *map(str, options)],
        input=text,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_a_stream_that_gets_wider_keeps_its_gamma(tmp_path):
    """gamma="scale" is that of the features known by row 1024; before, new ones are refused."""
    named = ["--algorithm", "bsgd-merge", "--budget", 20]
    data, labels = np.tile(X, (4, 1)), np.tile(y, 4)
    lines = libsvm_text(data, labels).splitlines()
    for first_wide in (1500, 1024, 1023, 700):
        wider = [f"{line} 7:0.5" if i >= first_wide else line for i, line in enumerate(lines)]
        text = "\n".join(wider).encode()
        narrow = _streamed(tmp_path / "narrow", "\n".join(lines[:first_wide]).encode(), *named)
        assert narrow.returncode == 0, narrow.stderr.decode()
        done = _streamed(tmp_path / "model", text, *named, "--scan-rows", 500)
        out, said = done.stdout.decode(), done.stderr.decode()
        if first_wide < 1024:
            assert done.returncode == 1
            assert f"<stdin>:{first_wide + 1}: expected at most {X.shape[1]} features" in said
            assert "--set gamma=NUMBER" in said
        else:
            assert done.returncode == 0, said
            model = Classifier.load(tmp_path / "model")
            assert (model.n_features_in_, model.n_samples_seen_) == (7, len(lines))
            assert model.gamma_ == Classifier.load(tmp_path / "narrow").gamma_
            assert f"new features: {7 - X.shape[1]} of 7" in out
        # Looked at in advance the width is known.
        assert _streamed(tmp_path / "model", text, *named).returncode == 0
    assert _streamed(tmp_path / "model", text, "--set", "gamma=auto", "--scan-rows", 500).returncode == 1


@pytest.mark.parametrize("first_wide", [700, 500])
def test_a_stream_may_get_wider_by_default(first_wide, tmp_path):
    """The gamma of the default algorithm does not depend on the number of features."""
    data, labels = np.tile(X, (4, 1)), np.tile(y, 4)
    lines = libsvm_text(data, labels).splitlines()
    wider = [f"{line} 7:0.5" if i >= first_wide else line for i, line in enumerate(lines)]
    done = _streamed(tmp_path / "model", "\n".join(wider).encode(), "--budget", 20, "--scan-rows", 500)
    assert done.returncode == 0, done.stderr.decode()
    assert f"new features: {7 - X.shape[1]} of 7\n" in done.stdout.decode()
    model = Classifier.load(tmp_path / "model")
    assert (model.algorithm, model.n_features_in_, model.n_samples_seen_) == ("online-kernel", 7, len(lines))
    # A file is looked at first: its model knows all features from the first row on.
    named = ["--budget", "20", "-o", str(tmp_path / "file"), "-q"]
    assert main(["train", str(_written(tmp_path / "wide.libsvm", "\n".join(wider).encode())), *named]) == 0
    assert Classifier.load(tmp_path / "file").gamma_ == model.gamma_


@pytest.mark.parametrize("piece", [1 << 20, 97])
def test_a_scan_is_cut_at_its_last_row(piece, tmp_path, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.source.PIECE", piece)
    lines = libsvm_text(X[:100], y[:100]).splitlines()
    lines[50] = "9 7:0.5"
    path = _written(tmp_path / "data.libsvm", "\n".join(lines).encode())
    with Rows(str(path), Layout()) as rows:
        found, batches = scan_start(rows, limit=50, moments=True)
        batches = list(batches)
    assert (found.n_rows, found.n_features, sorted(found.labels)) == (
        50,
        X.shape[1],
        np.unique(y[:50]).tolist(),
    )
    np.testing.assert_allclose(found.moments.mean, X[:50].mean(axis=0), rtol=1e-5)
    assert sum(map(len, batches)) == 100
    places = [batch.where(i) for batch in batches for i in range(len(batch))]
    assert places == [f"{path}:{number}" for number in range(1, 101)]
    values = np.concatenate([batch.X.data for batch in batches])
    kept = np.delete(X[:100], 50, axis=0).astype(np.float32)
    assert np.isin(kept[kept != 0], values).all()


def test_a_row_that_is_too_large_is_found(tmp_path, capsys):
    lines = csv_text(X[:100], y[:100]).splitlines()
    lines[70] = ",".join(["0"] + ["1e20"] * X.shape[1])
    path = _written(tmp_path / "data.csv", "\n".join(lines).encode())
    assert main(["train", str(path), "-o", str(tmp_path / "model"), *SMALL]) == 1
    assert f"{path}:71: X is too large: expected |x|^2 <= 1e28 in float32" in capsys.readouterr().err


@pytest.mark.parametrize("piece", [1 << 20, 4096, 97])
def test_pieces_do_not_matter(piece, tmp_path, monkeypatch, expected):
    for module in ("source", "arrays"):
        monkeypatch.setattr(f"budgetrs.cli.{module}.PIECE", piece)
    for name in ("data.csv", "data.npy", "small.npz"):
        model = train(tmp_path, _written(tmp_path / name, DENSE[name]))
        np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


@pytest.mark.parametrize("piece", [1 << 20, 97])
def test_every_row_knows_its_line(piece, tmp_path, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.source.PIECE", piece)
    text = "a,b,c\n\n" + csv_text(X[:40], y[:40]).replace("\n", "\n\n", 5)
    path = _written(tmp_path / "data.csv", text.encode())
    places = []
    with Rows(str(path), Layout()) as rows:
        for batch in rows:
            places += [batch.where(i) for i in range(len(batch))]
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line and not line.startswith("a")]
    assert places == [f"{path}:{number}" for number in lines]


def test_moments_of_pieces_are_those_of_the_whole():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(1000, 6)) * (rng.random((1000, 6)) < 0.4) + [0, 0, 1e6, 0, 0, 0]
    data[:500, 5] = 0
    dense, sparse = Moments(), Moments()
    for start in range(0, 1000, 130):
        piece = data[start : start + 130]
        dense.add(piece)
        # Sparse pieces are only as wide as what has come so far.
        width = 5 if start + 130 <= 500 else 6
        rows, columns = np.nonzero(piece)
        indptr = np.searchsorted(rows, np.arange(len(piece) + 1))
        sparse.add(Csr(indptr, columns, piece[rows, columns], (len(piece), width)))
    for moments in (dense, sparse):
        mean, deviation = moments.scaling(7)
        np.testing.assert_allclose(mean, [*data.mean(axis=0), 0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(deviation, [*data.std(axis=0), 0], rtol=1e-9, atol=1e-12)


def test_memory_does_not_grow_with_the_file(tmp_path):
    """A file of ten times the rows must not need noticeably more memory."""
    rows, labels = blobs(4000, n_features=20)
    block = csv_text(rows, labels)
    peaks = []
    for times in (5, 50):
        path = tmp_path / f"{times}.csv"
        with path.open("w") as out:
            for _ in range(times):
                out.write(block)
        code = (
            "import sys, resource\nfrom budgetrs.cli import main\n"
            f"main(['train', {str(path)!r}, '-o', {str(tmp_path / 'm')!r}, *{SMALL!r}])\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
        )
        peaks.append(int(done.stdout.split()[-1]) / (1024 if sys.platform != "darwin" else 1024**2))
    assert peaks[1] < peaks[0] + 15, f"MiB: {peaks}"
