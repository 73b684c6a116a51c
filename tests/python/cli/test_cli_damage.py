"""Damaged files on the command line: nothing is dropped without a word, nothing ends in a traceback."""

import bz2
import gzip
import io
import lzma
import re
import resource
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from budgetrs import Classifier
from budgetrs.cli import main
from conftest import board, csv_text, libsvm_text

SMALL = ["--algorithm", "bsgd-merge", "--budget", "20", "--set", "gamma=2", "-q"]
PACK = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
X, y = board(200)
TEXT = libsvm_text(X, y).encode()


def train(path, capsys):
    """Train on a file: exit code, rows learned, and what went to standard error."""
    capsys.readouterr()
    model = path.with_name("model")
    model.unlink(missing_ok=True)
    code = main(["train", str(path), "-o", str(model), *SMALL])
    err = capsys.readouterr().err
    assert code == 0 or not model.exists()
    return code, Classifier.load(model).n_samples_seen_ if code == 0 else 0, err


@pytest.mark.parametrize("piece", [1 << 16, 7])
@pytest.mark.parametrize("packing", PACK)
def test_streams_one_after_the_other(packing, piece, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.decompress._CHUNK", piece)
    path, packed = tmp_path / "data.libsvm", PACK[packing](TEXT)
    for data, rows in (
        (packed * 3, 600),
        (PACK[packing](b"") + packed, 200),
        (packed + PACK[packing](b""), 200),
        # The xz format has padding of whole words, gzip takes any; bzip2 has none.
        (packed + bytes(4), {"bz2": 0}.get(packing, 200)),
        (packed + bytes(4096) + packed + bytes(8), {"bz2": 0}.get(packing, 400)),
        (packed + bytes(3), {"gz": 200}.get(packing, 0)),
        (packed + bytes(3) + packed, {"gz": 400}.get(packing, 0)),
        (packed + b"garbage behind", 0),
        (packed + b"!", 0),
        (packed + packed[:5], 0),
        (packed + packed[:-1], 0),
        (packed[: len(packed) // 2], 0),
        (packed + bytes(4) + b"garbage behind", 0),
    ):
        path.write_bytes(data)
        code, learned, err = train(path, capsys)
        assert (code, learned) == (0 if rows else 1, rows), (len(data) - len(packed), err)
        if not rows:
            assert err.startswith(f"budgetrs: {path}: damaged or truncated compressed data (")


def arrays():
    """Small files of NumPy: name and content."""
    table = np.column_stack([X[:40], y[:40]])
    for name, array in (("c.npy", table), ("fortran.npy", np.asfortranarray(table))):
        out = io.BytesIO()
        np.save(out, array)
        yield name, out.getvalue()
    for name, save, labels in (
        ("s.npz", np.savez, y),
        ("z.npz", np.savez_compressed, np.array(["a", "b"])[y]),
    ):
        out = io.BytesIO()
        save(out, X=X[:40], y=labels[:40])
        yield name, out.getvalue()


@pytest.mark.parametrize(("name", "data"), list(arrays()), ids=[name for name, _ in arrays()])
def test_flipped_bytes(name, data, tmp_path, capsys):
    """Every byte of the headers, and some of the rest: an error about the file, or the file is read."""
    path = tmp_path / name
    rng = np.random.default_rng(0)
    # Of an archive, the directory at its end is a header as well.
    places = {*range(160), *range(len(data) - 160, len(data)), *rng.integers(0, len(data), 100).tolist()}
    refused = 0
    for place in sorted(places):
        flip = int(rng.integers(1, 256))
        path.write_bytes(data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :])
        code, _, said = train(path, capsys)
        # A number that has become huge is like no other.
        err = re.sub("budgetrs: warning: .*\n", "", said)
        case = f"byte {place} xor {flip}: {said}"
        assert code in (0, 1), case
        assert (err == "") == (code == 0), case
        assert code == 0 or err.removeprefix("budgetrs: ").startswith(str(path)), case
        assert "BUDGETRS_TRACEBACK" not in err, case
        refused += code
    assert refused > 50


def test_nothing_stands_behind_an_array(tmp_path, capsys):
    for name, data in arrays():
        if name.endswith("npy"):
            for path, content in (
                (tmp_path / name, data + b"!"),
                (tmp_path / f"{name}.gz", gzip.compress(data + b"!")),
            ):
                path.write_bytes(content)
                assert train(path, capsys)[0] == 1
    path = tmp_path / "more.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for member, array in (("X", X), ("y", y)):
            out = io.BytesIO()
            np.save(out, array)
            archive.writestr(f"{member}.npy", out.getvalue() + b"!")
    code, _, err = train(path, capsys)
    assert (code, err) == (
        1,
        f"budgetrs: {path}[X]: expected the end of the file after the array, got more bytes\n",
    )


def test_columns_are_gathered_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("budgetrs.cli.arrays.PIECE", 100)
    monkeypatch.setattr("budgetrs.cli.arrays._BLOCK_PIECES", 3)
    table = np.column_stack([X, y]).astype(">f8")
    models = []
    for name, array in (("c.npy", table), ("f.npy", np.asfortranarray(table))):
        np.save(tmp_path / name, array)
        assert main(["train", str(tmp_path / name), "-o", str(tmp_path / "m"), *SMALL]) == 0
        models.append((tmp_path / "m").read_bytes())
    assert models[0] == models[1]


def test_memory_does_not_grow_with_a_fortran_ordered_file(tmp_path):
    peaks = []
    for rows in (50_000, 1_000_000):
        path = tmp_path / "f.npy"
        table = np.lib.format.open_memmap(path, "w+", np.float32, (rows, 21), fortran_order=True)
        table[:, 0] = np.arange(rows) % 7
        table[:, 20] = np.arange(rows) % 2
        table.flush()
        del table
        code = (
            "import sys, resource\nfrom budgetrs.cli import main\n"
            f"main(['train', {str(path)!r}, '-o', {str(tmp_path / 'm')!r}, *{SMALL!r}])\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
        )
        assert f"rows read: {rows:,}" in done.stdout
        peaks.append(int(done.stdout.split()[-1]) / (1024 if sys.platform != "darwin" else 1024**2))
    # The files have 4 and 80 MiB.
    assert peaks[1] < peaks[0] + 45, f"MiB: {peaks}"


def test_too_little_memory_is_one_line(tmp_path):
    path = tmp_path / "f.npy.gz"
    with gzip.open(path, "wb", 1) as out:
        header = {"descr": "<f4", "fortran_order": True, "shape": (100_000_000, 4)}
        np.lib.format.write_array_header_1_0(out, header)
        for _ in range(700):
            out.write(bytes(1_000_000))

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))

    command = [sys.executable, "-m", "budgetrs", "train", str(path), "-o", str(tmp_path / "m")]
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, preexec_fn=limit, env=environment
    )
    assert (done.returncode, done.stderr) == (1, "budgetrs: not enough memory; try a smaller --budget\n")


def test_text_of_other_kinds(tmp_path, capsys):
    for name, data, said in (
        (
            "utf16.csv",
            csv_text(X, y).encode("utf-16"),
            "budgetrs: {}: expected CSV, LIBSVM text, ARFF, NumPy, Parquet or Arrow, got UTF-16 text; ",
        ),
        ("latin.libsvm", b"\xe9 1:1\nb 2:1\n", "{}:1:1: expected a label in UTF-8"),
        ("bytes", bytes(range(256)) * 9, "budgetrs: {}: expected CSV, LIBSVM text, ARFF, "),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        code, _, err = train(path, capsys)
        assert code == 1
        assert err.startswith(said.format(path))
