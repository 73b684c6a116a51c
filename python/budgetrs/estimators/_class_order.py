"""Sorted classes, as in scikit-learn; a native model may have classes in order of appearance."""

import numpy as np


def by_sorted_class(values: np.ndarray, classes: np.ndarray, *, axis: int) -> np.ndarray:
    """Reorder values, one per class along `axis`, from the order of `classes` to sorted classes.

    Two classes may have a single output along `axis`, or scores without this axis. Values in sorted order are
    returned as they are.
    """
    if (classes[:-1] <= classes[1:]).all():
        return values
    order = np.argsort(classes, kind="stable")
    if axis < values.ndim and values.shape[axis] == len(classes):
        return np.take(values, order, axis=axis)
    # One output: positive for the second of two classes.
    return -values
