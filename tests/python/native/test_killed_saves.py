"""A process that is killed while it saves leaves a whole file and nothing else."""

import os

import numpy as np
import pytest

from budgetrs import Classifier
from budgetrs._core import AtomicFile
from killed_saves import kill_saving

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills are those of Unix")


@pytest.mark.nightly
def test_kills_leave_a_whole_file_and_no_other(tmp_path):
    left = kill_saving(tmp_path / "model", 12)
    # A temporary file has a name for microseconds of the milliseconds that a save takes.
    assert left <= 1 or not has_nameless_files(tmp_path)


def has_nameless_files(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except (AttributeError, OSError):
        return False
    return True


def test_stale_temporary_files_are_replaced(tmp_path):
    model = Classifier("pa").learn(np.eye(4), [0, 1, 0, 1])
    for saves in range(2):
        (tmp_path / ".model.budgetrs-new").write_bytes(b"half of a model")
        (tmp_path / "model").touch()
        model.save(tmp_path / "model")
        assert [path.name for path in tmp_path.iterdir()] == ["model"], saves


def test_an_atomic_file_replaces_the_file(tmp_path):
    file = tmp_path / "scores"
    file.write_text("old")
    new = AtomicFile(file)
    new.write(b"ne")
    new.write(b"w")
    assert file.read_text() == "old"
    new.commit()
    new.discard()
    assert file.read_text() == "new"
    for use in (new.commit, lambda: new.write(b"more")):
        with pytest.raises(ValueError, match="was committed or discarded"):
            use()
    discarded = AtomicFile(file)
    discarded.write(b"other")
    discarded.discard()
    assert file.read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["scores"]
