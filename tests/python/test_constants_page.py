"""The table of constants in docs/online-kernel-details.md agrees with the code."""

import re

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "online-kernel-details.md").read_text()
CELLS = [
    [cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line[:1] == "|"
]
COUNTS = {
    component: [int(n) for n in numbers] for component, *numbers in CELLS if numbers and numbers[0].isdigit()
}
TABLE = [row[:4] for row in CELLS if len(row) == 6 and row[0] not in ("component", "---")]
CONSTANTS = [(cell, file.strip("`")) for _, _, cell, file in TABLE if cell != "none"]

FILES = [
    *sorted((ROOT / "src" / "input").rglob("*.rs")),
    *sorted((ROOT / "src" / "monitor").rglob("*.rs")),
    *(ROOT / "src" / "ops" / f"{name}.rs" for name in ("fences", "moments")),
    *(ROOT / "src" / "rules" / f"{name}.rs" for name in ("robust_mira", "epsilon_insensitive_pa", "targets")),
    *(
        ROOT / "src" / "expansion" / f"{name}.rs"
        for name in ("arow", "linear_term", "local_errors", "scores")
    ),
    *(ROOT / "src" / name for name in ("constants.rs", "model/fit/mod.rs", "learner/refit/mod.rs")),
]
# Constants that do not tune the default: numerical guards, layouts, names, feature hashing, warnings and
# reported figures.
LEFT_OUT = re.compile(
    "ANY_PENALTY|BLOCK_MIN_BYTES|CLEAR_VOTES|CONSTANT_RTOL|CURRENT|HALVINGS|INCREMENT|LAST|MAX_BUCKETS|MAX_CENTRE|"
    "MAX_CURVATURE|MAX_DIFFERENCE|MAX_ENTRY|MAX_ERROR|MAX_EXCESS|MAX_FUNCTIONS|MAX_GROWTH|MAX_HALF_WIDTH|"
    "MAX_METRIC_ENTRY|MAX_SCORE|MAX_VOTES|MAX_WEIGHT|MEAN|METRIC_BUFFER_BYTES|MIN_BLOCK_ROWS|"
    "MIN_PROBABILITY|MIN_UNIT|MODELS|N|NAMES|NO_LIMITS|NO_RANGE|NOISE_RTOL|NUMERIC|SAMPLE_VALUES|"
    "SEED_MASK|SHOWN_DRIFTS|TILE|UNIT_RANGE"
)


def code_of(cell):
    """The code in a cell, without the escapes of a table."""
    return re.search("`(.*)`", cell)[1].replace("\\|", "|")


@pytest.mark.parametrize(("cell", "file"), CONSTANTS)
def test_constants_have_the_value_on_the_page(cell, file):
    code = code_of(cell)
    text = (ROOT / file).read_text()
    named = re.fullmatch("([A-Z_]+) = (.*)", code)
    if named:
        name, value = (re.escape(part) for part in named.groups())
        assert re.search(rf"^(?:pub.* )?(?:const )?{name}(?:: .*)? = {value};?$", text, re.MULTILINE), code
    else:
        assert re.search(rf"(?<![\w.]){re.escape(code)}(?![\w.])", text), code


def test_no_constant_is_missing():
    on_page = {(code_of(cell).partition(" = ")[0], file) for cell, file in CONSTANTS}
    definition = re.compile(r"^(?:pub(?:\(.*?\))? )?const ([A-Z_]+):", re.MULTILINE)
    found = {
        (name, path.relative_to(ROOT).as_posix())
        for path in FILES
        if path.stem != "tests"
        for name in definition.findall(path.read_text())
    }
    missing = {each for each in found - on_page if not LEFT_OUT.fullmatch(each[0])}
    assert not missing, f"neither on the page nor in LEFT_OUT: {sorted(missing)}"


def test_the_counts_follow_from_the_table():
    components = list(dict.fromkeys(component for component, *_ in TABLE))
    expected = {
        component: [
            len({rule for other, rule, *_ in TABLE if other == component}),
            sum(other == component and cell != "none" for other, _, cell, _ in TABLE),
        ]
        for component in components
    }
    expected["all"] = [sum(numbers) for numbers in zip(*expected.values(), strict=True)]
    assert expected == COUNTS
    assert "The default has {} rules with {} constants".format(*expected["all"]) in PAGE
