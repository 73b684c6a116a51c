"""Write the types and the sections of parameters from the core's table; with --check, only compare.

It writes two modules and a page of the documentation, and in other modules the sections "Parameters" of
class docstrings. Run it, with the extension built, after a change of the table: python scripts/parameters.py
"""

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any

from budgetrs import _core
from budgetrs._table import CHOICES, TABLE, is_published, quoted

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "budgetrs"
PARAMETERS_PAGE = ROOT / "docs" / "parameters.md"
WIDTH = 110


@dataclass
class Estimator:
    """The native algorithm of an estimator, and the defaults that differ from the algorithm's."""

    file: str
    algorithm: str
    defaults: dict[str, Any]
    by_maintenance: dict[str, str] = field(default_factory=dict)
    regression: bool = False


ESTIMATORS = {
    "BSGDClassifier": Estimator("_bsgd", "pegasos", {"maintenance": "merge"}, {"bogd": "bogd"}),
    "BSGDRegressor": Estimator("_bsgd", "pegasos", {"maintenance": "merge", "alpha": 1e-3}, regression=True),
    "BPAClassifier": Estimator("_bpa", "pa", {"maintenance": "nn"}),
    "BPARegressor": Estimator("_bpa", "pa", {"maintenance": "nn"}, regression=True),
    "BudgetMIRA": Estimator("_mira", "mira", {"maintenance": "merge"}),
    "BudgetPerceptron": Estimator("_perceptron", "perceptron", {"maintenance": "projectron"}),
    "OnlineKernelClassifier": Estimator("_online", "online-kernel", {}),
    "OnlineKernelRegressor": Estimator("_online", "online-kernel", {"C0": 10.0}, regression=True),
}

# The parameters of the estimators of the default algorithm: it fixes all others.
ONLINE_KERNEL = {
    "budget": ("int", 500),
    "average": ('Literal["polynomial"] | bool | float', "polynomial"),
    "C0": ("float", 60.0),
    "forget": ('Literal["auto"] | int | None', "auto"),
    "hash_features": ("int | None", None),
    "missing": ('Literal["error", "mean"]', "mean"),
    "missing_values": ("float | Sequence[float] | None", None),
    "max_iter": ('Literal["auto"] | int', "auto"),
}

# The parameters that all estimators have in addition to the core's: type and default.
SHARED = {
    "shuffle": ("bool", True),
    "n_jobs": ("int | None", None),
    "random_state": ("Any", None),
    "warm_start": ("bool", False),
    "verbose": ("int", 0),
}
CLASS_WEIGHT = ("dict[Any, float] | str | None", None)

# The parameters of the native classes in addition to the core's.
NATIVE = {
    "algorithm": ("AlgorithmName", "online-kernel"),
    "classes": ("Sequence[Any] | np.ndarray | None", None),
    "n_jobs": ("int | None", None),
    "feature_space": ("_core.NativeModel | None", None),
}

PAGE = 'see the page "Parameters" of the documentation.'

# Texts of parameters that the core does not have, or that a class docstring says in fewer words.
TEXTS = {
    "algorithm": "One of `ALGORITHMS`. Keep the default unless you reproduce a paper: it needs no tuning and "
    'no scaled features. The algorithm sets the other defaults; these are the defaults of "online-kernel".',
    "budget": "The largest number of support vectors. A larger budget is more accurate and slower, and takes "
    "more memory: 100 to 1000 suits most data.",
    "loss": f"The loss that training minimises: {PAGE}",
    "kernel": 'The kernel, such as "rbf" or "rational-quadratic".',
    "gamma": "The inverse squared width of the kernel. A larger gamma fits finer structure; multiply or "
    "divide it by 3 to tune it.",
    "class_weight": '"balanced" gives all classes the same total weight; a dict has a weight for each label.',
    "average": 'The model used for prediction: "polynomial" averages all models and weights the newest tenth '
    "of the stream most. Other values need ``forget=None`` or a number as `forget`.",
    "forget": 'How the model forgets earlier rows: "auto" after a drift, a number n so that about the last n '
    "rows count, None never.",
    "C0": "The largest step at the first row. Decrease it only if the labels or targets are noisy.",
    "scaling": '"online" standardises each feature by its running mean and standard deviation.',
    "missing": 'What happens to NaN: "mean" replaces it by the running mean of the feature.',
    "missing_values": "The numbers that mean missing, such as -999; NaN always does.",
    "hash_features": "The number of features that the columns are hashed into, for text: try 2^10 to 2^18.",
    "epsilon": "The largest error without loss.",
    "max_iter": "Number of passes of `fit`.",
    "shuffle": "Whether `fit` takes the rows in a new random order in each pass.",
    "random_state": "Seed of the order of rows and of all other random choices.",
    "warm_start": "Whether `fit` continues training the fitted model.",
    "verbose": "1 prints a line per pass of `fit`.",
    "classes": "All labels of the stream, to raise an error for any other label.",
    "n_jobs": "Number of threads of prediction; it changes no result. -1 is all processors.",
    "feature_space": "A trained model whose gamma, scaling, metric and columns the new model shares, so that "
    "`budgetrs.combine` accepts both.",
    "maintenance": f"How the model gets back to the budget: {PAGE}",
}

# The parameters that have a line of their own in a class docstring; all others are on the page.
USUAL = (
    *("algorithm", "classes", "budget", "kernel", "gamma", "loss", "epsilon", "class_weight", "forget"),
    *("scaling", "missing", "missing_values", "seed", "n_jobs", "feature_space"),
)
OWN = (
    *("budget", "maintenance", "loss", "epsilon", "alpha", "C", "kernel", "gamma", "max_iter"),
    *("class_weight", "random_state"),
)
DOCUMENTED = {
    "Sequence[float]": "list of float",
    "Sequence[Any]": "sequence",
    "np.ndarray": "ndarray",
    "dict[Any, float]": "dict",
    "_core.NativeModel": "model",
    "Any": "int, RandomState instance or None",
}
INTRODUCTION = (
    "All parameters of `Classifier` and `Regressor`. The default algorithm, `online-kernel`, needs one: "
    "`budget`. Most others belong to published algorithms and are for research. "
    "`Classifier(algorithm).params` shows the parameters of an algorithm with their values. "
    "A parameter that does not apply raises an error."
)

HEAD = '''"""{what}, written by scripts/parameters.py from the core's table."""

from __future__ import annotations

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


def native_names(regression: bool) -> list[str]:
    """Return the parameters of the core that a native class has."""
    algorithms = [name for name in _core.ALGORITHMS if _core._choices(name, regression)["loss"]]
    own = set().union(*(of_algorithm(name, regression) for name in algorithms))
    return [name for name in TABLE if name in own]


def annotation(name: str) -> str:
    """Return the type of a parameter."""
    literals, types = [], []
    for kind, *of in TABLE[name]["forms"]:
        if kind == "choice" and name in CHOICES:
            types.append(f"{name.capitalize()}Name")
        elif kind in ("choice", "word"):
            literals += of[0] if kind == "choice" else of
        else:
            known = {"count": "int", "number": "float", "flag": "bool", "bool": "bool", "none": "None"}
            known |= {"numbers": "Sequence[float]", "label_weights": "dict[Any, float]"}
            types.append(known[kind])
    named = [f"Literal[{', '.join(map(quoted, literals))}]"] if literals else []
    return " | ".join(dict.fromkeys([*named, *types]))


def types_module() -> str:
    """Return the module of the names and of the parameters as keywords."""
    lines = [
        HEAD.format(what="The types of the parameters"),
        "from collections.abc import Sequence\nfrom typing import Any, Literal, TypedDict\n\n",
    ]
    lines.append(f"AlgorithmName = Literal[{', '.join(map(quoted, _core.ALGORITHMS))}]\n")
    for name in CHOICES:
        (choices,) = (of[0] for kind, *of in TABLE[name]["forms"] if kind == "choice")
        lines.append(f"{name.capitalize()}Name = Literal[{', '.join(map(quoted, choices))}]\n")
    first, second = native_names(False), native_names(True)
    classes = {
        "Parameters(TypedDict, total=False)": ("both native classes", set(first) & set(second)),
        "ClassifierParameters(Parameters, total=False)": ("`Classifier`", set(first) - set(second)),
        "RegressorParameters(Parameters, total=False)": ("`Regressor`", set(second) - set(first)),
    }
    for title, (whose, names) in classes.items():
        lines.append(f'\n\nclass {title}:\n    """The parameters of {whose}."""\n\n')
        lines += [f"    {name}: {annotation(name)}\n" for name in TABLE if name in names]
    return "".join(lines)


def own_parameters(of: Estimator) -> dict[str, tuple[str, Any]]:
    """Return the parameters of an estimator that depend on its algorithm: types and defaults."""
    if of.algorithm == "online-kernel":
        found = {key: (kind, of.defaults.get(key, value)) for key, (kind, value) in ONLINE_KERNEL.items()}
    else:
        names = of_algorithm(of.algorithm, of.regression)
        for maintenance, algorithm in of.by_maintenance.items():
            names.update(_core.applicable(algorithm, maintenance=maintenance))
        # `random_state` draws the seed; scikit-learn's class_weight accepts more values than the core's.
        defaults = {key: TABLE[key]["default"] for key in TABLE if key in names - {"seed", "class_weight"}}
        if "loss" in defaults:
            defaults["loss"] = next(iter(_core._choices(of.algorithm, of.regression)["loss"]))
        defaults.update(of.defaults)
        found = {key: (annotation(key), value) for key, value in defaults.items()}
        found["max_iter"] = ("int", 1)
    return found if of.regression else {**found, "class_weight": CLASS_WEIGHT}


def estimators_module() -> str:
    """Return the module of the bases of the estimators: data classes with the parameters as fields."""
    lines = [
        HEAD.format(what="The parameters of the estimators"),
        "from collections.abc import Sequence\nfrom dataclasses import dataclass, field\n",
        "from typing import Any, ClassVar, Literal\n\n",
        "from .._parameters import AlgorithmName, KernelName, LossName, MaintenanceName\n",
    ]
    for base, is_default in (("Published", False), ("OnlineKernel", True)):
        members = {
            name: of for name, of in ESTIMATORS.items() if (of.algorithm == "online-kernel") == is_default
        }
        own = {name: own_parameters(of) for name, of in members.items()}
        common = set.intersection(*({*map(repr, given.items())} for given in own.values()))
        first = {key: of for key, of in next(iter(own.values())).items() if repr((key, of)) in common}
        nothing = ["    _by_maintenance: ClassVar[dict[str, str]] = {}\n\n"]
        lines += _data_class(base, "several estimators", {**first, **SHARED}, nothing)
        for name, of in members.items():
            rest = {key: value for key, value in own[name].items() if key not in first}
            fixed = [f'    _algorithm: ClassVar[AlgorithmName] = "{of.algorithm}"\n']
            if of.by_maintenance:
                fixed.append(f"    _by_maintenance: ClassVar[dict[str, str]] = {of.by_maintenance!r}\n")
            lines += _data_class(f"{name}Parameters({base})", f"`{name}`", rest, [*fixed, "\n"])
    return "".join(lines)


def _data_class(title: str, whose: str, fields: Mapping[str, tuple[str, Any]], fixed: list[str]) -> list[str]:
    lines = [
        "\n\n@dataclass(eq=False, repr=False, kw_only=True)\n",
        f'class {title}:\n    """The parameters of {whose}."""\n\n',
        *fixed,
    ]
    for name, (kind, value) in fields.items():
        is_first = name == "budget"
        default = f"field(default={quoted(value)}, kw_only=False)" if is_first else quoted(value)
        lines.append(f"    {name}: {kind} = {default}\n")
    return lines


def type_text(kind: str) -> str:
    """Return a type as numpydoc writes it."""
    literals = re.findall(r'"[^"]+"', kind)
    others = [each for each in re.sub(r"Literal\[[^]]*\]", "", kind).split(" | ") if each]
    kinds = literals + [DOCUMENTED.get(each, "str" if each.endswith("Name") else each) for each in others]
    if not others:
        return "{" + ", ".join(literals) + "}"
    return " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def entries(given: Mapping[str, tuple[str, Any]], usual: tuple[str, ...]) -> list[str]:
    """Return the section of parameters: an entry for each usual one, and one for all others."""
    lines = []
    for name in (key for key in given if key in usual):
        kind, default = given[name]
        text = TEXTS.get(name) or TABLE[name]["description"].split(". ")[0].removesuffix(".") + "."
        lines += entry(f"{name} : {type_text(kind)}, default={quoted(default)}", text)
    others = ", ".join(name for name in given if name not in usual)
    return lines + (entry("others : optional", f"{others}: {PAGE}") if others else [])


def entry(title: str, text: str) -> list[str]:
    """Return an entry of a section of a docstring."""
    lines = wrap(text, WIDTH - 8, break_long_words=False, break_on_hyphens=False)
    return [title, *(f"    {line}" for line in lines)]


def native_choices(regression: bool) -> dict[str, dict[str, str]]:
    """Return the strategies, losses and kernels of all algorithms, with their texts."""
    valid: dict[str, dict[str, str]] = {choice: {} for choice in CHOICES}
    for algorithm in ("pegasos", "bogd", "pa", "perceptron", "mira", "online-kernel"):
        found = _core._choices(algorithm, regression)
        if found["loss"]:
            for choice in CHOICES:
                valid[choice].update(found[choice])
    return valid


def native_parameters(regression: bool) -> dict[str, tuple[str, Any]]:
    """Return the parameters of a native class with the types and defaults of the default algorithm."""
    params = (_core.Regressor if regression else _core.Classifier)().params
    own = {
        name: (annotation(name), params.get(name, TABLE[name]["default"]))
        for name in native_names(regression)
    }
    more = {key: value for key, value in NATIVE.items() if key != "classes" or not regression}
    return {"algorithm": more.pop("algorithm"), **own, **more}


def with_section(source: str, owner: str, lines: list[str]) -> str:
    """Replace the section of parameters in the docstring of a class."""
    start = source.index("    Parameters\n", source.index(f"class {owner}"))
    start = source.index("-\n", start) + 2
    end = source.index("\n\n", start - 1)
    return source[:start] + "\n".join(f"    {line}".rstrip() for line in lines) + source[end:]


def page() -> str:
    """Return the page of the documentation about all parameters."""
    lines = ["# Parameters", "", *_wrapped(INTRODUCTION)]
    natives = [native_parameters(False), native_parameters(True)]
    choices = [native_choices(False), native_choices(True)]
    for name, row in TABLE.items():
        defaults = [quoted(given[name][1]) for given in natives if name in given]
        shown = " (classification), ".join(f"`{text}`" for text in dict.fromkeys(defaults))
        shown += " (regression)" if len(set(defaults)) > 1 else ""
        usual = quoted(row["default"])
        if {usual} != set(defaults) and is_published(name) and name not in CHOICES[:2]:
            shown += f", with the published algorithms `{usual}`"
        texts = {key: text for valid in choices for key, text in valid.get(name, {}).items()}
        applies = re.sub(r'"[^"]+"', r"`\g<0>`", row["applies_with"])
        parts = [
            row["description"].removesuffix(".") + (":" if texts else "."),
            *([f"Applies to {applies}."] if applies and not texts else []),
            *([f"Must be {row['valid']}."] if not texts else []),
        ]
        lines += ["", f"## {name}", "", f"Default: {shown}.", "", *_wrapped(" ".join(parts))]
        if texts:
            lines.append("")
        code = "" if name == "maintenance" else "`"
        for key, text in texts.items():
            lines += _wrapped(f'- `"{key}"`: {code}{text}{code}', "  ")
    # The rest is written by hand.
    _, mark, rest = PARAMETERS_PAGE.read_text().partition("\n## Estimators\n")
    return "\n".join(lines) + "\n" + mark + rest


def _wrapped(text: str, indent: str = "") -> list[str]:
    text = text.replace("``", "`")
    return wrap(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def files() -> dict[Path, str]:
    """Return the text of each file."""
    found = {
        PACKAGE / "_parameters.py": types_module(),
        PACKAGE / "estimators" / "_parameters.py": estimators_module(),
    }
    signatures = PACKAGE / "_signatures.py"
    river = PACKAGE / "river" / "__init__.py"
    found[signatures], found[river] = signatures.read_text(), river.read_text()
    for owner, regression in (("Classifier", False), ("Regressor", True)):
        given = native_parameters(regression)
        lines = entries(given, USUAL)
        found[signatures] = with_section(found[signatures], f"{owner}Signature", lines)
        lines = entries(given, (*NATIVE, "budget"))
        found[river] = with_section(found[river], owner, lines)
    for name, of in ESTIMATORS.items():
        path = PACKAGE / "estimators" / f"{of.file}.py"
        given = own_parameters(of) | SHARED
        is_default = of.algorithm == "online-kernel"
        text = found.get(path) or path.read_text()
        usual = tuple(given) if is_default else OWN
        found[path] = with_section(text, name, entries(given, usual))
    for path, text in found.items():
        ruff = [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", path, "-"]
        done = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True)
        found[path] = done.stdout
    return {**found, PARAMETERS_PAGE: page()}


def main() -> None:
    """Write the files, or with --check fail if one differs."""
    for path, text in files().items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is out of date: run python scripts/parameters.py")


if __name__ == "__main__":
    main()
