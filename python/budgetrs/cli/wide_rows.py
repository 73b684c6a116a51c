"""A warning about wide sparse rows that make budget maintenance slow."""

from typing import Any

from .batch import Batch, Csr

_FEATURES = 1 << 17
"""The number of features without a warning."""

_FAST = ("none", "random", "oldest", "smallest", "stop", "simple")
"""The strategies whose cost per row is proportional to the entries of the row."""


def wide_rows_warning(model: Any, batch: Batch, name: str, known: int) -> str | None:
    """Return a warning if rows take time proportional to a very large number of features.

    The work grows with the largest index, not with the entries of a row. `known` is the number of features so
    far, `name` the name of the file.
    """
    params, width = model.params, max(known, batch.X.shape[1])
    if not isinstance(batch.X, Csr) or width <= _FEATURES or params.get("hash_features") is not None:
        return None
    if params.get("scaling") == "online":
        cause = "--scaling online makes every row dense"
    elif params.get("maintenance") not in _FAST:
        cause = f"the strategy {params['maintenance']} of {model.algorithm} works on all features"
    else:
        return None
    return (
        f"{name} has feature numbers up to {width:,}, and {cause}: a row can take a hundred times longer "
        "than its entries need; --set hash_features=16384 limits the number of features, and --algorithm "
        "bsgd-random works on the entries only"
    )
