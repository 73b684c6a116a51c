"""Sorted classes, as in scikit-learn; a native model may have classes in order of appearance."""

import numpy as np


def by_sorted_class(values: np.ndarray, classes: np.ndarray, *, axis: int) -> np.ndarray:
    """Reorder values, one per class along `axis`, to the order of the sorted classes.

    Parameters
    ----------
    values : ndarray
        Scores, probabilities or coefficients, with the classes, or the one output of two classes, along
        `axis`; scores of two classes have no such axis.
    classes : ndarray of shape (n_classes,)
        The classes in the order of `values`.
    axis : int
        The axis of the classes.

    Returns
    -------
    ndarray
        `values` itself where the classes are sorted.
    """
    if (classes[:-1] <= classes[1:]).all():
        return values
    order = np.argsort(classes, kind="stable")
    if axis < values.ndim and values.shape[axis] == len(classes):
        return np.take(values, order, axis=axis)
    # One output: positive for the second of two classes.
    return -values
