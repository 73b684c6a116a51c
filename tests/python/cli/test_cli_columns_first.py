"""Arrays that are stored by columns, inside an archive, and headers that are no shape."""

import io

import numpy as np
import pytest

from budgetrs.cli.arrays import ArrayStream
from conftest import run


@pytest.mark.parametrize("shape", [(1, 1), (5, 300_000), (70, 70_000), (1000, 3), (40_000, 7)])
def test_blocks_of_rows_are_the_array(shape):
    array = np.asfortranarray(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
    content = io.BytesIO()
    np.save(content, array)
    content.seek(0)
    rows = max(1, (1 << 20) // (4 * shape[1]))
    pieces = list(ArrayStream(content, "X", 1 << 30).pieces(rows))
    assert np.array_equal(np.concatenate(pieces), array)
    # Each can be learned as it is, and none is larger than those of an array stored by rows.
    assert all(piece.flags.c_contiguous and len(piece) <= rows for piece in pieces)


def test_an_array_that_is_read_whole_has_a_limit(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(300, 100))
    np.savez_compressed(tmp_path / "columns.npz", X=np.asfortranarray(X), y=np.arange(300) % 2)
    np.savez_compressed(tmp_path / "rows.npz", X=X, y=np.arange(300) % 2)
    for name, code in (("columns", 1), ("rows", 0)):
        data = tmp_path / f"{name}.npz"
        given = ["train", data, "-o", tmp_path / name, "-q", "--budget", "20"]
        got, _, err = run(capsys, *given, "--max-memory", "200K")
        assert got == code, err
    assert not (tmp_path / "columns").exists()
    got, _, err = run(capsys, "train", tmp_path / "columns.npz", "-o", tmp_path / "o", "--max-memory", "200K")
    assert err == (
        f"budgetrs: {tmp_path}/columns.npz[X]: --max-memory must be at least 240,000 bytes for a "
        "column-major array, which is read whole, got 204,800\n"
    )
    given = ["train", tmp_path / "columns.npz", "-o", tmp_path / "columns", "-q", "--budget", "20"]
    assert run(capsys, *given, "--max-memory", "240000")[0] == 0
    assert (tmp_path / "columns").read_bytes() == (tmp_path / "rows").read_bytes()


@pytest.mark.parametrize("shape", ["(True, True)", "(3, True)", "(-1, 2)"])
def test_a_shape_that_is_none(shape, tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.zeros((1, 1)))
    content = (tmp_path / "a.npy").read_bytes()
    header = b"(1, 1), }".ljust(len(shape) + 4)
    assert header in content
    (tmp_path / "a.npy").write_bytes(content.replace(header, f"{shape}, }}".encode().ljust(len(header))))
    code, _, err = run(capsys, "train", tmp_path / "a.npy", "-o", tmp_path / "m")
    said = f"budgetrs: {tmp_path}/a.npy: expected the shape of an array, got {shape}\n"
    assert (code, err) == (1, said)
