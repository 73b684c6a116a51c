"""`load`: models of any kind from a file."""

import os
from pathlib import Path

from . import _core
from ._keyed import KeyedModels

_MAGIC = b"budgetrs keyed"
"""The first bytes of a file of `KeyedModels`."""


def load(path: str | os.PathLike[str]) -> _core.Classifier | _core.Regressor | KeyedModels:
    """Read what `save` wrote: a `Classifier`, a `Regressor` or `KeyedModels`. No code in it runs.

    Parameters
    ----------
    path : str or path-like
        A file of a `Classifier`, a `Regressor`, an estimator, the command line or `KeyedModels`.

    Returns
    -------
    Classifier, Regressor or KeyedModels
        The model or models, which continue training exactly as the saved ones would. Of an estimator it is
        the native model, without the estimator's class weights; `load` of the estimator's class returns an
        estimator.

    Raises
    ------
    ValueError
        If the file is none of these, or is damaged.
    OSError
        If it cannot be read, as from Python's `open`.

    See Also
    --------
    from_bytes : Reads the bytes of a file.

    Examples
    --------
    >>> import budgetrs, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> budgetrs.Classifier(budget=50).learn([[0.0], [1.0]], ["no", "yes"]).save(path)
    >>> budgetrs.load(path).predict_one([0.9])
    'yes'
    """
    file = Path(path)
    if file.is_file():
        with file.open("rb") as opened:
            if opened.read(len(_MAGIC)) == _MAGIC:
                return KeyedModels.load(path)
    return _core.load(path)
