"""The examples of the readme and of the site run as they stand."""

import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
GALLERY = sorted((ROOT / "examples" / "gallery").glob("*.py"))
RESULTS = ROOT / "benches" / "comparison" / "results"
ROWS = 1200  # of the short form of an example in the gallery


def blocks(language, page):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


EXAMPLES = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{at}")
    for page in PAGES
    for at, block in enumerate(blocks("python", page))
]
PROGRAMS = [  # those that make their data themselves
    pytest.param(block, id=str(page.relative_to(ROOT)))
    for page in [README]
    for block in blocks("sh", page)
    if block.startswith("seq ")
]


@pytest.fixture(autouse=True)
def pictures(monkeypatch, tmp_path):
    """Draw into files, and work in an empty folder."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    yield
    pyplot.close("all")


def test_there_are_examples():
    assert len(blocks("python", README)) == 3
    assert len(EXAMPLES) >= 17
    assert len(PROGRAMS) >= 1
    assert len(GALLERY) >= 8


@pytest.mark.parametrize("block", EXAMPLES)
def test_example_runs(block, capsys):
    exec(block, {})
    assert capsys.readouterr().out.strip() or "savefig" in block or ".to_csv" in block


@pytest.mark.parametrize("block", PROGRAMS)
def test_program_runs(block):
    program = f'set -e\nbudgetrs() {{ "{sys.executable}" -m budgetrs "$@"; }}\n'
    command = ["bash", "-c", program + block]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    np.testing.assert_allclose([float(line) for line in lines[-2:]], np.sin([1.5, 4.7]), atol=0.05)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_gallery_runs(path, capsys):
    source, found = re.subn(
        r"^ROWS = ([\d_]+)$", lambda row: shorter(row[1]), path.read_text(), flags=re.MULTILINE
    )
    assert found == 1, "an example says its number of rows once: ROWS = number"
    exec(compile(source, path, "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.strip()


def shorter(rows):
    return f"ROWS = {min(int(rows), ROWS)}"


def test_every_example_is_in_the_gallery():
    (listed,) = re.findall(
        r"^ORDER = \[(.*?)\]", (ROOT / "docs" / "conf.py").read_text(), re.DOTALL | re.MULTILINE
    )
    assert sorted(re.findall(r'"(\S+)"', listed)) == [path.name for path in GALLERY]


@pytest.mark.parametrize("name", ["on_river", "peers"])
def test_the_tables_of_the_readme_are_what_commands_printed(name):
    command, *printed = (RESULTS / f"{name}.txt").read_text().splitlines()
    table = [line for line in printed if line.startswith("|")]
    text = README.read_text()
    assert len(table) > 5
    assert "\n".join(table) in text
    assert command.removeprefix("$ python ").partition(" --")[0] in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", page.read_text()):
        if "gallery/" in target and not target.startswith(".."):  # written when the site is built
            source = ROOT / "examples" / "gallery" / target.rpartition("gallery/")[2]
            assert target.endswith("index.rst") or source.with_suffix(".py").exists(), target
        elif page.name != "contributing.md":
            assert (page.parent / target).exists(), target
