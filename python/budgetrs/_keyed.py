"""`KeyedModels`: one model per key."""

import datetime
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from numbers import Real
from os import PathLike, fspath
from typing import Any, NoReturn
from uuid import UUID

import numpy as np

from . import _core
from ._errors import ParameterError, shown
from ._frames import frame_of_row

Begin = _core.Classifier | _core.Regressor

_ADVICE: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bytes, "pass key.decode() for text, key.hex() for other bytes"),
    ((datetime.date, datetime.time), "pass key.isoformat()"),
    ((UUID, np.datetime64), "pass str(key)"),
    (Enum, "pass key.name"),
    (type(None), "leave out the rows without a key"),
    (object, "pass a string that identifies it, such as str(key)"),
)
"""What to pass instead of a key that is neither an integer nor a string: the first type that fits counts."""


class KeyedModels:
    """One model per key (user, device, shop), in bounded memory.

    Use it for many small models whose keys have different targets. Use one `Classifier` with the key as a
    feature if the keys behave alike.

    Each model learns the rows of its key, in order, and is bit-identical to a model trained on these rows
    alone (exception: text columns, see Notes). A new key gets a copy of the template `model`. When the models
    in memory exceed `max_memory`, the least recently used ones are written to a temporary file, and read
    again when their key appears.

    Parameters
    ----------
    model : Classifier, Regressor or callable
        The template of all models, or a function without parameters that returns it. A trained template also
        predicts for unknown keys.
    key : str, optional
        The column of a data frame that has the keys. Without it, pass the keys to each call.
    max_memory : int, default=2**30
        The bytes of all models in memory together, by an estimate, above which models are written to
        `spill_dir`. It is not the limit of `set_memory_limit`, which applies to each model. A call may exceed
        this number by a quarter, and by the growth of the models in 16,384 rows. The index of the keys needs
        about 125 bytes per key in addition.
    spill_dir : str or path-like, optional
        The directory of the temporary file; by default the directory of the system. The file has no name, and
        the system removes it with the process.
    n_jobs : int or None, default=-1
        Number of threads of training and prediction; it changes no result. -1 is all processors.

    Raises
    ------
    ParameterError
        If a parameter is invalid.

    See Also
    --------
    Classifier : One model for all rows.
    budgetrs.dask.KeyedModels : Keys distributed over many workers.

    Notes
    -----
    All batches have the number of features, float type and label type of the first batch. If columns have
    names, all models share the columns: a new category in the rows of one key becomes a feature of every
    model. One call runs at a time, on `n_jobs` threads; other calls wait.

    Examples
    --------
    >>> import numpy as np
    >>> from budgetrs import Classifier, KeyedModels
    >>> rng = np.random.default_rng(0)
    >>> X, users = rng.uniform(-1, 1, (4000, 2)), rng.choice(["ann", "bob"], 4000)
    >>> y = np.where((X[:, 0] > 0) == (users == "ann"), "buys", "goes")  # bob is the opposite of ann
    >>> models = KeyedModels(Classifier(budget=20)).learn(X, y, users)
    >>> models.predict([[0.5, 0.0], [0.5, 0.0]], ["ann", "bob"]).tolist()
    ['buys', 'goes']
    >>> models["ann"].n_support_vectors_
    20
    """

    def __init__(
        self,
        model: Begin | Callable[[], Begin],
        *,
        key: str | None = None,
        max_memory: int = 2**30,
        spill_dir: str | PathLike[str] | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        begin = model if isinstance(model, _core.NativeModel) or not callable(model) else model()
        if not isinstance(begin, Begin):
            expected = "a Classifier or a Regressor, or a function that returns one"
            raise ParameterError(f"model must be {expected}, got {shown(begin)}", "model", None)
        folder = None if spill_dir is None else fspath(spill_dir)
        self._key = _checked(key)
        self._models = _core.KeyedModels(begin, None, max_memory=max_memory, spill_dir=folder, n_jobs=n_jobs)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        key: str | None = None,
        max_memory: int = 2**30,
        spill_dir: str | PathLike[str] | None = None,
        n_jobs: int | None = -1,
    ) -> "KeyedModels":
        """Open the models of a file; each model is read when its key appears.

        Parameters
        ----------
        path : str or path-like
            A file that `save` wrote.
        key, max_memory, spill_dir, n_jobs
            As in the constructor, because the file does not contain them.

        Returns
        -------
        KeyedModels
            The models. They continue training exactly as the saved models would.

        Raises
        ------
        ValueError
            If the file is damaged. A damaged model raises an error when it is read.
        OSError
            If the file cannot be read.
        """
        models = cls.__new__(cls)
        models._key = _checked(key)
        spill = None if spill_dir is None else fspath(spill_dir)
        models._models = _core.KeyedModels(None, path, max_memory=max_memory, spill_dir=spill, n_jobs=n_jobs)
        return models

    def learn(self, X: Any, y: Any, keys: Any = None, *, sample_weight: Any = None) -> "KeyedModels":
        """Learn every row by the model of its key, in order.

        Parameters
        ----------
        X : array-like, scipy.sparse CSR or data frame of shape (n, d)
            Rows, as `Classifier.learn` takes them.
        y : array-like of shape (n,)
            Labels, or numbers for a Regressor.
        keys : array-like of shape (n,), optional
            Integers or strings; by default the column `key` of the frame.
        sample_weight : array-like of shape (n,), optional
            As `Classifier.learn` takes it.

        Returns
        -------
        KeyedModels
            Itself.

        Raises
        ------
        ValueError, TypeError
            As `Classifier.learn`, and nothing is learned. Exception: an error about the model of one key
            names the key, and other keys may have learned their rows.
        OSError
            If models cannot be written to the temporary file; some keys have learned their rows.
        KeyboardInterrupt
            After Ctrl-C; some keys have learned their rows.
        """
        X, keys = self._apart(X, keys)
        self._models.learn(X, y, keys, sample_weight)
        return self

    def fit(
        self, X: Any, y: Any, keys: Any = None, *, sample_weight: Any = None, passes: int | str = "auto"
    ) -> "KeyedModels":
        """Learn the rows of new keys in several passes, each key as `Classifier.fit` does.

        Use it when all rows of a key are at hand: its model is more accurate than after one pass of `learn`,
        for one and a half times the time in classification and eight times in regression. Later rows of the
        keys are learned by `learn`.

        Parameters
        ----------
        X, y, keys, sample_weight
            As in `learn`.
        passes : int or "auto", default="auto"
            As in `Classifier.fit`.

        Returns
        -------
        KeyedModels
            Itself.

        Raises
        ------
        ParameterError
            If a key is known; otherwise as `learn`.
        """
        X, keys = self._apart(X, keys)
        self._models.learn(X, y, keys, sample_weight, passes)
        return self

    def learn_one(self, x: Any, y: Any, key: int | str, *, sample_weight: float = 1.0) -> "KeyedModels":
        """Learn one row of a key.

        Parameters
        ----------
        x : array-like of shape (d,), dict, pandas.Series or frame of one row
            The row. If columns have names, values are matched by name.
        y : label or number
            The label or target of the row.
        key : int or str
            The key of the row.
        sample_weight : float, default=1.0
            As `Classifier.learn_one` takes it.

        Returns
        -------
        KeyedModels
            Itself.
        """
        self._models.learn(self._row(x), [y], [key], [sample_weight])
        return self

    def predict(self, X: Any, keys: Any = None) -> np.ndarray:
        """Predict each row by the model of its key.

        Parameters
        ----------
        X : array-like, scipy.sparse CSR or data frame of shape (n, d)
            Rows.
        keys : array-like of shape (n,), optional
            As in `learn`.

        Returns
        -------
        ndarray of shape (n,)
            Labels, or numbers of a Regressor.

        Raises
        ------
        ValueError, TypeError
            If a key is unknown and the template model has not learned any rows; and as `Classifier.predict`.
        """
        return self._models.predict(*self._apart(X, keys))

    def predict_one(self, x: Any, key: int | str) -> Any:
        """Predict one row of a key.

        Parameters
        ----------
        x : array-like of shape (d,), dict, pandas.Series or frame of one row
            The row, as `learn_one` takes it.
        key : int or str
            The key of the row.

        Returns
        -------
        label or float
            As `predict`.
        """
        return self._models.predict(self._row(x), [key]).tolist()[0]

    def decision_function(self, X: Any, keys: Any = None) -> np.ndarray:
        """Compute the scores of each row by the model of its key; only with a template with `classes`.

        Parameters
        ----------
        X, keys
            As in `predict`.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            As `Classifier.decision_function`.

        Raises
        ------
        ValueError, TypeError
            If the template was created without `classes`, so that models differ in their classes; and as
            `predict`.
        """
        return self._models.decision_function(*self._apart(X, keys))

    def predict_proba(self, X: Any, keys: Any = None) -> np.ndarray:
        """Compute the probability of each class; only with a template with `classes`.

        Parameters
        ----------
        X, keys
            As in `predict`.

        Returns
        -------
        ndarray of shape (n, n_classes)
            As `Classifier.predict_proba`.
        """
        return self._models.predict_proba(*self._apart(X, keys))

    def keys(self) -> np.ndarray:
        """Return all keys, in order of appearance.

        Returns
        -------
        ndarray of shape (n_keys,)
            Integers or strings.
        """
        return self._models.keys()

    def counts(self) -> dict[str, np.ndarray]:
        """Return the rows and prediction errors of all keys, for reports per key or group of keys.

        The counts are in the index of the keys, 24 bytes per key: no model is read from disk. Use
        ``models[key]`` for everything else about a model.

        Returns
        -------
        dict of str to ndarray of shape (n_keys,)
            Columns of a data frame, ``pd.DataFrame(models.counts())``, in the order of `keys`:

            - ``key``: the key.
            - ``rows``: the rows that its model learned, without rows of weight 0. `fit` counts a row once.
            - ``mistakes``: the rows predicted wrongly just before they were learned; ``mistakes / rows`` is
              the progressive error of the model. In regression ``squared_error``: the sum of the squared
              errors of these predictions.
            - ``last_row``: `n_samples_seen_` just after the last row of the key.

            With a trained template, ``rows`` and errors include the rows of the template.
        """
        return self._models.counts()

    def remove_unseen(self, rows: int) -> int:
        """Delete the models of all keys that have none of the last rows.

        Age is measured in rows, not in time, so that equal streams give equal models. For "not seen for 30
        days", pass the number of rows of the last 30 days: store `n_samples_seen_` once a day, for example in
        `metadata`.

        Parameters
        ----------
        rows : int
            The number of the last rows, of all keys together.

        Returns
        -------
        int
            The number of deleted models. Their memory and the memory of their keys is free. A saved file
            keeps them until the next `save`, which writes a new file.

        Raises
        ------
        ParameterError
            If `rows` is not an integer of at least 1.
        """
        return self._models.remove_unseen(rows)

    def save(self, path: str | PathLike[str], *, metadata: dict[str, Any] | None = None) -> None:
        """Write all models and the metadata to a file, atomically.

        A save to the file that was saved or loaded last appends the models that have changed since, and
        takes time for these only. Any other save writes a new file, which replaces the file of this path; so
        does a save after a key was deleted, or when most of the file is outdated, which at most doubles its
        size. Processes that have loaded the file keep the models that they loaded.

        Parameters
        ----------
        path : str or path-like
            The file.
        metadata : dict, optional
            As in `Classifier.save`: it replaces `models.metadata` once the file is written.

        Raises
        ------
        ParameterError
            If `metadata` is no dict that JSON preserves, or too large. Nothing is written then.
        OSError
            If the file cannot be written, or another process saves to it for 20 seconds. The models that were
            saved before are unchanged.
        """
        self._models.save(path, metadata=metadata)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict of your own in the file, as `Classifier.metadata`; the models of the keys have none."""
        return self._models.metadata

    @metadata.setter
    def metadata(self, metadata: dict[str, Any]) -> None:
        self._models.metadata = metadata

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows learned for all keys together, in this process and before `save` and `load`.

        Rows of weight 0 and rows of deleted keys are counted. `fit` counts a row once.
        """
        return self._models.n_rows()

    @property
    def memory_used_(self) -> int:
        """Bytes of all models in memory together, as `max_memory` counts them."""
        return self._models.in_memory()[0]

    @property
    def n_in_memory_(self) -> int:
        """Number of models in memory; the other models are on disk."""
        return self._models.in_memory()[1]

    def __getitem__(self, key: int | str) -> Begin:
        """Return a copy of the model of a key."""
        model = self._models.get(key)
        if model is None:
            raise KeyError(f"no rows of the key {shown(key)} were learned; keys() has all keys")
        return model

    def __delitem__(self, key: int | str) -> None:
        """Delete the model of a key. A saved file keeps it until the next `save`."""
        if not self._models.remove(key):
            raise KeyError(f"no rows of the key {shown(key)} were learned; keys() has all keys")

    def __contains__(self, key: object) -> bool:
        return key in self._models

    def __iter__(self) -> Iterator[int | str]:
        return iter(self._models.keys().tolist())

    def __len__(self) -> int:
        return len(self._models)

    def __repr__(self) -> str:
        return f"KeyedModels of {len(self)} keys, {self.n_in_memory_} in memory"

    def __reduce__(self) -> NoReturn:
        raise TypeError("KeyedModels cannot be pickled or copied: call save(path) and load(path)")

    def _apart(self, X: Any, keys: Any) -> tuple[Any, Any]:
        """Return the features and the keys of rows."""
        if keys is not None:
            return X, keys
        key = self._key
        if key is None:
            expected = "keys must be the key of each row, got None: pass learn(X, y, keys)"
            raise ParameterError(f"{expected}, or KeyedModels(..., key=COLUMN) for data frames", "keys", None)
        names = list(getattr(X, "column_names", getattr(X, "columns", ())))
        if key not in names:
            raise ParameterError(f"key must be a column of X, got {shown(key)}", "key", None)
        if hasattr(X, "iloc"):
            return X.drop(columns=[key]), X[key].to_numpy()
        if hasattr(X, "drop_columns"):
            return X.drop_columns([key]), X.column(key).to_pylist()
        return X.drop(key), X[key].to_numpy()

    def _row(self, x: Any) -> Any:
        """Return a single row as rows, with its names if it has names, without the column of the keys."""
        if isinstance(x, Mapping):
            return frame_of_row({name: value for name, value in x.items() if name != self._key})
        return _single(x)


def invalid_keys(keys: Any) -> ParameterError | None:
    """Return the error about the first key that is neither a number nor a string, if one is not."""
    array = np.asarray(keys, None if hasattr(keys, "dtype") else object)
    if array.ndim != 1:
        return None
    row = next((row for row, key in enumerate(array) if not isinstance(key, str | Real | np.bool_)), None)
    if row is None:
        return None
    key = array[row]
    advice = next(advice for kind, advice in _ADVICE if isinstance(key, kind))
    got = f"got {shown(key)} at row {row}"
    return ParameterError(f"keys must hold integers or strings, {got}: {advice}", "keys", row)


def _checked(key: Any) -> str | None:
    if key is not None and not isinstance(key, str):
        raise ParameterError(f"key must be the name of a column, got {shown(key)}", "key", None)
    return key


def _single(x: Any) -> Any:
    """Return a single row as rows, with its names if it has names."""
    if hasattr(x, "to_frame") and hasattr(x, "index") and all(isinstance(name, str) for name in x.index):
        return x.to_frame().T.infer_objects()
    if getattr(x, "ndim", 1) == 2 or hasattr(x, "column_names"):
        if x.shape[0] != 1:
            raise ParameterError(f"x must be a single row, got {x.shape[0]} rows", "x", None)
        return x
    return np.asarray(x)[None]
