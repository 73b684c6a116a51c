"""The interface of a task: everything that differs between classification and regression."""

from abc import ABC, abstractmethod
from argparse import Namespace
from typing import Any, ClassVar

import numpy as np

from ... import _core
from ..batch import Batch
from ..errors import UsageError
from ..report import Line
from ..scan import Scan


class TargetEncoder(ABC):
    """Converts the labels of a file to the targets of a model."""

    classes: np.ndarray | None = None
    new: tuple[Any, ...] = ()
    """Classes that appeared after `classes` was fixed."""

    @abstractmethod
    def of(self, batch: Batch) -> np.ndarray:
        """Return the targets of a batch; a `DataError` names an invalid row."""


class Score(ABC):
    """A measure of how well the rows of a labelled file are predicted."""

    rows = 0
    methods: tuple[str, ...] = ("predict",)
    """The methods of the model whose results `add` takes."""

    @abstractmethod
    def add(self, batch: Batch, *found: np.ndarray) -> None:
        """Add the predictions of a batch."""

    @abstractmethod
    def lines(self) -> list[Line]:
        """Return the lines to print at the end."""

    @abstractmethod
    def status(self) -> list[Line]:
        """Return short lines on the progress, the most important first."""


class Task(ABC):
    """The differences between classification and regression on the command line."""

    name: ClassVar[str]
    """Its name for ``--task``, the text reader and `compare_budgets`."""

    native: ClassVar[type[_core.Classifier] | type[_core.Regressor]]
    """The class of its models."""

    foreign: ClassVar[tuple[str, ...]] = ()
    """Options that do not apply; their default is None."""

    def reject(self, args: Namespace) -> None:
        """Reject options that do not apply."""
        for name in self.foreign:
            if getattr(args, name) is not None:
                raise UsageError(f"--{name} cannot be combined with --task {self.name}")

    @abstractmethod
    def new_model(self, algorithm: str, classes: np.ndarray | None, params: dict[str, Any]) -> Any:
        """Create an untrained model; raises the errors of the native class."""

    @abstractmethod
    def targets(self, args: Namespace, found: Scan, name: str, *, is_whole: bool) -> TargetEncoder:
        """Return the encoder of labels for the file `name`; `found` scanned all rows if `is_whole`."""

    def advice(self, args: Namespace, found: Scan, name: str) -> str | None:  # noqa: ARG002
        """Return a warning about the labels of a scan of the file `name`, if one is due.

        Raises
        ------
        DataError
            If the labels are probably no classes, or missing.
        """
        return None

    @abstractmethod
    def resumed(self, model: Any) -> TargetEncoder:
        """Return the encoder of labels for a model whose training continues."""

    @abstractmethod
    def progressive(self, model: Any) -> list[Line]:
        """Return the progressive errors or accuracy."""

    @abstractmethod
    def status(self, model: Any) -> list[Line]:
        """Return short lines on the progressive errors or accuracy, the most important first."""

    @abstractmethod
    def score(self, model: Any) -> Score:
        """Return an empty score for a model."""

    def measures(self, model: Any) -> Score:
        """Return an empty score with all measures for a model."""
        return self.score(model)

    def predictions(self, found: np.ndarray, digits: str) -> list[str]:  # noqa: ARG002
        """Format predictions; `digits` is the format of floats of the model's type."""
        return list(map(str, found.tolist()))

    def described(self, model: Any) -> list[Line]:  # noqa: ARG002
        """Return further lines on a model that only this task has."""
        return []
