"""Prefetching and learning during the scan change no result."""

import gzip
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from budgetrs import Classifier, Regressor
from budgetrs.cli.prefetch import Prefetch
from budgetrs.cli.single_pass import SinglePass
from conftest import run

N = 60_000  # rows of several pieces of a file
SMALL = ["--algorithm", "bsgd-merge", "--budget", "20"]


def csv_text(y, seed=0):
    X = np.random.default_rng(seed).normal(size=(len(y), 3)).round(6)
    rows = zip(X.tolist(), y, strict=True)
    return "a,b,c,y\n" + "".join(f"{a},{b},{c},{label}\n" for (a, b, c), label in rows), X.astype(np.float32)


LABELS = np.random.default_rng(1).integers(0, 2, N)
TEXT, X = csv_text(LABELS.tolist())


@pytest.fixture
def began(monkeypatch):
    """Whether learning was active after each batch that was scanned."""
    ends = []
    add = SinglePass.add

    def noted(self, found, batch):
        ends.append(add(self, found, batch))
        return ends[-1]

    monkeypatch.setattr(SinglePass, "add", noted)
    return ends


@pytest.fixture
def train(tmp_path, capsys):
    def train(text, *options, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return (
            *run(capsys, "train", path, "-o", tmp_path / "model", "-q", *SMALL, *options),
            tmp_path / "model",
        )

    return train


def learned(y, rows=slice(None), classes=(0, 1), **given):
    model = Classifier("bsgd-merge", budget=20, classes=list(classes), **given)
    return model.learn(X[rows], y[rows])


def same(path, model):
    loaded = type(model).load(path)
    np.testing.assert_array_equal(loaded.dual_coef_, model.dual_coef_)
    np.testing.assert_array_equal(loaded.support_vectors_, model.support_vectors_)
    return loaded.n_samples_seen_ == model.n_samples_seen_


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


def test_learning_during_the_scan_gives_the_model_of_two_passes(train, began):
    code, out, err, path = train(TEXT)
    assert (code, err) == (0, "")
    assert began == [True] * len(began)
    assert len(began) > 1
    assert f"rows read: {N:,}\n" in out
    assert same(path, learned(LABELS))


@pytest.mark.parametrize("passes", [1, 2])
def test_several_passes(passes, train, began):
    assert train(TEXT, "--passes", passes)[0] == 0
    assert all(began)


def test_a_late_class_is_known_from_the_beginning(train, began):
    y = LABELS.copy()
    y[-1] = 2
    code, out, _, path = train(csv_text(y.tolist())[0])
    assert (code, began[0], began[-1]) == (0, True, False)
    assert f"rows read: {N:,}\n" in out
    assert same(path, learned(y, classes=(0, 1, 2)))


def test_a_file_of_one_class_after_the_other(train, began):
    y = (np.arange(N) > 0.9 * N).astype(int)
    assert train(csv_text(y.tolist())[0])[0] == 0
    assert not any(began)


def test_what_needs_all_rows_waits_for_them(train, began):
    assert train(TEXT, "--scaling", "fixed")[0] == 0
    assert train(TEXT, "--set", "rate=auto")[0] == 0
    assert not any(began)


def test_regression(train, began, tmp_path, capsys):
    y = X[:, 0].round(3).tolist()
    code, *_, path = train(csv_text(y)[0], "--task", "regression", "--algorithm", "bsgd-merge")
    assert (code, all(began)) == (0, True)
    assert Regressor.load(path).n_samples_seen_ == N


def test_a_bad_line_far_down_leaves_nothing(train, began):
    lines = TEXT.splitlines()
    lines[N - 5] = "1,2,x,0"
    code, out, err, path = train("\n".join(lines))
    assert (code, out) == (1, "")
    assert err.startswith(f"{path.with_name('data.csv')}:{N - 4}:5: expected a number in column c, got `x`; ")
    assert not path.exists()
    assert began[0]


def test_a_row_that_cannot_be_learned_is_reported_after_the_scan(train, began):
    lines = TEXT.splitlines()
    lines[N - 5] = "1,2,3,7"
    code, _, err, path = train("\n".join(lines), "--classes", "0,1")
    assert (code, path.exists()) == (1, False)
    assert f":{N - 4}: expected one of the classes 0, 1 (--classes), got 7" in err
    lines[-1] = "1,2,x,0"
    code, _, err, path = train("\n".join(lines), "--classes", "0,1")
    assert (code, path.exists()) == (1, False)
    assert f":{N + 1}:5: expected a number in column c, got `x`; " in err


def test_interrupted_on_the_way(train, monkeypatch):
    add = SinglePass.add

    def interrupted(self, found, batch):
        add(self, found, batch)
        raise KeyboardInterrupt

    monkeypatch.setattr(SinglePass, "add", interrupted)
    code, _, err, path = train(TEXT)
    loaded = Classifier.load(path)
    assert (code, err) == (
        130,
        f"budgetrs: interrupted; the model of the first {loaded.n_samples_seen_:,} rows is saved in {path}\n",
    )
    assert same(path, learned(LABELS, slice(loaded.n_samples_seen_)))
    assert 0 < loaded.n_samples_seen_ < N


def test_compressed_and_piped(train, tmp_path):
    plain = train(TEXT)[-1].read_bytes()
    packed = gzip.compress(TEXT.encode(), 1)
    assert train(packed, name="data.csv.gz")[-1].read_bytes() == plain
    # Cut in the middle: what is wrong is said, and no thread is left waiting.
    code, _, err, _ = train(packed[: len(packed) // 2], name="cut.csv.gz")
    assert code == 1
    assert "cut.csv.gz: damaged or truncated compressed data" in err
    command = [sys.executable, "-m", "budgetrs", "train", "-", "--format", "csv", "--classes", "0,1", *SMALL]
    done = subprocess.run([*command, "-o", tmp_path / "piped"], input=packed, capture_output=True, check=True)
    assert f"rows read: {N:,}\n".encode() in done.stdout
    assert same(tmp_path / "piped", learned(LABELS))
    assert not [thread.name for thread in threading.enumerate() if "_make" in thread.name]
