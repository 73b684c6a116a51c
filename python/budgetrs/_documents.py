"""The texts of parameters in docstrings and options, from the core's table."""

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from textwrap import wrap
from typing import Any, TypeVar

from . import _core

TABLE: dict[str, dict[str, Any]] = {row["name"]: row for row in _core._table()}
"""The rows of all parameters of the native learners, by name."""

CHOICES = ("maintenance", "loss", "kernel")
"""The parameters that decide which of the others apply."""

_WIDTH = 106
_QUOTED = re.compile(r'"[^"]+"')

# The parameters of the estimators in addition to the parameters of the core: type and text.
_SHARED = {
    "max_iter": (
        "int",
        "Number of passes over the data in `fit`. More passes fit small data better and take proportionally "
        "longer. `partial_fit` always makes one pass.",
    ),
    "shuffle": (
        "bool",
        "Whether `fit` takes the rows in a new random order in each pass. Set it to False only for a stream "
        "whose order matters.",
    ),
    "class_weight": (
        'dict or "balanced"',
        'Class weights, which multiply the sample weights. "balanced" gives all classes the same total '
        "weight: of n rows, each of the n_y rows of class y has ``n / (n_classes * n_y)``. Use it if rare "
        "classes matter as much as frequent ones. `fit` counts all rows. `partial_fit` counts the rows so "
        "far, but after `fit` it keeps the weights that `fit` computed.",
    ),
    "n_jobs": (
        "int or None",
        "Number of threads of prediction; it changes no result. None is 1, -1 all processors. A new value "
        "takes effect without `fit`.",
    ),
    "random_state": (
        "int, RandomState instance or None",
        "Seed of the order of rows and of all other random choices. Set an int for reproducible results.",
    ),
    "warm_start": (
        "bool",
        "Whether `fit` continues training the fitted model instead of starting from scratch. Features and "
        "classes must equal the features and classes of the fitted model. Changed parameters of the model, "
        "such as `budget` and `random_state`, have no effect, as in `partial_fit`. `max_iter`, `shuffle`, "
        "`verbose`, `n_jobs` and, in classifiers, `class_weight` take effect.",
    ),
    "verbose": (
        "int",
        "1 prints a line per pass of `fit`: the number of rows, of updates and of support vectors, and the "
        "progressive error (regression: RMSE), which counts the predictions made just before each row was "
        "learned. 0 prints nothing.",
    ),
}

DIAGNOSTICS = {
    "n_maintenances_": "number of budget maintenance steps: how often `maintenance` was applied.",
    "mean_weight_degradation_": "mean norm of the change of the weight vector per budget maintenance step.",
    "n_queries_": "number of rows whose label could change the model; equal to ``n_samples_seen_``.",
}
"""The attributes that users do not need, with their texts."""

# The attributes of all fitted estimators: name, type and text, for classes and for numeric targets.
_BOTH = {
    "support_vectors_": (
        "ndarray of shape (n_support_vectors_, d)",
        "Support vectors, in insertion order. Here and below, d is the number of features after one-hot "
        "encoding and hashing.",
    ),
    "n_support_vectors_": ("int", "Number of support vectors."),
    "gamma_": ("float", "Present value of gamma."),
    "feature_importances_": (
        "ndarray of shape (n_features_in_,)",
        'Importance of each column for the prediction, with the kernels "rbf" and "rational-quadratic" and '
        "without hashing: the mean absolute derivative at the support vectors times the standard deviation "
        "of the feature over the support vectors, divided by the sum over all features. A categorical "
        "column has the sum of its categories. `plot_importances` has the details.",
    ),
    "n_features_in_": (
        "int",
        "Number of columns of X, before one-hot encoding and hashing.",
    ),
    "feature_names_in_": (
        "ndarray of shape (n_features_in_,)",
        "Names of the columns, if X has string column names.",
    ),
    "n_iter_": ("int", "Number of passes of the last `fit`; 1 after `partial_fit` without `fit`."),
}
_OF_CLASSES = {
    "classes_": ("ndarray of shape (n_classes,)", "Class labels, sorted."),
    "dual_coef_": (
        "ndarray of shape (1, n_support_vectors_) or (n_classes, n_support_vectors_)",
        "Coefficients of the support vectors: one row of coefficients for two classes, otherwise one per "
        "class.",
    ),
    "progressive_error_": (
        "float",
        "Share of the rows that the model predicted wrongly just before it learned them.",
    ),
    "recent_error_": (
        "float",
        "The same share of about the last 1,000 rows: an exponentially weighted mean, over the first 1,000 "
        "rows the mean.",
    ),
    "no_change_error_, majority_error_": (
        "float",
        "The same share for two predictions that need no model: the label of the row learned before, and the "
        "most frequent label so far. A useful model has a smaller progressive error than both.",
    ),
    "n_samples_seen_, n_updates_, n_mistakes_": (
        "int",
        "Number of rows learned, of rows that changed the model, and of rows predicted wrongly just before "
        "they were learned.",
    ),
}
_OF_NUMBERS = {
    "dual_coef_": ("ndarray of shape (1, n_support_vectors_)", "Coefficients of the support vectors."),
    "n_samples_seen_, n_updates_": ("int", "Number of rows learned, and of rows that changed the model."),
    "mean_absolute_error_, mean_squared_error_": (
        "float",
        "Progressive errors: the mean absolute error and the mean squared error of the predictions made just "
        "before each row was learned. They are not the errors of `predict` on the training rows.",
    ),
    "recent_error_": (
        "float",
        "Mean absolute error of about the last 1,000 of these predictions: an exponentially weighted mean, "
        "over the first 1,000 rows the mean.",
    ),
    "no_change_error_, constant_error_": (
        "float",
        "The mean squared errors of two predictions that need no model: the target of the row learned "
        "before, and the mean of the targets so far. A useful model has a smaller `mean_squared_error_` than "
        "both.",
    ),
}
_ORDER = (
    "classes_",
    "support_vectors_",
    "dual_coef_",
    "n_support_vectors_",
    *_OF_CLASSES,
    *_OF_NUMBERS,
    *_BOTH,
)

_Class = TypeVar("_Class", bound=type)


def attributes(
    *, regression: bool, texts: Mapping[str, str], first: Mapping[str, tuple[str, str]]
) -> list[str]:
    """Return the lines that document the attributes of an estimator.

    `texts` replaces the texts of some attributes; `first` has types and texts of attributes that come first.
    """
    known = {**_BOTH, **(_OF_NUMBERS if regression else _OF_CLASSES), **first}
    lines = []
    for name in dict.fromkeys((*first, *_ORDER)):
        if name in known:
            kind, text = known[name]
            lines += [f"{name} : {kind}", *_indented(texts.get(name, text))]
    return lines


def diagnostics(*, regression: bool, texts: Mapping[str, str]) -> list[str]:
    """Return the lines that document the diagnostics of an estimator; `texts` replaces some texts."""
    names = [name for name in DIAGNOSTICS if not (regression and name == "n_queries_")]
    lines = ["Diagnostics, which are not needed to use the model:", ""]
    for name in names:
        first, *others = _indented(f"``{name}``: {texts.get(name, DIAGNOSTICS[name])}")
        lines += [f"- {first.strip()}", *(f"  {line.strip()}" for line in others)]
    return lines


def _indented(text: str) -> list[str]:
    lines = wrap(text, _WIDTH - 8, break_long_words=False, break_on_hyphens=False)
    return [f"    {line}" for line in lines]


def document_native(cls: type, parameters: Iterable[str], *, regression: bool) -> None:
    """Put the parameters of a native class into its docstring, with the defaults of its default algorithm."""
    valid: dict[str, dict[str, str]] = {choice: {} for choice in CHOICES}
    for algorithm in ("pegasos", "bogd", "pa", "perceptron", "mira", "online-kernel"):
        found = _core._choices(algorithm, regression)
        if found["loss"]:
            for choice in CHOICES:
                valid[choice].update(found[choice])
    usual = {name: TABLE[name]["default"] for name in parameters if name in TABLE}
    given = {**usual, **{name: value for name, value in cls().params.items() if name in usual}}
    # The algorithm decides the strategy and the loss.
    given.update(dict.fromkeys(("maintenance", "loss"), Parameter.empty))
    others = {
        name: f"With the published algorithms the default is {quoted(usual[name])}."
        for name, value in given.items()
        if value is not Parameter.empty and value != usual[name] and is_published(name)
    }
    _assemble(cls, given, valid, None, others, {}, {})


def is_published(name: str) -> bool:
    """Whether another algorithm than the default one has a parameter."""
    # Where a published algorithm scales online, it has `missing` and `missing_values`.
    if name in ("missing", "missing_values") or TABLE[name]["depends_on"] not in ("rule", "mixed"):
        return True
    default = _core.Classifier().algorithm
    return any(name in _core.parameters(other) for other in _core.ALGORITHMS if other != default)


def documented(
    *,
    valid: Mapping[str, Mapping[str, str]],
    applies: Callable[[str, str], set[str]],
    found: list[str],
    instead: Mapping[str, tuple[str, str]],
    texts: Mapping[str, str],
    diagnosed: list[str],
    **more: str,
) -> Callable[[_Class], _Class]:
    """Put the parameters of a class into its docstring, in place of the line ``{parameters}``.

    Its attributes take the place of the line ``{attributes}``, its diagnostics of ``{diagnostics}``.

    Parameters
    ----------
    valid : mapping
        The valid names of maintenance, loss and kernel, with their texts.
    applies : callable
        Returns the parameters that apply when one of these is chosen, from its name and value.
    found, diagnosed : list of str
        The lines of the attributes and of the diagnostics.
    instead : mapping
        Types and texts of parameters that replace the texts of the table.
    texts : mapping
        Descriptions of parameters that replace the descriptions of the table.
    **more
        A sentence more for some parameters.
    """

    def assemble(cls: _Class) -> _Class:
        given = signature(cls.__init__).parameters
        defaults = {name: given[name].default for name in given if name != "self"}
        _assemble(cls, defaults, valid, applies, more, instead, texts)
        fill(cls, "{attributes}", found)
        fill(cls, "{diagnostics}", diagnosed)
        return cls

    return assemble


def _assemble(
    cls: type,
    given: Mapping[str, Any],
    valid: Mapping[str, Mapping[str, str]],
    applies: Callable[[str, str], set[str]] | None,
    more: Mapping[str, str],
    instead: Mapping[str, tuple[str, str]],
    texts: Mapping[str, str],
) -> None:
    blocks = [
        _block(name, default, valid, applies, more.get(name, ""), instead.get(name), texts.get(name))
        for name, default in given.items()
    ]
    fill(cls, "{parameters}", [line for block in blocks for line in block])


def fill(owner: Any, place: str, lines: list[str]) -> None:
    """Replace a placeholder line in the docstring of a class or function by lines."""
    if owner.__doc__ is None:  # python -OO
        return
    before, _, after = owner.__doc__.partition(place)
    indent = before.rpartition("\n")[2]
    owner.__doc__ = (
        before + "\n".join([*lines[:1], *(f"{indent}{line}".rstrip() for line in lines[1:])]) + after
    )


def _block(
    name: str,
    default: Any,
    valid: Mapping[str, Mapping[str, str]],
    applies: Callable[[str, str], set[str]] | None,
    more: str,
    instead: tuple[str, str] | None,
    description: str | None,
) -> list[str]:
    """Return the lines that document one parameter; `description` replaces the description of the table."""
    if instead is not None:
        kind, text = instead
    elif name in TABLE and not (name in _SHARED and applies):
        kind, text = type_of(name, valid), _text(name, valid, applies, description)
    else:
        kind, text = _SHARED[name]
    given = ", optional" if default is Parameter.empty else f", default={quoted(default)}"
    return [f"{name} : {kind}{given}", *_indented(f"{text} {more}".strip())]


def quoted(value: Any) -> str:
    """Return the text of a default."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def type_of(name: str, valid: Mapping[str, Mapping[str, str]]) -> str:
    """Return the type of a parameter as numpydoc writes it."""
    kinds: list[str] = []
    for kind, *of in TABLE[name]["forms"]:
        if kind == "choice":
            names = valid.get(name, of[0])
            # Longer lists are part of the text.
            kinds.append("{" + ", ".join(map(quoted, names)) + "}" if len(names) < 8 else "str")
        else:
            named = {"count": "int", "number": "float", "flag": "bool", "bool": "bool", "none": "None"}
            named |= {"numbers": "list of float", "label_weights": "dict"}
            kinds.append(f'"{of[0]}"' if kind == "word" else named[kind])
    kinds = list(dict.fromkeys(kinds))
    return kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} or {kinds[-1]}"


def _text(
    name: str,
    valid: Mapping[str, Mapping[str, str]],
    applies: Callable[[str, str], set[str]] | None,
    description: str | None,
) -> str:
    row = TABLE[name]
    parts = [description or row["description"]]
    if name in valid:
        parts = [parts[0].removesuffix(".") + ":", *_listed(valid[name], as_code=name != "maintenance")]
    if applies is None:
        applies_with = row["applies_with"]
        if row["depends_on"] == "rule":
            # Outside of literals the asterisks of algorithm names would be markup.
            applies_with = _QUOTED.sub(r"``\g<0>``", applies_with)
        parts += [f"Applies to {applies_with}."] if applies_with else []
    else:
        parts += _when(name, row["depends_on"], valid, applies)
    if name not in valid and any(kind in ("count", "number", "label_weights") for kind, *_ in row["forms"]):
        parts.append(f"Must be {row['valid']}.")
    return " ".join(parts)


def _listed(choices: Mapping[str, str], *, as_code: bool) -> list[str]:
    """Return each choice with its text or formula."""
    mark = "``" if as_code else ""
    texts = [f'``"{name}"``, {mark}{text}{mark}' for name, text in choices.items()]
    return [f"{text};" for text in texts[:-1]] + [f"{texts[-1]}."]


def _when(
    name: str,
    depends_on: str,
    valid: Mapping[str, Mapping[str, str]],
    applies: Callable[[str, str], set[str]],
) -> list[str]:
    """Return the choices of the estimator with which a parameter applies, unless it applies with all."""
    choice = {"rule": "maintenance", "mixed": "maintenance"}.get(depends_on, depends_on)
    if choice not in valid:
        return []
    having = [value for value in valid[choice] if name in applies(choice, value)]
    others = [value for value in valid[choice] if value not in having]
    if not others:
        return []
    word, named = ("Only", having) if len(having) <= len(others) else ("Not", others)
    values = [f'``{choice}="{value}"``' for value in named]
    return [f"{word} with {' or '.join(values)}."]
