"""``budgetrs info``: the contents of a model file."""

import json
from argparse import Namespace
from typing import Any

from .. import _core
from . import measures, output, report
from .advice import listed
from .errors import OK
from .parameters import task_of, written
from .report import Line

_COUNTS = (
    ("support vectors", "support_vectors", "n_support_vectors_"),
    ("rows learned", "rows_learned", "n_samples_seen_"),
    ("updates", "updates", "n_updates_"),
    ("budget maintenances", "maintenances", "n_maintenances_"),
)


def info(args: Namespace) -> int:
    """Print the contents of a model file."""
    model = output.load_model(args.model)
    report.file("model", args.model)
    report.line("task", task_of(model), task=task_of(model))
    report.line("algorithm", model.algorithm, algorithm=model.algorithm)
    params = {
        name: value for name, value in model.params.items() if name not in ("algorithm", "classes", "n_jobs")
    }
    for name, value in params.items():
        if name != "scaling":
            report.line(name, written(value), parameters=params)
    scaling = "fixed" if output.has_fixed_scaling(args.model) else model.params["scaling"]
    report.line("scaling", scaling, scaling=scaling)
    if hasattr(model, "classes_"):
        classes = model.classes_.tolist()
        report.line("number of classes", len(classes), n_classes=len(classes))
        report.line("classes", listed(classes), classes=classes)
    if hasattr(model, "n_features_in_"):
        report.lines([*_learned(model), *report.drifts(model), *measures.progressive(model)])
        loss = model.mean_weight_degradation_
        report.line("mean weight degradation", f"{loss:.6g}", mean_weight_degradation=loss)
    else:
        report.line("rows learned", 0, rows_learned=0)
    if model.metadata:
        report.line("metadata", json.dumps(model.metadata), metadata=model.metadata)
    version = _core.__version__
    report.line("version", f"{version} ({_core.isa()})", version=version, isa=_core.isa())
    return OK


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
    return lines + [Line(key, count, {name: count}) for key, name, count in counts]


def _columns(model: Any) -> list[Line]:
    """Return the names of the columns, and of the features if there are categorical columns."""
    if not hasattr(model, "feature_names_in_"):
        return []
    columns, features = model.feature_names_in_.tolist(), model.get_feature_names_out().tolist()
    lines = [Line("columns", listed(columns), {"columns": columns})]
    if model.target_name is not None:
        lines.append(Line("target", model.target_name, {"target": model.target_name}))
    if columns != features:
        lines.append(Line("feature names", listed(features), {"feature_names": features}))
    return lines
