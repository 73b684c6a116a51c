"""The thread that reads ahead, and files in several pieces, packed and piped."""

import gzip
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from budgetrs import Classifier
from budgetrs.cli.bytes import Prefetch
from conftest import run

N = 60_000  # rows of several pieces of a file
SMALL = ["--algorithm", "bsgd-merge", "--budget", "20"]
X = np.random.default_rng(0).normal(size=(N, 3)).round(6)
LABELS = np.random.default_rng(1).integers(0, 2, N)
TEXT = "a,b,c,y\n" + "".join(
    f"{a},{b},{c},{label}\n" for (a, b, c), label in zip(X.tolist(), LABELS, strict=True)
)


@pytest.fixture
def train(tmp_path, capsys):
    def train(text, *options, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        model = tmp_path / "model"
        return *run(capsys, "train", path, "-o", model, "-q", *SMALL, *options), model

    return train


def learned(rows=slice(None)):
    return Classifier("bsgd-merge", budget=20).learn(X[rows].astype(np.float32), LABELS[rows])


def same(path, model):
    np.testing.assert_array_equal(Classifier.load(path).dual_coef_, model.dual_coef_)
    return Classifier.load(path).n_samples_seen_ == model.n_samples_seen_


def test_items_come_in_order_and_then_the_error():
    def items():
        yield from range(100)
        raise ValueError("the end")

    with Prefetch(items()) as prefetched:
        found = iter(prefetched)
        assert [next(found) for _ in range(100)] == list(range(100))
        with pytest.raises(ValueError, match="the end"):
            next(found)


def test_no_more_is_made_than_a_few():
    made = []

    def items():
        for item in range(100):
            made.append(item)
            yield item

    with Prefetch(items()) as prefetched:
        for item in prefetched:
            time.sleep(0.001)
            assert len(made) <= item + 3
            if item == 20:
                break
    assert len(made) <= 24


def test_a_thread_that_waits_is_ended():
    reading, writing = os.pipe()
    before = threading.active_count()
    with (
        os.fdopen(reading, "rb", buffering=0) as pipe,
        Prefetch(iter(lambda: pipe.read(10), b""), lambda: os.close(writing)),
    ):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_a_file_of_several_pieces(train):
    code, out, err, path = train(TEXT)
    assert (code, err) == (0, "")
    assert f"rows read: {N:,}\n" in out
    assert same(path, learned())


def test_a_late_class_is_learned(train):
    code, _, _, path = train(TEXT + "1,2,3,late\n".replace("late", "2"))
    assert (code, Classifier.load(path).classes_.tolist()) == (0, [0, 1, 2] if LABELS[0] == 0 else [1, 0, 2])


def test_a_bad_line_far_down_leaves_nothing(train):
    lines = TEXT.splitlines()
    lines[N - 5] = "1,2,x,0"
    code, out, err, path = train("\n".join(lines))
    assert (code, out) == (1, "")
    assert err.startswith(
        f"budgetrs: {path.with_name('data.csv')}:{N - 4}:5: expected a number in column c, got `x`; "
    )
    assert not path.exists()


def test_interrupted_on_the_way(train, monkeypatch):
    def interrupted(model):
        if model.n_samples_seen_ > 20_000:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr("budgetrs.cli.measures.status", interrupted)
    code, _, err, path = train(TEXT)
    seen = Classifier.load(path).n_samples_seen_
    said = f"budgetrs: interrupted; the model of the first {seen:,} rows is saved in {path}\n"
    assert (code, err) == (130, said)
    assert 20_000 < seen < N
    assert same(path, learned(slice(seen)))


def test_compressed_and_piped(train, tmp_path):
    plain = train(TEXT)[-1].read_bytes()
    packed = gzip.compress(TEXT.encode(), 1)
    assert train(packed, name="data.csv.gz")[-1].read_bytes() == plain
    # Cut in the middle: what is wrong is said, and no thread is left waiting.
    code, _, err, _ = train(packed[: len(packed) // 2], name="cut.csv.gz")
    assert code == 1
    assert "cut.csv.gz: damaged or truncated compressed data" in err
    command = [sys.executable, "-m", "budgetrs", "train", "-", "--format", "csv", *SMALL]
    done = subprocess.run([*command, "-o", tmp_path / "piped"], input=packed, capture_output=True, check=True)
    assert f"rows read: {N:,}\n".encode() in done.stdout
    assert same(tmp_path / "piped", learned())
    assert not [thread.name for thread in threading.enumerate() if "_make" in thread.name]
