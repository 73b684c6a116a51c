"""`KeyedModels`: one small model to the key."""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike, fspath
from typing import Any, NoReturn

import numpy as np

from . import _core
from ._errors import ParameterError

Begin = _core.Classifier | _core.Regressor


class KeyedModels:
    """One model to the key: of a user, a device, a shop.

    The rows of a batch are grouped by key, and each model learns its own, in their order. It equals, bit for
    bit, a model that learned the rows of its key alone. A key that comes for the first time gets a model that
    begins as the one that is given: without rows, or with what it has learned. Models that take more than
    `max_memory` together are written to a temporary file, the least recently used first, and are read
    when their key comes again.

    All batches have the same number of features and float type, those of the first, and labels of one kind.
    Where columns have names, all models share them; a word that comes with one key becomes a feature of every
    model, so a model of words has more features than one of its rows alone. One call runs at a time, on
    `n_jobs` threads; others wait for it.

    Parameters
    ----------
    model : Classifier, Regressor or callable
        The model that keys begin as, or a function without parameters that returns it, called once. A model
        that has learned is a prior: it also predicts for keys that never came.
    key : str, optional
        The column of a data frame that holds the keys; the others are the features. Without it keys are
        passed to each call.
    max_memory : int, default=2**30
        About the most bytes of models in memory, by an estimate; a call may take a quarter more, and what
        16,384 rows add to models that are not full yet. Each key takes about 100 bytes beside it.
    spill_dir : str or path-like, optional
        Where the temporary file is; by default in the folder of the system. It has no name, and the system
        removes it with the process.
    n_jobs : int or None, default=-1
        Threads of learning and prediction; the result does not depend on it. -1 is all processors.

    Raises
    ------
    ParameterError
        When a parameter is not legal.

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
            raise ParameterError(f"model must be {expected}, got {begin!r}", "model", None)
        folder = None if spill_dir is None else fspath(spill_dir)
        self._key = _checked(key)
        self._models = _core.KeyedModels(begin, max_memory=max_memory, spill_dir=folder, n_jobs=n_jobs)

    @classmethod
    def load(
        cls,
        folder: str | PathLike[str],
        *,
        key: str | None = None,
        max_memory: int = 2**30,
        spill_dir: str | PathLike[str] | None = None,
        n_jobs: int | None = -1,
    ) -> "KeyedModels":
        """Return the models of a folder; each is read when its key comes.

        Parameters
        ----------
        folder : str or path-like
            A folder that `save` wrote.
        key, max_memory, spill_dir, n_jobs
            As those of the class; a folder does not say.

        Returns
        -------
        KeyedModels
            The models; they go on exactly where the saved ones were.

        Raises
        ------
        ValueError
            When the folder is damaged; what is wrong with a single model is said when it is read.
        OSError
            When it cannot be read.
        """
        models = cls.__new__(cls)
        models._key = _checked(key)
        spill = None if spill_dir is None else fspath(spill_dir)
        models._models = _core.KeyedModels.load(folder, max_memory=max_memory, spill_dir=spill, n_jobs=n_jobs)
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
            As `Classifier.learn`; nothing is learned then. What the model of one key alone can refuse is an
            error that names the key, and other keys may have learned their rows.
        OSError
            When models that leave memory cannot be written; some keys have learned their rows then.
        KeyboardInterrupt
            Some keys have learned their rows.
        """
        X, keys = self._apart(X, keys)
        self._models.learn(X, y, keys, sample_weight)
        return self

    def learn_one(self, x: Any, y: Any, key: int | str, *, sample_weight: float = 1.0) -> "KeyedModels":
        """Learn one row of a key.

        Parameters
        ----------
        x : array-like of shape (d,), dict, pandas.Series or frame of one row
            The row; of models whose columns have names, also by these names.
        y : label or number
            Its target.
        key : int or str
            Its key.
        sample_weight : float, default=1.0
            As `Classifier.learn_one` takes it.

        Returns
        -------
        KeyedModels
            Itself.

        Raises
        ------
        ValueError, TypeError
            As `learn`.
        """
        self._models.learn(_row(x), [y], [key], [sample_weight])
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
            When a key never came and the model that keys begin as has not learned; and as
            `Classifier.predict`.
        """
        return self._models.predict(*self._apart(X, keys))

    def predict_one(self, x: Any, key: int | str) -> Any:
        """Predict one row of a key.

        Parameters
        ----------
        x : array-like of shape (d,), dict, pandas.Series or frame of one row
            The row, as `learn_one` takes it.
        key : int or str
            Its key.

        Returns
        -------
        label or float
            What `predict` returns of it.

        Raises
        ------
        ValueError, TypeError
            As `predict`.
        """
        return self._models.predict(_row(x), [key]).tolist()[0]

    def decision_function(self, X: Any, keys: Any = None) -> np.ndarray:
        """Score each row by the model of its key; of a Classifier that was given its `classes`.

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
            When classes come as they come, so that models have different ones; and as `predict`.
        """
        return self._models.decision_function(*self._apart(X, keys))

    def predict_proba(self, X: Any, keys: Any = None) -> np.ndarray:
        """Return the probability of each class; of a Classifier that was given its `classes`.

        Parameters
        ----------
        X, keys
            As in `predict`.

        Returns
        -------
        ndarray of shape (n, n_classes)
            As `Classifier.predict_proba`.

        Raises
        ------
        ValueError, TypeError
            As `decision_function` and `Classifier.predict_proba`.
        """
        return self._models.predict_proba(*self._apart(X, keys))

    def keys(self) -> np.ndarray:
        """Return all keys, in the order in which they came.

        Returns
        -------
        ndarray of shape (n_keys,)
            Integers or strings.
        """
        return self._models.keys()

    def save(self, folder: str | PathLike[str]) -> None:
        """Write all models into a folder, whole or not at all; what was saved in it before is replaced.

        Other files in it stay. Processes and threads that save into one folder do so one after the other; one
        that has waited for 20 seconds gives up.

        Parameters
        ----------
        folder : str or path-like
            The folder; made if there is none.

        Raises
        ------
        OSError
            When it cannot be written, or others save there for over 20 seconds.
        """
        self._models.save(folder)

    @property
    def memory_used_(self) -> int:
        """Bytes of the models that are in memory."""
        return self._models.in_memory()[0]

    @property
    def n_in_memory_(self) -> int:
        """How many models are in memory; the others are on disk."""
        return self._models.in_memory()[1]

    def __getitem__(self, key: int | str) -> Begin:
        """Return a copy of the model of a key."""
        model = self._models.get(key)
        if model is None:
            raise KeyError(key)
        return model

    def __delitem__(self, key: int | str) -> None:
        """Delete the model of a key; a saved folder keeps it until the next `save`."""
        if not self._models.remove(key):
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key in self._models

    def __iter__(self) -> Iterator[int | str]:
        return iter(self._models.keys().tolist())

    def __len__(self) -> int:
        return len(self._models)

    def __repr__(self) -> str:
        return f"KeyedModels of {len(self)} keys, {self.n_in_memory_} in memory"

    def __reduce__(self) -> NoReturn:
        raise TypeError("KeyedModels cannot be pickled or copied: save them in a folder and load it")

    def _apart(self, X: Any, keys: Any) -> tuple[Any, Any]:
        """Return the features and the keys of rows."""
        if keys is not None:
            return X, keys
        key = self._key
        if key is None:
            raise ParameterError("keys must be given, unless key names a column of X", "keys", None)
        names = list(getattr(X, "column_names", getattr(X, "columns", ())))
        if key not in names:
            raise ParameterError(f"key must be a column of X, got {key!r}", "key", None)
        if hasattr(X, "iloc"):
            return X.drop(columns=[key]), X[key].to_numpy()
        if hasattr(X, "drop_columns"):
            return X.drop_columns([key]), X.column(key).to_pylist()
        return X.drop(key), X[key].to_numpy()


def _checked(key: Any) -> str | None:
    if key is not None and not isinstance(key, str):
        raise ParameterError(f"key must be the name of a column, got {key!r}", "key", None)
    return key


def _row(x: Any) -> Any:
    """Return a single row as rows, with its names if it has names."""
    if isinstance(x, Mapping):
        import pandas as pd

        return pd.DataFrame([dict(x)])
    if hasattr(x, "to_frame") and hasattr(x, "index") and all(isinstance(name, str) for name in x.index):
        return x.to_frame().T.infer_objects()
    if getattr(x, "ndim", 1) == 2 or hasattr(x, "column_names"):
        if x.shape[0] != 1:
            raise ParameterError(f"x must be a single row, got {x.shape[0]} rows", "x", None)
        return x
    return np.asarray(x)[None]
