"""The training loop of `train` and `compare`."""

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from .advice import check_labels
from .batch import Batch, Csr, Labels
from .bytes import is_rewindable, name_of
from .errors import DataError, UsageError
from .files import Data
from .parameters import located, new_model, warnings_shown
from .progress import Progress, progress
from .report import Line

# The number of rows of `compare --shuffle` that are learned at once.
_BLOCK = 8192


def reject_streams(args: Namespace) -> None:
    """Raise if --shuffle is given for data that cannot be read into memory."""
    if args.shuffle and not is_rewindable(args.data):
        raise UsageError(
            f"--shuffle: expected a file that can be read again, got {name_of(args.data)}; shuffle its rows "
            "before, such as by shuf"
        )


class Learning:
    """Training on a file or stream in one or more passes.

    `model` is a native model, or several models trained together, of which `one` returns one; without it
    a new one is made from the arguments. `status` returns short lines on its progress, the most important
    first.
    """

    def __init__(
        self,
        args: Namespace,
        data: Data,
        status: Callable[[Any], list[Line]],
        *,
        model: Any = None,
        one: Callable[[Any], Any] = lambda model: model,
        passes: int | Literal["auto"] = 1,
        fits: bool = False,
    ) -> None:
        self.args: Namespace = args
        self.data: Data = data
        self.model: Any = model
        self.one: Callable[[Any], Any] = one
        self._status, self._passes, self._fits = status, passes, fits
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
        if self._fits:
            self._fit()
        else:
            for number in range(int(self._passes)):
                self._learn_pass(number)
        if self._is_new and len(getattr(self.one(self.model), "classes_", "ab")) < 2:
            only = self.one(self.model).classes_.tolist()[0]
            raise DataError(
                f"{self.data.name}: expected two or more classes in {self.rows_learned():,} rows, got only "
                f"{only}; --classes A,B,... names all classes"
            )

    def _learn_pass(self, number: int) -> None:
        title = "training" if self._passes == 1 else f"pass {number + 1} of {self._passes}"
        rows = 0
        with progress(title, quiet=self.args.quiet) as shown:
            for batch in self._shuffled(shown) if self.args.shuffle else self.data:
                # The rows of later passes are known, so they count for no progressive error.
                repeated = {"repeated": True} if number else {}
                self._call(shown, batch, lambda X, y, more=repeated: self.model.learn(X, y, **more))
                rows += len(batch)
                shown.update(batch.fraction, rows, *self._status(self.model))

    def _shuffled(self, shown: Progress) -> Iterator[Batch]:
        """Yield the rows of the file in random order."""
        batch = self._whole(shown)
        order = np.random.default_rng(getattr(self.args, "seed", 0)).permutation(len(batch))
        for start in range(0, len(batch), _BLOCK):
            part = batch.take(order[start : start + _BLOCK])
            part.fraction = min(1.0, (start + _BLOCK) / len(batch))
            yield part

    def _fit(self) -> None:
        """Learn all rows as `fit` of the native model does."""
        with progress("training", quiet=self.args.quiet) as shown:
            batch = self._whole(shown)

            def show(number: int, passes: int, *_: object) -> None:
                shown.update(number / passes, number * len(batch))

            def fit(X: Any, y: Any) -> None:
                self.model.fit(X, y, passes=self._passes, on_pass=show)

            self._call(shown, batch, fit)

    def _whole(self, shown: Progress) -> Batch:
        """Read all rows into memory."""
        shown.update(0.0, 0)
        return self.data.whole()

    def _call(self, shown: Progress, batch: Batch, learn: Callable[[Any, Any], object]) -> None:
        """Learn a batch, and show the warnings about it."""
        model = self.one(self.model)
        advice = None
        if not hasattr(model, "n_features_in_"):
            if wide := _wide_rows_warning(model, batch, self.data.name):
                shown.warn(wide)
            if isinstance(batch.y, Labels) and self.args.classes is None and self.args.task is None:
                advice = check_labels(batch.y, len(batch), self.data.name, self.args.decimal)
        elif isinstance(batch.X, Csr) and batch.width > model.n_features_encoded_ and not _is_hashed(model):
            self._checked(batch, lambda: self.model.add_features(batch.width))
        with warnings_shown(shown, self._warned, advice):
            self._checked(batch, lambda: learn(batch.X, batch.targets(getattr(model, "classes_", None))))
        if self.data.target is not None and model.target_name is None:
            model.target_name = self.data.target

    def _checked(self, batch: Batch, step: Callable[[], object]) -> None:
        try:
            step()
        except (ValueError, TypeError) as error:
            raise located(self.data.name, batch, error, self.one(self.model)) from error


def _is_hashed(model: Any) -> bool:
    return model.params.get("hash_features") is not None


# The number of features without a warning.
_WIDE = 1 << 17

# The strategies whose cost per row is proportional to the entries of the row.
_FAST = ("none", "random", "oldest", "smallest", "stop", "simple")


def _wide_rows_warning(model: Any, batch: Batch, name: str) -> str | None:
    """Return a warning if sparse rows take time proportional to a very large number of features."""
    params = model.params
    if not isinstance(batch.X, Csr) or batch.width <= _WIDE or _is_hashed(model):
        return None
    if params.get("scaling") == "online":
        cause = "--scaling online makes every row dense"
    elif params.get("maintenance") not in _FAST:
        cause = f"the strategy {params['maintenance']} of {model.algorithm} works on all features"
    else:
        return None
    return (
        f"{name} has feature numbers up to {batch.width:,}, and {cause}: a row can take a hundred times "
        "longer than its entries need; --set hash_features=16384 limits the number of features, and "
        "--algorithm bsgd-random works on the entries only"
    )
