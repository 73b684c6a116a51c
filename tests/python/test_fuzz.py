"""The parts of `make fuzz`: each runs a few cases, finds what is wrong on purpose, and repeats itself."""

import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import budgetrs
from conftest import ALL, ROOT, but_nightly

sys.path.insert(0, str(ROOT))

from tests.fuzz.cases import PARTS, Draw, module
from tests.fuzz.files import File
from tests.fuzz.pool import Worker

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are watched as Unix has it")


def fuzz(*arguments):
    command = [sys.executable, "-m", "tests.fuzz", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


# How many of them `make nightly` runs, else one. The properties are tests of their own.
CASES = {
    "models": 60,
    "collections": 60,
    "extremes": 100,
    "readers": 200,
    "commands": 15,
    "invalid": 60,
    "exactness": 40,
    "endurance": 2,
    "lifecycle": 6,
}


# The others wait, kill or start processes.
CHEAP = ("models", "extremes", "readers", "invalid", "exactness", "continuations")


@pytest.mark.parametrize(
    "part", but_nightly([part for part in PARTS if part not in ("properties", "kills")], often=CHEAP)
)
def test_a_part_runs_a_few_cases(part, tmp_path):
    cases = CASES.get(part, 1) if ALL else 1
    ended = fuzz("--parts", part, "--seed", 1, "--cases", cases, "--out", tmp_path)
    assert re.search(rf"^seed 1\n(.*\n)*{part}: {cases} cases, 0 failures, \d+ seconds\n$", ended.stdout), (
        ended
    )
    assert (ended.returncode, list(tmp_path.iterdir())) == (0, [])


@pytest.mark.nightly
def test_a_killed_program_leaves_a_whole_file(tmp_path):
    ended = fuzz("--parts", "kills", "--seed", 1, "--cases", 2, "--out", tmp_path)
    assert re.search(r"^kills: 2 cases, 0 failures", ended.stdout, re.MULTILINE), ended


@pytest.mark.parametrize("part", ["models", "readers"])
def test_files_that_failed_once_do_not_fail_again(part):
    files = sorted((ROOT / "tests" / "fuzz" / "kept" / part).iterdir())
    with Worker(part, 1, 30.0) as worker:
        ends = {path.name: worker.run(path) for path in files}
    assert ends == {path.name: {"ok": True} for path in files} != {}


# The end of a kept model file's name is its fault. All others load, and must not fail when they learn.
FAULTS = {
    "-vector-of-3e38": "support vectors must not be too long",
    "-counters-over": "counts.seen must be at most 2^53",
    "-updates-over": "maintenance.updates must be at most 2^53",
}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "fuzz" / "kept" / "models").iterdir()), ids=lambda path: path.stem
)
def test_a_kept_model_file_reaches_its_own_fault(path):
    data = path.read_bytes()
    assert File.open(data).sign() == data
    fault = next((fault for end, fault in FAULTS.items() if path.stem.endswith(end)), None)
    if fault is None:
        assert budgetrs.Classifier.from_bytes(data).to_bytes() == data
    else:
        with pytest.raises(ValueError, match=re.escape(fault)):
            budgetrs.Classifier.from_bytes(data)


def test_unknown_parts_are_refused():
    ended = fuzz("--parts", "models,nothing")
    assert ended.returncode == 2
    assert "--parts must be some of models," in ended.stderr


WRONG = """
import os, signal, time
from .cases import expect

SECONDS = 2.0

def case(draw):
    draw.note("case %d" % draw.index)
    draw.file(".bytes", b"what was tried")
    match draw.index:
        case 1:
            expect(draw.chance(2.0) is False, "it is so")
        case 2:
            os.kill(os.getpid(), signal.SIGSEGV)
        case 3:
            time.sleep(600)
"""


@pytest.mark.nightly
def test_failures_crashes_and_hangs_are_written_with_the_line_that_repeats_them(tmp_path, monkeypatch):
    package = tmp_path / "tests" / "fuzz"
    package.mkdir(parents=True)
    for name in ("__init__", "__main__", "cases", "pool"):
        (package / f"{name}.py").write_text((ROOT / "tests" / "fuzz" / f"{name}.py").read_text())
    (package / "models.py").write_text(WRONG)
    command = [sys.executable, "-m", "tests.fuzz", "--parts", "models", "--seed", "5", "--cases", "5"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert "\nmodels: 5 cases, 3 failures, " in ended.stdout
    for index, what in (
        (1, "BrokenPromiseError: it is so"),
        (2, "killed by SIGSEGV"),
        (3, "no answer within 2 seconds"),
    ):
        kept = tmp_path / "out" / "fuzz" / f"models-5-{index}"
        lines = kept.with_suffix(".txt").read_text().splitlines()
        assert lines[0] == f"python -m tests.fuzz --parts models --seed 5 --case {index}"
        assert lines[1:6] == ["(it happens again)", "", what, "", f"case {index}"]
        assert kept.with_suffix(".bytes").read_bytes() == b"what was tried"
    assert len(list((tmp_path / "out" / "fuzz").iterdir())) == 6


def test_a_case_depends_on_its_number_alone():
    for part in ("models", "extremes", "invalid"):
        notes = []
        for order in ((3, 5), (5,)):
            for index in order:
                draw = Draw(part, 1, index)
                module(part).case(draw)
            notes.append(draw.notes)
        assert notes[0] == notes[1] != []


def test_files_are_taken_apart_and_put_together():
    rng = np.random.default_rng(0)
    for name in ("online-kernel", "bpa-p", "bsgd-merge"):
        for dtype in (np.float32, np.float64):
            X, y = rng.normal(size=(60, 3)).astype(dtype), np.array(["é", "b", ""])[rng.integers(0, 3, 60)]
            data = budgetrs.Classifier(name, budget=5).learn(X, y).to_bytes()
            file = File.open(data)
            assert file.sign() == data
            file.state["learner"]["counts"]["seen"] = ["u64", f"{61:016x}"]
            changed = file.sign()
            assert changed != data
            assert File.open(changed).state == file.state
            # The digest is right: the content is what is looked at.
            with pytest.raises(ValueError, match=r"^(?!.*digest)"):
                budgetrs.Classifier.from_bytes(changed)


@pytest.mark.nightly
def test_a_worker_that_is_deaf_is_replaced():
    with Worker("extremes", 1, 60.0) as worker:
        assert worker.run(0)["ok"]
        first = worker.process
        assert first is not None
        os.kill(first.pid, signal.SIGSTOP)
        worker.seconds = 0.0
        assert worker.run(1)["kind"] == "no answer within 0 seconds"
        assert not first.is_alive()
        worker.seconds = 60.0
        assert worker.run(0) == {"ok": True}


def test_the_guide_lists_these_parts():
    section = (
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Random cases")[1].split("\n## ")[0]
    )
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(PARTS)


@pytest.mark.parametrize("features", [10**6, 2**31, 2**40])
@pytest.mark.parametrize(
    ("algorithm", "params"),
    [("online-kernel", {}), ("online-kernel", {"scaling": "none"}), ("bpa-nn", {"scaling": "online"})],
)
def test_features_without_numbers_take_no_memory(algorithm, params, features):
    model = budgetrs.Regressor(algorithm, budget=5, gamma=1.0, **params).learn(np.eye(3, 2), np.zeros(3))
    assert model.n_support_vectors_ == 0
    file = File.open(model.to_bytes())
    file.state["learner"]["features"] = ["u64", f"{features:016x}"]
    file.tensors["learner.expansion.vectors"] = np.empty((0, features))
    with pytest.raises(ValueError, match="no tensor has as many numbers as the model has features"):
        budgetrs.Regressor.from_bytes(file.sign())
