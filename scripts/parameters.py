"""Write python/budgetrs/_parameters.py from the core's table of parameters; with --check, only compare.

Type checkers, editors and scikit-learn read signatures, so the generated file has the parameters in full.
Run it, with the extension built, after a change of the table: python scripts/parameters.py
"""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from budgetrs import _core
from budgetrs._documents import CHOICES, TABLE

TARGET = Path(__file__).parents[1] / "python" / "budgetrs" / "_parameters.py"


@dataclass
class Estimator:
    """The native algorithm of an estimator, and the defaults that differ from the algorithm's."""

    algorithm: str
    defaults: dict[str, Any]
    by_maintenance: dict[str, str] = field(default_factory=dict)
    regression: bool = False
    # The only parameters that it has, where it does not have all.
    only: frozenset[str] = frozenset()
    # The types of parameters that do not accept all values of the core.
    types: dict[str, str] = field(default_factory=dict)


ONLINE_KERNEL = frozenset({"budget", "C0", "average", "forget", "hash_features", "missing", "missing_values"})
# Merging needs a budget, and a random model cannot be combined with metric learning.
ONLINE_KERNEL_TYPES = {"budget": "int", "average": 'Literal["polynomial"] | bool | float'}

ESTIMATORS = {
    "BSGDClassifier": Estimator("pegasos", {"maintenance": "merge"}, {"bogd": "bogd"}),
    "BSGDRegressor": Estimator("pegasos", {"maintenance": "merge", "alpha": 1e-3}, regression=True),
    "BPAClassifier": Estimator("pa", {"maintenance": "nn"}),
    "BPARegressor": Estimator("pa", {"maintenance": "nn"}, regression=True),
    "BudgetMIRA": Estimator("mira", {"maintenance": "merge"}),
    "BudgetPerceptron": Estimator("perceptron", {"maintenance": "projectron"}),
    "OnlineKernelClassifier": Estimator(
        "online-kernel",
        {"average": "polynomial", "forget": "auto", "missing": "mean"},
        only=ONLINE_KERNEL,
        types=ONLINE_KERNEL_TYPES,
    ),
    "OnlineKernelRegressor": Estimator(
        "online-kernel",
        {"C0": 10.0, "average": "polynomial", "forget": "auto", "missing": "mean"},
        regression=True,
        only=ONLINE_KERNEL,
        types=ONLINE_KERNEL_TYPES,
    ),
}

# The parameters of the estimators that the core does not have: type and default.
SHARED = {
    "max_iter": ("int", 1),
    "shuffle": ("bool", True),
    "class_weight": ("dict[Any, float] | str | None", None),
    "n_jobs": ("int | None", None),
    "random_state": ("Any", None),
    "warm_start": ("bool", False),
    "verbose": ("int", 0),
}

# The types and defaults that differ in the online kernel machine.
ONLINE_KERNEL_SHARED = {"max_iter": ('Literal["auto"] | int', "auto")}

HEAD = '''"""The parameters as signatures, written by scripts/parameters.py from the core's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypedDict

'''


def of_algorithm(algorithm: str, regression: bool) -> set[str]:
    """Return the parameters that apply to an algorithm with any of its choices."""
    valid = _core._choices(algorithm, regression)
    found: set[str] = set()
    for choice in CHOICES:
        for name in valid[choice]:
            # A loss of the other task would have other parameters.
            task = {"loss": next(iter(valid["loss"]))} if valid["loss"] else {}
            found.update(_core.applicable(algorithm, **{**task, choice: name}))
    # Other losses than those of the task have parameters too.
    other = _core._choices(algorithm, not regression)["loss"].keys() - valid["loss"].keys()
    foreign = {name for loss in other for name in _core.applicable(algorithm, loss=loss)}
    known = {name for loss in valid["loss"] for name in _core.applicable(algorithm, loss=loss)}
    return found - {name for name in foreign - known if TABLE[name]["depends_on"] == "loss"}


def annotation(name: str) -> str:
    """Return the type of a parameter."""
    words = []
    for kind, *of in TABLE[name]["forms"]:
        types = {"count": "int", "number": "float", "flag": "bool", "bool": "bool", "none": "None"}
        types["numbers"] = "Sequence[float]"
        types["label_weights"] = "dict[Any, float]"
        if kind == "choice" and name not in CHOICES:
            words += [f'Literal["{choice}"]' for choice in of[0]]
            continue
        words.append(
            types.get(kind) or (f'Literal["{of[0]}"]' if kind == "word" else f"{name.capitalize()}Name")
        )
    return " | ".join(dict.fromkeys(words))


def names() -> str:
    """Return the types of the choices."""
    lines = []
    for name in CHOICES:
        (choices,) = (of[0] for kind, *of in TABLE[name]["forms"] if kind == "choice")
        listed = ", ".join(f'"{choice}"' for choice in choices)
        lines.append(f"{name.capitalize()}Name = Literal[{listed}]")
    return "\n".join(lines) + "\n\n\n"


def keywords(native: str, regression: bool) -> str:
    """Return the keywords of a native class."""
    algorithms = [name for name in _core.ALGORITHMS if _core._choices(name, regression)["loss"]]
    own = set().union(*(of_algorithm(name, regression) for name in algorithms))
    lines = [
        f"class {native}Parameters(TypedDict, total=False):",
        f'    """The parameters of `budgetrs.{native}` in addition to its signature."""',
        "",
        *(f"    {name}: {annotation(name)}" for name in TABLE if name in own),
    ]
    return "\n".join(lines) + "\n\n\n"


def signature(name: str, of: Estimator) -> str:
    """Return the base of an estimator: its parameters, and the algorithm behind it."""
    own = of_algorithm(of.algorithm, of.regression)
    for maintenance, algorithm in of.by_maintenance.items():
        own.update(_core.applicable(algorithm, maintenance=maintenance))
    # `random_state` draws the seed; scikit-learn's class_weight accepts more values than the core's.
    own -= {"seed", "class_weight"}
    own &= of.only or own
    defaults = {key: TABLE[key]["default"] for key in TABLE if key in own}
    if "loss" in defaults:
        defaults["loss"] = next(iter(_core._choices(of.algorithm, of.regression)["loss"]))
    defaults.update(of.defaults)
    arguments = [
        f"{key}: {of.types.get(key) or annotation(key)} = {default!r}" for key, default in defaults.items()
    ]
    shared = [key for key in SHARED if key != "class_weight" or not of.regression]
    types = SHARED | (ONLINE_KERNEL_SHARED if of.only else {})
    arguments += [f"{key}: {types[key][0]} = {types[key][1]!r}" for key in shared]
    arguments.insert(1, "*")
    lines = [
        f"class {name}Parameters:",
        f'    """The parameters of `{name}`."""',
        "",
        f'    _algorithm: ClassVar[str] = "{of.algorithm}"',
        f"    _by_maintenance: ClassVar[dict[str, str]] = {of.by_maintenance!r}",
        "",
        "    def __init__(self, " + ", ".join(arguments) + ") -> None:",
        *(f"        self.{key} = {key}" for key in [*defaults, *shared]),
    ]
    return "\n".join(lines) + "\n\n\n"


def text() -> str:
    """Return the whole file."""
    parts = [HEAD, names(), keywords("Classifier", False), keywords("Regressor", True)]
    parts += [signature(name, of) for name, of in ESTIMATORS.items()]
    ruff = [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", TARGET, "-"]
    done = subprocess.run(ruff, input="".join(parts), capture_output=True, text=True, check=True)
    return done.stdout


def main() -> None:
    """Write the file, or with --check fail if it differs."""
    found = text()
    if "--check" in sys.argv:
        if not TARGET.exists() or TARGET.read_text() != found:
            sys.exit(f"{TARGET} is out of date: run python scripts/parameters.py")
        return
    TARGET.write_text(found)


if __name__ == "__main__":
    main()
