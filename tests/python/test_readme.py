"""The examples of the readme and of the site run, and print what the page shows.

The Python and shell blocks of a page run in order, in one temporary folder. A ``text`` block that directly
follows such a block is the expected output; ``...`` stands for any text, and speed and memory may differ. In
a ``console`` block the lines after a dollar sign are commands, the others the expected output. The Rust block
of docs/rust.md is a doctest.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ROOT, but_nightly

README = ROOT / "README.md"
PAGES = [README, ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
GALLERY = sorted((ROOT / "examples" / "gallery").glob("*.py"))
ROWS = 1200  # of the short form of an example in the gallery
FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
VARIES = re.compile(
    r'(rows/s|rows_per_second|seconds|peak memory|peak_memory_bytes)("?): [\d.,]*\d(?: [KMG]iB)?'
)
NOT_RUN = ("pip ", ".venv/", "make ", "cargo ", "git clone ")  # shell lines that install or build


@dataclass
class Block:
    """A block of code on a page, with the output that the page shows."""

    language: str
    code: str
    line: int
    printed: str | None = None


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    found = []
    end = -1
    for fence in FENCED.finditer(text):
        language, code = fence[1], fence[2]
        if language == "text" and found and not text[end : fence.start()].strip():
            found[-1].printed = code
        elif language == "console":
            lines = code.splitlines(keepends=True)
            commands = "".join(line.removeprefix("$ ") for line in lines if line.startswith("$ "))
            output = "".join(line for line in lines if not line.startswith("$ "))
            found.append(Block("sh", commands, text.count("\n", 0, fence.start()) + 1, output))
        elif language in ("python", "sh"):
            found.append(Block(language, code, text.count("\n", 0, fence.start()) + 1))
        else:
            continue
        end = fence.end()
    return found


EXAMPLES = [page for page in PAGES if blocks(page)]


@pytest.fixture(autouse=True)
def pictures(monkeypatch, tmp_path):
    """Draw into files, and work in an empty folder."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    yield
    pyplot.close("all")


def test_there_are_examples():
    found = [block for page in PAGES for block in blocks(page)]
    assert sum(block.language == "python" for block in found) >= 20
    assert sum(block.language == "sh" for block in found) >= 3
    assert sum(block.printed is not None for block in found) >= 20
    assert any(block.language == "python" for block in blocks(README))
    assert len(GALLERY) >= 8


def run_python(block, page):
    printed = io.StringIO()
    code = compile("\n" * block.line + block.code, page, "exec")  # errors have the lines of the page
    with contextlib.redirect_stdout(printed):
        exec(code, {"__name__": "__main__"})
    return printed.getvalue()


def run_shell(block):
    lines = (line for line in block.code.splitlines() if not line.startswith(NOT_RUN))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", "\n".join(["set -e -o pipefail", *lines])],
        env={**os.environ, "PATH": path, "COLUMNS": "90"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"line {block.line}: {done.stderr}"
    return done.stdout


# Those that start clusters or many programs are for `make nightly`.
@pytest.mark.parametrize(
    "page",
    but_nightly(EXAMPLES, often=[page for page in EXAMPLES if page.stem not in ("cli", "dask", "data")]),
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_examples_run_and_print_what_the_page_shows(page):
    check(page)


def check(page):
    for block in blocks(page):
        printed = run_python(block, page) if block.language == "python" else run_shell(block)
        if block.printed is not None:
            expected, got = (VARIES.sub(r"\1\2: 0", text) for text in (block.printed, printed))
            same = doctest.OutputChecker().check_output(expected, got, doctest.ELLIPSIS)
            assert same, f"line {block.line} printed:\n{printed}"


@pytest.mark.parametrize(
    ("example", "is_right"),
    [
        ("```python\nprint(1)\nprint(2)\n```\n\n```text\n1\n2\n```\n", True),
        ("```python\nprint('1.25 s')\n```\n\n```text\n... s\n```\n", True),
        ("```python\nprint('rows: 2, rows/s: 3')\n```\n\n```text\nrows: 2, rows/s: 4,012.5\n```\n", True),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", False),
        ("```python\nprint(1)\n```\n\nAnother paragraph.\n\n```text\n2\n```\n", True),
        ("```sh\necho 1 > one\n```\n\n```sh\npip install nothing\ncat one\n```\n\n```text\n1\n```\n", True),
        ("```sh\nfalse\necho 1\n```\n", False),
        ("```console\n$ echo 1\n1\n$ echo 2\n2\n```\n", True),
        ("```console\n$ echo 1\n2\n```\n", False),
        ("```{include} one.txt\n```\n\n```toml\n[a]\n```\n\n```python\nassert False\n```\n", False),
    ],
)
def test_output_is_compared(tmp_path, example, is_right):
    page = tmp_path / "page.md"
    page.write_text(example)
    with contextlib.nullcontext() if is_right else pytest.raises(AssertionError):
        check(page)


@pytest.mark.parametrize(
    "path",
    but_nightly(GALLERY, often=[path for path in GALLERY if path.stem != "with_river"]),
    ids=lambda path: path.stem,
)
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


def test_the_rust_example_of_the_readme_is_one_that_is_tested():
    (readme,), (page,) = (
        [code for language, code in FENCED.findall(path.read_text()) if language == "rust"]
        for path in (README, ROOT / "docs" / "rust.md")
    )
    assert readme == page


# Numbers of the readme, each list with the file and the beginning of the line that has them.
OTHERS, STREAMS = "measure/results/other_libraries.txt", "measure/results/river_models.txt"
TABLES, GROWTH = "measure/results/tables.txt", "measure/results/growth.txt"
FIGURES = [
    (OTHERS, r"\nletter: .*?\nbudgetrs ", "96.2% 363,000 1,460,000 162 kB"),
    (OTHERS, r"\nletter: .*?\nbudgetrs, fit ", "96.8% 184,000 1,420,000 162 kB"),
    (OTHERS, r"\nletter: .*?\nSVC, tuned ", "97.6% 6,450 2,860 2,730 kB"),
    (OTHERS, r"\nletter: .*?\nSVC ", "94.3%"),
    (OTHERS, r"\nletter: .*?\nLightGBM, tuned ", "97.1% 2,460 3,100 12,200 kB"),
    (OTHERS, r"\nletter: .*?\nLightGBM ", "96.7%"),
    (OTHERS, r"\nletter: .*?\nrandom forest ", "96.3% 12,100 44,600 111,000 kB"),
    (OTHERS, r"\nletter: .*?\n1-NN, unscaled ", "95.6% 793,000 25,500 3,540 kB"),
    (OTHERS, r"\nletter: .*?\npolynomial logistic ", "94.5% 9,680 1,070,000 18 kB"),
    (OTHERS, r"\nletter: .*?\nRBFSampler-2000, ridge ", "93.7% 9,960 214,000 338 kB"),
    (OTHERS, r"\nletter: .*?\ndecision tree ", "87.8% 284,000 2,590,000 1,040 kB"),
    (OTHERS, r"\nletter: .*?\nRBFSampler-500 [+] SGD ", "80.7% 43,700 782,000 138 kB"),
    (OTHERS, r"\nletter: .*?\nSGDClassifier ", "69.3% 217,000 2,970,000 6 kB"),
    (OTHERS, r"\ncovertype-200k: .*?\nbudgetrs ", "85.0%"),
    (OTHERS, r"\ncovertype-200k: .*?\ndecision tree ", "90.7%"),
    (OTHERS, r"\ncovertype-200k: .*?\nrandom forest ", "93.2%"),
    (OTHERS, r"\ncovertype-200k: .*?\n1-NN, unscaled ", "95.4%"),
    (OTHERS, r"\na9a: .*?\nSGDClassifier ", "85.1% 1,350,000"),
    (OTHERS, r"\na9a: .*?\nbudgetrs ", "84.7% 436,000"),
    ("measure/results/first_example.txt", r"\nbudgetrs, B = 100, 34 kB, drift at ", "0.6%"),
    ("measure/results/first_example.txt", r"\nSGDClassifier ", "42%"),
    ("measure/results/first_example.txt", r"\nrandom forest, refitted ", "2.6%"),
    (GROWTH, r"\nbudgetrs +2,000 ", "15 kB"),
    (GROWTH, r"\nbudgetrs +1,024,000 ", "15 kB"),
    (GROWTH, r"\nSVC +2,000 ", "30 kB"),
    (GROWTH, r"\nSVC +64,000 ", "650 kB"),
    ("measure/results/first_example.txt", r"\nSVC, tuned, fitted to at most 16,000 rows ", "0.3%"),
    (STREAMS, r"\n\| all streams .*?\n\| budgetrs, B = 100 ", "91,500 169 kB 88.1%"),
    (STREAMS, r"\n\| all streams .*?\n\| KNNClassifier, scaled ", "1,150 1,370 kB 84.0% 9 1"),
    (STREAMS, r"\n\| all streams .*?\n\| SVC, scaled, refitted ", "5,700 1,210 kB 83.5% 8 2"),
    (STREAMS, r"\n\| all streams .*?\n\| random forest, refitted ", "1,200 8,910 kB 82.4% 8 1"),
    (STREAMS, r"\n\| all streams .*?\n\| SRPClassifier ", "243 171,000 kB 81.7% 9 1"),
    (STREAMS, r"\n\| all streams .*?\n\| ARFClassifier ", "1,090 50,800 kB 81.6% 10 0"),
    (STREAMS, r"\n\| all streams .*?\n\| LightGBM, refitted ", "2,020 1,870 kB 81.5% 9 1"),
    (STREAMS, r"\n\| all streams .*?\n\| LogisticRegression, scaled ", "27,600 9 kB 79.6% 8 2"),
    (STREAMS, r"\n\| all streams .*?\n\| logistic, last labels ", "11,400 19 kB 77.0% 9 1"),
    (STREAMS, r"\n\| all streams .*?\n\| previous label ", "4,690,000 0 kB 54.1% 10 0"),
    (STREAMS, r"\n\| ImageSegments ", "95.5% 93.5%"),
    (STREAMS, r"\n\| Phishing ", "91.3% 90.6%"),
    (STREAMS, r"\n\| Bananas ", "90.1% 89.5%"),
    (STREAMS, r"\n\| NOAA ", "80.5% 79.6%"),
    (STREAMS, r"\n\| moving clusters ", "89.7% 88.4%"),
    (STREAMS, r"\n\| SEA ", "88.5% 88.2%"),
    (STREAMS, r"\n\| hyperplane ", "92.9% 92.7%"),
    (STREAMS, r"\n\| flights ", "83.7% 81.7% 79.6%"),
    (STREAMS, r"\n\| Elec2 ", "94.8% 84.8%"),
    (STREAMS, r"\nElec2, the price ", "99.97%"),
    (TABLES, r"\naccuracy +against LightGBM ", "11 10 12"),
    (TABLES, r"\naccuracy +against CatBoost ", "4 7 14"),
    (TABLES, r"\naccuracy +against forest ", "14 7 12"),
    (TABLES, r"\naccuracy +against SVM ", "9 4 16"),
    (TABLES, r"\naccuracy +against linear ", "18 4 11"),
    (TABLES, r"\nr2 +against LightGBM ", "4 3 4"),
    (TABLES, r"\nr2 +against CatBoost ", "3 4 0"),
    (TABLES, r"\nr2 +against forest ", "8 1 2"),
    (TABLES, r"\nr2 +against SVM ", "7 0 0"),
    (TABLES, r"\nr2 +against linear ", "8 1 2"),
    (TABLES, r"\nmean accuracy on 10 tables ", "0.884 0.881 0.876 0.872 0.867 0.835"),
    (TABLES, r"\n  budgetrs - CatBoost [^\n]*median ", "0.001"),
    (TABLES, r"\n  budgetrs - SVM [^\n]*median -", "0.002"),
    ("benches/results/latency.txt", r"\nonline-kernel +100 +20 ", "0.9 0.3"),
]


@pytest.mark.parametrize(("file", "line", "numbers"), FIGURES)
def test_the_numbers_of_the_readme_are_what_commands_printed(file, line, numbers):
    """To the three digits, or fewer, of the readme; latency.txt has nanoseconds."""
    text = (ROOT / file).read_text()
    begin = re.search(line, text, re.DOTALL).end()
    cells = re.findall(r"[\d,]*\d(?:\.\d+)?", text[begin:].partition("\n")[0])
    printed = [float(cell.replace(",", "")) for cell in cells]
    for number in numbers.replace(" kB", "kB").split():
        digits = number.rstrip("%kB").replace(",", "")
        unit = 10.0 ** (-len(digits.partition(".")[2]) or max(0, len(digits) - 3))
        scale = 1000 if file.endswith("latency.txt") else 1
        assert any(abs(value / scale - float(digits)) <= 0.5001 * unit for value in printed), (
            number,
            printed,
        )
        assert number.replace("kB", " kB") in README.read_text()


def links(page):
    text = page.read_text()
    return [
        *re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", text),
        *re.findall(r'(?:src|srcset)="([^":]+)"', text),
    ]


def leads_to_a_file(page, target):
    if "gallery/" in target and not target.startswith(".."):  # written when the site is built
        source = ROOT / "examples" / "gallery" / target.rpartition("gallery/")[2]
        return target.endswith("index.rst") or source.with_suffix(".py").exists()
    return page.name == "contributing.md" or (page.parent / target).exists()


def test_links_lead_to_files():
    found = [(page, target) for page in PAGES for target in links(page)]
    assert len(found) > 100
    assert [(str(page), target) for page, target in found if not leads_to_a_file(page, target)] == []


def test_links_of_the_readme_can_be_made_absolute(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from readme import absolute

    text = '[a](docs/a.md#b) [c](#c) [d](https://d.org) <img src="docs/e.svg"> <source srcset="f.svg">'
    assert absolute(text, "https://host/o/r") == (
        "[a](https://host/o/r/blob/main/docs/a.md#b) [c](#c) [d](https://d.org) "
        '<img src="https://host/o/r/raw/main/docs/e.svg"> <source srcset="https://host/o/r/raw/main/f.svg">'
    )
