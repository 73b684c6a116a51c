"""Saving of estimators: model files, and the state for pickle, joblib, cloudpickle and skops."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from .. import _core
from .._call_errors import unqualified
from ._names import estimator_name
from ._sklearn import BaseEstimator

# Parameters of model files that estimators do not have: `random_state` draws the seed, `fit` knows its rows.
_OF_THE_FIT = {"seed", "stream_length"}


@unqualified
class SavedEstimator(BaseEstimator):
    """The base class with the methods that save and load estimators."""

    _native: ClassVar[type]
    _model: Any
    n_features_in_: int
    feature_names_in_: np.ndarray
    n_iter_: int

    def save(self, path: str | PathLike[str], *, metadata: dict[str, Any] | None = None) -> None:
        """Write the model to a file, atomically.

        `load`, `budgetrs.Classifier.load`, `budgetrs.Regressor.load` and the command line read the file.
        Loading the file runs no code. The file does not contain the parameters that only `fit` reads:
        `max_iter`, `shuffle`, `random_state`, `warm_start`, `verbose` and class weights, except
        "balanced" set for `partial_fit`. If `fit` computed gamma from the rows, the file contains the number.

        Parameters
        ----------
        path : str or path-like
            The file. An existing file is replaced.
        metadata : dict, optional
            As in `budgetrs.Classifier.save`: it replaces `metadata` once the file is written.

        Raises
        ------
        ParameterError
            If `metadata` is no dict that JSON preserves, or too large. Nothing is written then.
        NotFittedError
            Before `fit` or `partial_fit`.
        OSError
            As Python's `open` does: `FileNotFoundError`, `PermissionError`, `IsADirectoryError`.
        """
        self._learned("save")(path, metadata=metadata)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict of your own that files and pickles have, as `budgetrs.Classifier.metadata`.

        It is empty after `fit` without `warm_start`, and there is none before.
        """
        return self._learned("metadata")

    @metadata.setter
    def metadata(self, metadata: dict[str, Any]) -> None:
        self._learned("metadata")
        self._model.metadata = metadata

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model file that an estimator, `budgetrs.Classifier` or the command line wrote.

        Parameters
        ----------
        path : str or path-like
            The file. Loading it runs no code.

        Returns
        -------
        estimator
            A fitted estimator with the parameters of the file and otherwise defaults. It predicts as
            the saved model would, and continues training so if it had no class weights or they are set again
            by `set_params`. `fit` starts from scratch with these parameters.
            ``classes_`` is sorted, and new classes raise an error. ``n_iter_`` is 1.

        Raises
        ------
        ValueError
            If the file is not a model file or is damaged, if its model has learned no rows or fewer than two
            classes, or if this class does not have its algorithm or one of its parameters. The message names
            the class that reads the file.
        OSError
            As Python's `open` does: `FileNotFoundError`, `PermissionError`, `IsADirectoryError`.
        """
        model = _core.load(path)
        params = cls._own_parameters(path, model)
        if not hasattr(model, "n_features_in_") or len(getattr(model, "classes_", (0, 1))) < 2:
            raise ValueError(f"{path}: expected a model that has learned rows, of at least two classes")
        estimator = cls(**params)
        estimator._take(model)
        return estimator

    def _take(self, model: Any) -> None:
        """Set the fitted attributes from a native model that has learned in one pass."""
        self._model = model
        names = getattr(model, "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = model.n_features_in_ if names is None else len(names)
        self.n_iter_ = 1

    @classmethod
    def _own_parameters(cls, path: Any, model: _core.Classifier | _core.Regressor) -> dict[str, Any]:
        """Return the parameters of a model that this class has; a ValueError if the model needs others."""
        native: Any = type(model)
        member = estimator_name(model.params, regression=native is _core.Regressor)
        if member not in (base.__name__ for base in cls.__mro__):
            raise ValueError(
                f"{path}: expected a model for {cls.__name__}, got a {native.__name__} with the algorithm "
                f"{model.algorithm!r}; {member}.load reads it"
            )
        own = cls._parameters_in(model.params)
        algorithm, params = cls(**own)._native_params()
        usual = native(algorithm, **params).params
        for name, value in model.params.items():
            if name not in own and name not in _OF_THE_FIT and usual.get(name) != value:
                raise ValueError(
                    f"{path}: expected a model for {cls.__name__}, which has {name}={usual.get(name)!r}, got "
                    f"{name}={value!r}; budgetrs.{native.__name__}.load reads it"
                )
        # The next `fit` draws a seed and counts its rows.
        return {name: value for name, value in own.items() if name not in _OF_THE_FIT}

    @classmethod
    def _parameters_in(cls, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a native model that this class has."""
        return {name: params[name] for name in cls._get_param_names() if name in params}

    def _native_params(self) -> tuple[str, dict[str, Any]]:
        """Return the native algorithm and its parameters."""
        raise NotImplementedError

    def _learned(self, name: str) -> Any:
        """Read an attribute of the native model; a NotFittedError before the fit."""
        if "_model" not in vars(self):
            raise NotFittedError(
                f"{type(self).__name__} is not fitted and has no {name}: call fit(X, y) first"
            )
        return getattr(self._model, name)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes; the model is the bytes of its file, as an array."""
        state: dict[str, Any] = {**vars(self)}
        if "_model" in state:
            state["_model"] = np.frombuffer(state["_model"].to_bytes(), dtype=np.uint8)
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        state = dict(state)
        if "_model" in state:
            model = np.asarray(state["_model"], dtype=np.uint8).tobytes()
            state["_model"] = self._native.from_bytes(model)
        super().__setstate__(state)
