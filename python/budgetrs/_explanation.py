"""`explain_one`: the terms that sum to the score of a row."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import check_count


@dataclass(frozen=True, eq=False)
class Explanation:
    """The terms that sum to the scores of one row, as `explain_one` returns them.

    All arrays of terms have one column per score: a single column for up to two classes, whose score is
    positive for ``classes_[1]``, and for regression, whose score is the prediction; otherwise one per class.
    The scores are ``contributions.sum(0) + rest + linear.sum(0) + intercept + limit``, apart from rounding.

    Attributes
    ----------
    scores : ndarray of shape (n_scores,)
        What `decision_function` returns for the row; in regression what `predict` returns.
    indices : ndarray of int, shape (n,)
        The support vectors that matter most, as indices into `support_vectors_` and `dual_coef_`: the largest
        absolute contribution to the score of the predicted class comes first.
    vectors : ndarray of shape (n, d)
        These support vectors. They have the features that the kernel sees: after one-hot encoding, hashing,
        scaling and the learned metric.
    labels : ndarray of shape (n,) or None
        Their labels; None in regression. A support vector that was merged from several rows has the label of
        the row of the largest weight.
    similarities : ndarray of shape (n,)
        Their kernel values with the row.
    contributions : ndarray of shape (n, n_scores)
        Their terms: coefficient times similarity.
    rest : ndarray of shape (n_scores,)
        The sum of the terms of all other support vectors.
    columns : ndarray of str, shape (n_columns,), or None
        The names of the columns; None for models that learned arrays, and with `hash_features`.
    linear : ndarray of shape (n_columns, n_scores)
        The linear term of each column: slope times scaled value, of a categorical column the sum over its
        categories. Without names of columns, the linear term of each feature. Zeros if the model has no
        linear term, and while recent rows vote.
    intercept : ndarray of shape (n_scores,)
        The constant of the linear term.
    limit : ndarray of shape (n_scores,)
        What limiting the prediction to the range of the targets seen adds; nonzero only in regression with
        "online-kernel".

    See Also
    --------
    Classifier : Has `explain_one`, as has `Regressor`.
    plot_importances : Importances of the features for all rows.
    """

    scores: np.ndarray
    indices: np.ndarray
    vectors: np.ndarray
    labels: np.ndarray | None
    similarities: np.ndarray
    contributions: np.ndarray
    rest: np.ndarray
    columns: np.ndarray | None
    linear: np.ndarray
    intercept: np.ndarray
    limit: np.ndarray


def explain_one(self: Any, x: Any, *, n: int = 10) -> Explanation:
    """Explain the score of one row: by the support vectors that matter most, and the linear term.

    Parameters
    ----------
    x : array-like of shape (d,), or dict
        The row: values in the order of the features, or a dict of values by the names of the columns.
    n : int, default=10
        The number of support vectors, or all if there are fewer.

    Returns
    -------
    Explanation
        The terms, which sum to the score. They explain the model that predicts: with averaged coefficients
        and corrected scores, and while recent rows vote, these rows as support vectors.
    """
    check_count("n", n)
    found = self._explain(x)
    scores = found["scores"]
    terms, linear = (found[name].reshape(-1, len(scores)) for name in ("contributions", "linear"))
    order = np.argsort(-np.abs(terms[:, np.argmax(scores)]), kind="stable")
    indices, others = order[:n], order[n:]
    classes, columns = found["classes"], found["columns"]
    return Explanation(
        scores=scores,
        indices=indices,
        vectors=found["vectors"][indices],
        labels=self.classes_[classes[indices]] if hasattr(self, "classes_") else None,
        similarities=found["similarities"][indices],
        contributions=terms[indices],
        rest=terms[others].sum(axis=0),
        columns=None if columns is None else np.array(columns, dtype=object),
        linear=linear,
        intercept=found["intercept"],
        limit=found["limit"],
    )
