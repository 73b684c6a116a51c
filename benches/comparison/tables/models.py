"""The models that are compared, each with its defaults."""

from __future__ import annotations

from typing import Any

import lightgbm
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from budgetrs import OnlineKernelClassifier, OnlineKernelRegressor

SVM_ROWS = 12_000
"""The largest number of rows of a table on which an SVM is fitted."""


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


def preprocessed(model: Any) -> Any:
    """The model after imputation of means, standardisation and one-hot encoding."""
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=["number", "bool"])),
        (words, make_column_selector(dtype_exclude=["number", "bool"])),
    )
    return make_pipeline(columns, model)


def models(is_classification: bool, rows: int, seed: int) -> dict[str, Any]:
    """The models for a table of `rows` training rows."""
    if is_classification:
        ours, boosting = OnlineKernelClassifier, lightgbm.LGBMClassifier
        linear, svm = LogisticRegression(max_iter=1000), SVC()
    else:
        ours, boosting = OnlineKernelRegressor, lightgbm.LGBMRegressor
        linear, svm = Ridge(), SVR()
    found = {
        "budgetrs": ours(random_state=seed),
        "LightGBM": Categorical(boosting(verbose=-1, n_jobs=1)),
        "linear": preprocessed(linear),
    }
    return found | ({"SVM": preprocessed(svm)} if rows <= SVM_ROWS else {})
