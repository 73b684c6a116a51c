"""Names and values that users bring from other libraries, and the hints that messages give about them."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from inspect import getattr_static
from typing import Any, NoReturn


def _by_name(table: Mapping[str, str]) -> dict[str, str]:
    return {name: text for names, text in table.items() for name in names.split()}


_STEPS = (
    "leave it out: the step size decreases by itself; to change it, set C0 of OnlineKernel{kind} "
    '("online-kernel") or alpha'
)
_OF_BSGD = "of BSGD{kind}"

_OF_OTHER_ALGORITHMS = _by_name({
    "C": f"{_STEPS}, about 1 / (C * n_rows), {_OF_BSGD}",
    "alpha eta eta0": f"{_STEPS} {_OF_BSGD}",
    "delta": 'leave it out: "online-kernel" detects drift by itself; delta belongs to loss="huber"',
})  # fmt: skip
"""Parameters that only some algorithms have."""

_PARAMETERS = _OF_OTHER_ALGORITHMS | _by_name({
    "gamma kernel degree coef0 loss maintenance epsilon scaling linear_weight metric_learning": (
        "leave it out: this estimator learns or fixes it; {kind} and BSGD{kind} have this parameter"
    ),
    "learning_rate lr step_size power_t optimizer intercept_lr": f"{_STEPS} {_OF_BSGD}",
    "tol early_stopping n_iter_no_change validation_fraction": (
        "leave it out: learn makes one pass, and fit of OnlineKernel{kind} chooses their number "
        '(max_iter="auto")'
    ),
    "epochs n_epochs num_epochs passes max_iter": (
        "learn makes one pass, and fit(X, y, passes=3) makes several; OnlineKernel{kind} has max_iter"
    ),
    "verbose warm_start shuffle": (
        "learn continues training, in the order of the rows; OnlineKernel{kind} has this parameter"
    ),
    "probability calibration": (
        "leave it out: Classifier and OnlineKernelClassifier always have predict_proba; "
        'BSGDClassifier needs loss="log_loss"'
    ),
    "window window_size drift drift_detector grace_period": (
        'leave it out: "online-kernel" detects drift; with its parameter forget=1000 about the last 1,000 '
        "rows count"
    ),
    "penalty l1 l2 l1_ratio reg_lambda reg_alpha": (
        "leave it out: the penalty is L2; its strength is alpha in BSGD{kind}"
    ),
    "nu": "leave it out: budget is the largest number of support vectors",
    "cache_size shrinking dual": "leave it out: there is no solver to set, each row is learned in one step",
    "decision_function_shape multi_class break_ties": (
        "leave it out: one model has a score for each class, and the largest is predicted"
    ),
    "fit_intercept": 'leave it out: "online-kernel" has an intercept',
    "max_depth n_estimators num_leaves max_leaf_nodes n_models leaf_prediction": (
        "leave it out: there are no trees: budget, the largest number of support vectors, is the size of the "
        "model"
    ),
    "confidence_level confidence coverage": (
        "pass it to the prediction: predict_interval(X, coverage=0.9) or predict_set(X, coverage=0.9)"
    ),
    "sample_weight": "pass weights with the rows: learn(X, y, sample_weight=weights)",
    "categorical_features": "leave it out: text and categorical columns of data frames are one-hot encoded",
    "n_classes": "classes is the list of labels, such as classes=[0, 1]",
})  # fmt: skip
"""Parameters of constructors."""

_KEYWORDS = _PARAMETERS | _by_name({
    "alpha confidence_level confidence": "coverage is the share to cover, such as coverage=0.9 for alpha=0.1",
    "w weight weights": "sample_weight has the weight of each row",
    "sample_weight": "in River the weight is w: learn_one(x, y, w=2.0), learn_many(X, y, w=weights)",
    "epochs n_epochs num_epochs passes max_iter": (
        "Classifier and Regressor have fit(X, y, passes=3); estimators have it in the constructor: max_iter=3"
    ),
    "with_interval with_dist": (
        "call predict_interval_one(x) of a Regressor, or predict_set_one(x) of a Classifier"
    ),
})  # fmt: skip
"""Keyword arguments of methods."""

_VALUES = {
    "coverage": lambda got: f"did you mean {float(got) / 100:g}?" if 1 < _number(got) <= 100 else None,
    "forget": lambda got: (
        f"forget={1 / (1 - float(got)):.0f} decays like {got}" if 0 < _number(got) < 1 else None
    ),
    "loss": lambda got: (
        '"online-kernel" has predict_proba with its own loss' if got == '"log_loss"' else None
    ),
    "average": lambda got: (
        'leave it out: the model of "online-kernel" is averaged already' if got == "True" else None
    ),
    "max_memory": lambda got: "2**30 is 1 GiB" if got[:1] in "\"'" else None,
}
"""What an invalid value, as text, probably means."""


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


_SKLEARN = "or use OnlineKernel{kind} for scikit-learn's interface"
NO_SKLEARN = (
    "{kind} has no scikit-learn interface: pass OnlineKernel{kind}() to cross_val_score, GridSearchCV and "
    "pipelines"
)
"""The message about scikit-learn's protocols."""
_VECTORS = "n_support_vectors_ is the number of support vectors, and support_vectors_ has them"
_NUMBERS = "a Regressor predicts numbers: call predict(X) or predict_interval(X)"
_ERRORS = "a Regressor has mean_absolute_error_ and mean_squared_error_"
_NO_INTERVAL = "a Classifier predicts sets of labels: call predict_set(X); intervals are for a Regressor"

NATIVE = _by_name({
    "partial_fit learn_many fit_one": f"call learn(X, y), {_SKLEARN}",
    "predict_many": "call predict(X)",
    "score": f"compare predict(X) with y, {_SKLEARN}",
    "transform fit_transform": f"call predict(X), {_SKLEARN}",
    "get_params set_params": (
        f"{NO_SKLEARN}; params has the parameters, which the constructor of a new model takes"
    ),
    "__sklearn_tags__": NO_SKLEARN,
    "predict_interval predict_interval_one": _NO_INTERVAL,
    "predict_set predict_proba predict_proba_one decision_function classes_": _NUMBERS,
    "progressive_error_ majority_error_ n_mistakes_": _ERRORS,
    "mean_absolute_error_ mean_squared_error_": "a Classifier has progressive_error_",
    "support_ n_support_": _VECTORS,
})  # fmt: skip
"""Methods and attributes that native models do not have."""

_OF_NATIVE = "budgetrs.{kind} has it; {kind}.learn takes the same rows as fit"

ESTIMATOR = _by_name({
    "learn": "call fit(X, y) or partial_fit(X, y), or use budgetrs.{kind} for streams",
    "learn_one": "call partial_fit(X, y), or use budgetrs.{kind} for streams",
    "predict_one": "call predict([x])[0], or use budgetrs.{kind} for streams",
    "transform fit_transform": "call predict(X)",
    "predict_interval predict_set": _OF_NATIVE,
    "explain_one": "budgetrs.load reads a file of save as a {kind}, which has explain_one",
    "progressive_error_ majority_error_ n_mistakes_": _ERRORS,
    "mean_absolute_error_ mean_squared_error_": "a Classifier has progressive_error_",
    "support_ n_support_": _VECTORS,
    "coef_": "dual_coef_ has the coefficients of the support vectors; OnlineKernel{kind} has linear_coef_",
    "intercept_": "OnlineKernel{kind} has linear_intercept_",
})  # fmt: skip
"""Methods and attributes that estimators do not have."""

RIVER = _by_name({
    "fit_one partial_fit": "call learn_one(x, y)",
    "fit learn": "call learn_many(X, y)",
    "predict": "call predict_one(x) or predict_many(X)",
    "predict_proba": "a Classifier has predict_proba_one(x) and predict_proba_many(X)",
    "predict_interval": "a Regressor has predict_interval_one(x)",
    "predict_set": "a Classifier has predict_set_one(x)",
    "score": "use evaluate.progressive_val_score of River",
    "save": "call native.save(path), or pickle the model",
    "progressive_error_ n_samples_seen_ n_support_vectors_ feature_importances_ explain_one plot": (
        "the native model has it, such as native.n_samples_seen_"
    ),
})  # fmt: skip
"""Methods and attributes that models for River do not have."""

DASK = _by_name({
    "fit train": "call learn(model, X, y)",
    "compare_budgets": "call budgetrs.compare_budgets with rows in memory",
    "Classifier Regressor": "use budgetrs.Classifier and budgetrs.dask.learn",
})  # fmt: skip
"""Functions that `budgetrs.dask` does not have."""


MODULE = _by_name({
    "SVC SVM LinearSVC NuSVC SGDClassifier KernelClassifier BudgetedSVC RidgeClassifier LogisticRegression": (
        "OnlineKernelClassifier has scikit-learn's interface, and Classifier is for streams"
    ),
    "SVR LinearSVR NuSVR SGDRegressor KernelRegressor KernelRidge BudgetedSVR": (
        "OnlineKernelRegressor has scikit-learn's interface, and Regressor is for streams"
    ),
})  # fmt: skip
"""Names that `budgetrs` does not have."""


def of_parameter(message: str, name: str, got: str | None, kind: str = "Classifier") -> str:
    """Return the message about a parameter with a hint, if there is one.

    Parameters
    ----------
    message : str
        The message.
    name : str
        The parameter.
    got : str or None
        Its invalid value as text; None if the parameter is unknown or does not apply.
    kind : {"Classifier", "Regressor"}, default="Classifier"
        What the hint names.

    Returns
    -------
    str
        The message; a hint about an unknown parameter replaces the list of the parameters that apply.
    """
    if "did you mean" in message:
        return message
    if got is not None:
        hint = _VALUES[name](got) if name in _VALUES else None
    elif message.startswith("unknown"):
        message, hint = message.split(";")[0] if name in _PARAMETERS else message, _PARAMETERS.get(name)
    else:
        hint = _OF_OTHER_ALGORITHMS.get(name)
    return f"{message}; {hint.format(kind=kind)}" if hint else message


def of_keyword(method: str, name: str) -> str:
    """Return the message about an unexpected keyword argument of a method, with a hint, if there is one."""
    hint = _KEYWORDS.get(name)
    hint = hint and hint.format(kind="Classifier")
    return f"{method}() got an unexpected keyword argument {name!r}{f'; {hint}' if hint else ''}"


def of_attribute(owner: str, name: str, table: Mapping[str, str], known: Sequence[str] = ()) -> str:
    """Return the message about a missing attribute: the hint of the table, or the nearest known name."""
    kind = "Regressor" if owner.endswith("Regressor") else "Classifier"
    hint = table[name].format(kind=kind) if name in table else None
    if hint is not None and hint.startswith(f"{owner} has no "):
        return hint
    if (
        hint is None
        and not name.startswith("_")
        and (near := get_close_matches(name, known, n=1, cutoff=0.8))
    ):
        hint = f"did you mean {near[0]}?"
    return f"{owner} has no {name}{f': {hint}' if hint else ''}"


class _Hint:
    # A descriptor, unlike `__getattr__`, leaves other attributes as fast as they are.
    # Without a docstring, so that documentation does not list it.

    def __init__(self, name: str, table: Mapping[str, str]) -> None:
        self._name, self._table = name, table

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        raise AttributeError(
            of_attribute(owner.__name__, self._name, self._table), name=self._name, obj=instance
        )


def add_hints(cls: Any, table: Mapping[str, str]) -> None:
    """Have missing attributes of a class say what to use instead; `dir` of an instance does not list them."""

    def present(self: Any) -> list[str]:
        return [
            name
            for name in object.__dir__(self)
            if not isinstance(getattr_static(type(self), name, 0), _Hint)
        ]

    for name in table:
        if not hasattr(cls, name):
            setattr(cls, name, _Hint(name, table))
    cls.__dir__ = present


def hinting(table: Mapping[str, str]) -> Callable[[Any, str], Any]:
    """Return the ``__getattr__`` of a class, which says what to use instead of a missing attribute.

    `dir` of the class does not list these names. Every other attribute takes some nanoseconds longer.
    """

    def missing(self: Any, name: str) -> Any:
        cls = type(self)
        if hasattr(cls, name):  # a property that raised
            return object.__getattribute__(self, name)
        known = [] if name.startswith("_") else dir(cls)
        raise AttributeError(of_attribute(cls.__name__, name, table, known), name=name, obj=self)

    return missing
