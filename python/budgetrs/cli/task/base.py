"""The contract of a task: all in which learning classes differs from learning numbers."""

from abc import ABC, abstractmethod
from argparse import Namespace
from typing import Any, ClassVar

import numpy as np

from ... import _core
from ..errors import UsageError
from ..rows import Batch
from ..survey import Survey


class Targets(ABC):
    """What a model is to learn of the rows, from what the file says of them."""

    classes: np.ndarray | None = None

    @abstractmethod
    def of(self, batch: Batch) -> np.ndarray:
        """Give the targets of a batch; a `DataError` names the row that has none."""


class Score(ABC):
    """How well the rows of a labelled file were predicted."""

    rows = 0

    @abstractmethod
    def add(self, batch: Batch, found: np.ndarray) -> None:
        """Compare the predictions for a batch with what the file says of it."""

    @abstractmethod
    def lines(self) -> list[tuple[str, object]]:
        """Give what is to be printed in the end."""

    @abstractmethod
    def status(self) -> str:
        """Say in a few words how it goes."""


class Task(ABC):
    """What is to be predicted."""

    name: ClassVar[str]
    """As ``--task``, the text reader and `compare_budgets` have it."""

    algorithm: ClassVar[str]
    """The one that learns where none is named."""

    native: ClassVar[type[_core.Classifier] | type[_core.Regressor]]
    """The class of its models."""

    foreign: ClassVar[tuple[str, ...]] = ()
    """Options that have no meaning here, None where they are not given."""

    def refuse(self, args: Namespace) -> None:
        """Refuse options that have no meaning here."""
        for name in self.foreign:
            if getattr(args, name) is not None:
                raise UsageError(f"--{name}: expected none with --task {self.name}")

    @abstractmethod
    def new_model(self, algorithm: str, classes: np.ndarray | None, params: dict[str, Any]) -> Any:
        """Make a model that has learned nothing; what is wrong raises what the native class raises."""

    @abstractmethod
    def targets(self, args: Namespace, found: Survey, name: str) -> Targets:
        """Fit the targets to what was found in the file of that name."""

    @abstractmethod
    def progressive(self, model: Any) -> list[tuple[str, str]]:
        """Name and format how well each row was predicted just before it was learned."""

    @abstractmethod
    def status(self, model: Any) -> list[str]:
        """Say the same in a few words, the most important first."""

    @abstractmethod
    def score(self, model: Any) -> Score:
        """Begin a test of a model."""

    def predictions(self, found: np.ndarray, digits: str) -> list[str]:  # noqa: ARG002
        """Write predictions, floats of the model's type as `digits` says."""
        return list(map(str, found.tolist()))

    def described(self, model: Any) -> list[tuple[str, object]]:  # noqa: ARG002
        """Tell what there is to say of a model for this task alone."""
        return []
