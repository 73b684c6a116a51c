"""``budgetrs info``: the contents of a model file."""

from argparse import Namespace
from typing import Any

from .. import _core
from . import modelfile, report
from .errors import OK
from .parameters import written
from .report import Line
from .task import task_of

# The number of names that are listed as text.
_SHOWN = 20

_COUNTS = (
    ("support vectors", "support_vectors", "n_support_vectors_"),
    ("rows learned", "rows_learned", "n_samples_seen_"),
    ("updates", "updates", "n_updates_"),
    ("budget maintenances", "maintenances", "n_maintenances_"),
)


def info(args: Namespace) -> int:
    """Print the contents of a model file."""
    model = modelfile.load(args.model)
    task = task_of(model)
    report.file("model", args.model)
    report.line("task", task.name, task=task.name)
    report.line("algorithm", model.algorithm, algorithm=model.algorithm)
    _print_parameters(model)
    report.lines([_scaling(model, args.model), *task.described(model)])
    if hasattr(model, "n_features_in_"):
        report.lines(_learned(model))
        report.lines(task.progressive(model))
        loss = model.mean_weight_degradation_
        report.line("mean weight degradation", f"{loss:.6g}", mean_weight_degradation=loss)
    else:
        report.line("rows learned", 0, rows_learned=0)
    version = _core.__version__
    report.line("version", f"{version} ({_core.isa()})", version=version, isa=_core.isa())
    return OK


def _print_parameters(model: Any) -> None:
    others = ("algorithm", "classes", "n_jobs")
    params = {name: value for name, value in model.params.items() if name not in others}
    for name, value in params.items():
        if name != "scaling":  # `_scaling` knows a fixed scaling too
            report.line(name, written(value), parameters=params)


def _learned(model: Any) -> list[Line]:
    """Return the lines on a model that has learned."""
    dtype = str(model.dtype)
    lines = [
        Line("features", model.n_features_encoded_, {"n_features": model.n_features_encoded_}),
        *_columns(model),
        Line("dtype", dtype, {"dtype": dtype}),
    ]
    if hasattr(model, "gamma_"):
        lines.append(Line("gamma in use", f"{model.gamma_:.6g}", {"gamma": model.gamma_}))
    counts = ((key, name, getattr(model, attribute)) for key, name, attribute in _COUNTS)
    lines += [Line(key, count, {name: count}) for key, name, count in counts]
    return lines + report.drifts(model)


def _columns(model: Any) -> list[Line]:
    """Return the names of the columns, and of the features if there are categorical columns."""
    if not hasattr(model, "feature_names_in_"):
        return []
    columns, features = model.feature_names_in_.tolist(), model.get_feature_names_out().tolist()
    lines = [Line("columns", _some(columns), {"columns": columns})]
    if model.target_name is not None:
        lines.append(Line("target", model.target_name, {"target": model.target_name}))
    if columns != features:
        lines.append(Line("feature names", _some(features), {"feature_names": features}))
    return lines


def _some(names: list[str]) -> str:
    return ", ".join([*names[:_SHOWN], *(["..."] if len(names) > _SHOWN else [])])


def _scaling(model: Any, path: str) -> Line:
    """Return how features are scaled."""
    scaling = "fixed" if modelfile.has_scaling(path) else model.params["scaling"]
    return Line("scaling", scaling, {"scaling": scaling})
