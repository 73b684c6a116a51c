"""The training loop of `train` and `compare`."""

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from .advice import are_fractions, check_labels
from .batch import Batch, Csr, Labels
from .bytes import is_rewindable, name_of
from .errors import DataError, UsageError
from .files import Data
from .parameters import located, new_model, warnings_shown
from .progress import Progress, progress
from .report import Line

# The number of rows of `compare --shuffle` that are learned at once.
_BLOCK = 8192


def check_arguments(args: Namespace) -> None:
    """Raise for arguments that cannot be combined, or invalid parameters."""
    if args.task == "regression" and args.classes is not None:
        raise UsageError("--classes cannot be combined with --task regression")
    if args.shuffle and not is_rewindable(args.data):
        raise UsageError(
            f"--shuffle: expected a file that can be read again, got {name_of(args.data)}; shuffle its rows "
            "before, such as by shuf"
        )


# The number of features without a warning.
_WIDE = 1 << 17

# The strategies whose cost per row is proportional to the entries of the row.
_FAST = ("none", "random", "oldest", "smallest", "stop", "simple")


class Learning:
    """Training on a file or stream in one or more passes.

    `model` is a native model, or several models trained together, of which `one` returns one; without it
    a new one is made from the arguments. `status` returns short lines on its progress, the most important
    first. `fits`: all rows are learned at once, by `fit`.
    """

    args: Namespace
    data: Data
    model: Any
    one: Callable[[Any], Any]

    def __init__(
        self,
        args: Namespace,
        data: Data,
        status: Callable[[Any], list[Line]],
        *,
        model: Any = None,
        one: Callable[[Any], Any] = lambda model: model,
        fits: bool = False,
    ) -> None:
        self.args, self.data, self.model, self.one = args, data, model, one
        self._status, self._fits = status, fits
        self._is_new = model is None
        self._warned: set[str] = set()
        self._before = getattr(model, "n_samples_seen_", 0)
        self._started = time.perf_counter()

    def rows_learned(self) -> int:
        """Return the number of rows learned, including a part of a batch in an interrupted call."""
        return getattr(self.model, "n_samples_seen_", 0) - self._before

    def seconds(self) -> float:
        """Return the seconds since the data were opened, after the import of packages that read them."""
        return time.perf_counter() - self._started

    def learn(self) -> None:
        """Learn all rows."""
        if self._is_new:
            with progress("scanning", quiet=self.args.quiet) as shown:
                self.data.find_width(shown)
            self.model = new_model(self.args, self.data.count_rows if self.data.rewindable else None)
        passes = getattr(self.args, "passes", None)
        if self._fits:
            self._fit(passes or "auto")
        else:
            for number in range(passes or 1):
                title = f"pass {number + 1} of {passes}" if passes and passes > 1 else "training"
                self._learn_pass(title, {"repeated": True} if number else {})
        classes = getattr(self.one(self.model), "classes_", None)
        if self._is_new and classes is not None and len(classes) < 2:
            rows = f"{self.rows_learned():,}"
            raise DataError(
                f"{self.data.name}: expected two or more classes, got only {classes.tolist()[0]} in "
                f"{rows} row{'s' * (rows != '1')}; --classes A,B,... names all classes"
            )

    def _learn_pass(self, title: str, options: dict[str, bool]) -> None:
        # The rows of later passes are known, so they count for no progressive error.
        rows = 0
        with progress(title, quiet=self.args.quiet) as shown:
            for batch in self._shuffled() if self.args.shuffle else self.data:
                self._call(shown, batch, lambda X, y: self.model.learn(X, y, **options))
                rows += len(batch)
                shown.update(batch.fraction, rows, *self._status(self.model))

    def _shuffled(self) -> Iterator[Batch]:
        """Yield the rows of the file in random order."""
        batch = self.data.whole()
        order = np.random.default_rng(getattr(self.args, "seed", 0)).permutation(len(batch))
        for start in range(0, len(batch), _BLOCK):
            part = batch.take(order[start : start + _BLOCK])
            part.fraction = min(1.0, (start + _BLOCK) / len(batch))
            yield part

    def _fit(self, passes: int | Literal["auto"]) -> None:
        """Learn all rows as `fit` of the native model does."""
        with progress("training", quiet=self.args.quiet) as shown:
            batch = self.data.whole()

            def show(number: int, passes: int, *_: object) -> None:
                shown.update(number / passes, number * len(batch))

            self._call(shown, batch, lambda X, y: self.model.fit(X, y, passes=passes, on_pass=show))

    def _call(self, shown: Progress, batch: Batch, learn: Callable[[Any, Any], object]) -> None:
        """Learn a batch, and show the warnings about it."""
        model, args = self.one(self.model), self.args
        advice, classes = None, getattr(model, "classes_", None)
        is_hashed = model.params.get("hash_features") is not None
        if not hasattr(model, "n_features_in_"):
            if isinstance(batch.X, Csr) and batch.width > _WIDE and not is_hashed:
                self._warn_of_width(shown, model, batch.width)
            if isinstance(batch.y, Labels) and args.classes is None:
                if args.task is None:
                    advice = check_labels(batch.y, len(batch), self.data.name, args.decimal)
                elif are_fractions(batch.y, len(batch)):
                    classes = np.array(["text"])  # so that fractions are classes, each by its text
        elif isinstance(batch.X, Csr) and batch.width > model.n_features_encoded_ and not is_hashed:
            self._checked(batch, lambda: self.model.add_features(batch.width))
        with warnings_shown(shown, self._warned, advice):
            self._checked(batch, lambda: learn(batch.X, batch.targets(classes)))
        if self.data.target is not None and model.target_name is None:
            model.target_name = self.data.target

    def _checked(self, batch: Batch, step: Callable[[], object]) -> None:
        try:
            step()
        except (ValueError, TypeError) as error:
            raise located(self.data.name, batch, error, self.one(self.model)) from error

    def _warn_of_width(self, shown: Progress, model: Any, width: int) -> None:
        """Warn if sparse rows take time proportional to a very large number of features."""
        strategy = model.params.get("maintenance")
        cause = f"the strategy {strategy} of {model.algorithm} works on all features"
        if model.params.get("scaling") == "online":
            cause = "--scaling online makes every row dense"
        elif strategy in _FAST:
            return
        shown.warn(
            f"{self.data.name} has feature numbers up to {width:,}, and {cause}: a row can take a hundred "
            "times longer than its entries need; --set hash_features=16384 limits the number of features, "
            "and --algorithm bsgd-random works on the entries only"
        )
