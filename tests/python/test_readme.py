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
RESULTS = ROOT / "benches"
ROWS = 1200  # of the short form of an example in the gallery


def blocks(language, page):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


EXAMPLES = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{at}")
    for page in PAGES
    for at, block in enumerate(blocks("python", page))
]
OUTPUTS = re.findall(
    r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE
)
PROGRAMS = [  # those that make their data themselves
    pytest.param(block, id=str(page.relative_to(ROOT)))
    for page in PAGES
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
    assert len(blocks("python", README)) == 3 == len(OUTPUTS)
    assert len(EXAMPLES) >= 17
    assert len(PROGRAMS) >= 2
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


@pytest.mark.parametrize(("block", "output"), OUTPUTS)
def test_example_of_the_readme_prints_what_it_says(block, output, capsys):
    exec(block, {})
    assert capsys.readouterr().out == output


def test_the_rust_example_of_the_readme_is_one_that_is_tested():
    assert blocks("rust", README) == blocks("rust", ROOT / "docs" / "rust.md")


# Numbers of the readme, each list with the file and the beginning of the line that has them.
FIGURES = [
    ("comparison/results/peers.txt", r"\ncovertype-200k: .*?\nbudgetrs ", "84.5% 161,326"),
    ("comparison/results/peers.txt", r"\ncovertype-200k: .*?\nLightGBM ", "85.1% 20,668"),
    ("comparison/results/peers.txt", r"\na9a: .*?\nSGDClassifier ", "85.0% 812,327"),
    ("comparison/results/peers.txt", r"\na9a: .*?\nbudgetrs ", "84.9% 133,332"),
    ("comparison/results/growth.txt", r"\nbudgetrs +1,000 ", "11 kB"),
    ("comparison/results/growth.txt", r"\nbudgetrs +1,024,000 ", "12 kB"),
    ("comparison/results/growth.txt", r"\nSVC +1,000 ", "16 kB"),
    ("comparison/results/growth.txt", r"\nSVC +64,000 ", "650 kB"),
    ("comparison/results/elec2.txt", r"\n 45000 ", "92.1% 85.4%"),
    ("comparison/results/on_river.txt", r"\n\| budgetrs, B = 100 ", "58,067 47 kB"),
    ("comparison/results/on_river.txt", r"\n\| ARFClassifier ", "832 19,533 kB"),
    ("comparison/results/tables.txt", r"\naccuracy +against LightGBM ", "12 11 10"),
    ("comparison/results/tables.txt", r"\nr2 +against LightGBM ", "4 4 3"),
    ("comparison/results/tables.txt", r"\nmean accuracy on 10 tables ", "0.883 0.876 0.867 0.835"),
    ("results/latency.txt", r"\nonline-kernel +100 +20 ", "1.7 0.8"),
]


@pytest.mark.parametrize(("file", "line", "numbers"), FIGURES)
def test_the_numbers_of_the_readme_are_what_commands_printed(file, line, numbers):
    """Rounded to the digits of the readme; those of latency.txt are nanoseconds there."""
    text = (RESULTS / file).read_text()
    begin = re.search(line, text, re.DOTALL).end()
    cells = re.findall(r"[\d,]*\d(?:\.\d+)?", text[begin:].partition("\n")[0])
    printed = [float(cell.replace(",", "")) for cell in cells]
    for number in numbers.replace(" kB", "kB").split():
        digits = number.rstrip("%kB").replace(",", "")
        places = len(digits.partition(".")[2])
        scale = 1000 if file.endswith("latency.txt") else 1
        assert any(f"{value / scale:.{places}f}" == digits for value in printed), (number, printed)
        assert number.replace("kB", " kB") in README.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    text = page.read_text()
    links = re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", text)
    for target in [*links, *re.findall(r'(?:src|srcset)="([^":]+)"', text)]:
        if "gallery/" in target and not target.startswith(".."):  # written when the site is built
            source = ROOT / "examples" / "gallery" / target.rpartition("gallery/")[2]
            assert target.endswith("index.rst") or source.with_suffix(".py").exists(), target
        elif page.name != "contributing.md":
            assert (page.parent / target).exists(), target


def test_links_of_the_readme_can_be_made_absolute(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from readme import absolute

    text = '[a](docs/a.md#b) [c](#c) [d](https://d.org) <img src="docs/e.svg"> <source srcset="f.svg">'
    assert absolute(text, "https://host/o/r") == (
        "[a](https://host/o/r/blob/main/docs/a.md#b) [c](#c) [d](https://d.org) "
        '<img src="https://host/o/r/raw/main/docs/e.svg"> <source srcset="https://host/o/r/raw/main/f.svg">'
    )
