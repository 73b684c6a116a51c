"""The models that are compared, each with its defaults."""

from __future__ import annotations

from typing import Any

import catboost
import lightgbm
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from budgetrs import OnlineKernelClassifier, OnlineKernelRegressor

SLOW_ROWS = 12_000
"""The largest number of training rows on which an SVM and CatBoost are fitted."""

SLOW_TREES = 300_000
"""The largest product of rows, columns and trees of a step on which CatBoost is fitted."""


class Categorical(BaseEstimator):
    """LightGBM on a frame whose columns of words have the type of a category."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: Any) -> Categorical:
        words = X.select_dtypes(exclude=["number", "bool"])
        self.types_ = {column: X[column].astype("category").dtype for column in words}
        self.model.fit(X.astype(self.types_), y)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return self.model.predict(X.astype(self.types_))

    def predict_proba(self, X: pd.DataFrame) -> Any:
        return self.model.predict_proba(X.astype(self.types_))


class Texts(BaseEstimator):
    """CatBoost on a frame whose columns of words are texts, missing ones included."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: Any) -> Texts:
        self.words_ = list(X.select_dtypes(exclude=["number", "bool"]))
        self.model.fit(self._texts(X), y, cat_features=self.words_)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return self.model.predict(self._texts(X)).ravel()

    def predict_proba(self, X: pd.DataFrame) -> Any:
        # The class "10" comes after "9" there, and after "1" elsewhere.
        return self.model.predict_proba(self._texts(X))[:, np.argsort(self.model.classes_)]

    def _texts(self, X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{column: X[column].astype(object).map(str) for column in self.words_})


def preprocessed(model: Any) -> Any:
    """The model after imputation of means, standardisation and one-hot encoding."""
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=["number", "bool"])),
        (words, make_column_selector(dtype_exclude=["number", "bool"])),
    )
    return make_pipeline(columns, model)


def models(rows: int, columns: int, classes: int, seed: int) -> dict[str, Any]:
    """The models for a table of `rows` training rows; 0 classes are regression."""
    if classes:
        ours, boosting, ordered = OnlineKernelClassifier, lightgbm.LGBMClassifier, catboost.CatBoostClassifier
        linear, svm = LogisticRegression(max_iter=1000), SVC()
    else:
        ours, boosting, ordered = OnlineKernelRegressor, lightgbm.LGBMRegressor, catboost.CatBoostRegressor
        linear, svm = Ridge(), SVR()
    found = {
        "budgetrs": ours(random_state=seed),
        "LightGBM": Categorical(boosting(verbose=-1, n_jobs=1)),
        "linear": preprocessed(linear),
    }
    if rows > SLOW_ROWS:
        return found
    found["SVM"] = preprocessed(svm)
    if rows * columns * max(classes - 1, 1) <= SLOW_TREES:
        found["CatBoost"] = Texts(ordered(thread_count=1, verbose=0, allow_writing_files=False))
    return found
