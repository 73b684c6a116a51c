"""A data file of any format as batches of rows, which can be iterated once per pass."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

from .. import _core
from .advice import READ, delimiter_hint, first_lines, looks_like_libsvm, reject_foreign
from .batch import Batch
from .bytes import PIECE, Prefetch, Source
from .columns import Columns, Layout, Rows, reject_large
from .errors import DataError, UsageError
from .progress import Progress
from .tables import ArrowTable, Matrix
from .text import CsvText, LibsvmText

FORMATS = ("libsvm", "csv", "npy", "parquet", "arrow")
_SUFFIXES = {
    "csv": ".csv .tsv",
    "libsvm": ".libsvm .svm .svmlight",
    "npy": ".npy .npz",
    "parquet": ".parquet",
    "arrow": ".arrow .feather",
}
_BY_SUFFIX = {suffix: form for form, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
# The lines of a pipe that are waited for, by which the columns of a new model are chosen.
_SAMPLE = 1001
_STARTS = {"npy": (b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06"), "parquet": (b"PAR1",), "arrow": (b"ARROW1",)}


class Data:
    """A data file. Its rows are for the model `like`, or for a new model (None)."""

    name: str
    names: Any
    target: str | None
    labelled: bool

    def __init__(self, path: str, layout: Layout, *, like: Any = None) -> None:
        self._path, self._layout, self._like = path, layout, like
        self._open()

    def _open(self) -> None:
        self._source = Source(self._path)
        self._is_used = False
        try:
            self.file: Rows = self._file()
        except BaseException:
            self._source.__exit__()
            raise
        file = self.file
        self.name, self.names, self.target, self.labelled = file.name, file.names, file.target, file.labelled
        self.rewindable: bool = self._source.rewindable

    def _file(self) -> Rows:
        source, layout = self._source, self._layout
        head = source.head(lines=_SAMPLE if self._like is None else 1)
        if source.suffix() == ".tsv" and layout.delimiter == "," and b"\t" in head:
            layout = replace(layout, delimiter="\t")
        form = layout.format or self._guess(head)
        if layout.categorical and form != "csv":
            raise UsageError(
                f"--categorical: expected CSV with a header, the format of {source.name} is {form}"
            )
        columns = Columns(source.name, self._like, layout)
        if form in ("parquet", "arrow"):
            return ArrowTable(source, layout, columns, form)
        if form == "npy":
            return Matrix(source, layout, columns)
        reject_foreign(source.name, self._path, head)
        if (binary := _by_start(head)) is not None:
            raise DataError(f"{source.name}: expected text for --format {form}, got a {binary} file")
        return (CsvText if form == "csv" else LibsvmText)(source, layout, columns)

    def _guess(self, head: bytes) -> str:
        source, delimiter = self._source, self._layout.delimiter
        reject_foreign(source.name, self._path, head, source.suffix())
        form = _by_start(head) or _BY_SUFFIX.get(source.suffix())
        if form is not None:
            return form
        lines = first_lines(head)
        if not lines:
            raise DataError(f"{source.name}: expected rows, got an empty file")
        tokens = lines[0].split()[1:1000]
        if looks_like_libsvm(lines[0]) or (tokens and all(":" in token for token in tokens)):
            return "libsvm"
        if delimiter in lines[0]:
            return "csv"
        if b"\0" in head[: 1 << 12]:
            raise DataError(f"{source.name}: expected {READ}, got a binary file of an unknown format")
        hint = delimiter_hint(lines, delimiter).replace("give ", "give --format csv ")
        raise DataError(
            f"{source.name}: the format is unknown; give --format, one of {', '.join(FORMATS)}{hint}"
        )

    def count_rows(self) -> int:
        """Return the number of rows; a file that does not say it is read."""
        if self.file.n_rows is not None:
            return self.file.n_rows
        with Data(self._path, self._layout, like=self._like) as data:
            return sum(len(batch) for batch in data)

    def find_width(self, shown: Progress) -> None:
        """Find the number of features of a file of LIBSVM text, so that a new model does not have to grow."""
        if self.file.form != "libsvm" or not self.rewindable or self._like is not None:
            return
        rest, rows, width = b"", 0, 0
        with Source(self._path) as source:
            while piece := source.read(PIECE):
                lines, _, rest = (rest + piece).rpartition(b"\n")
                width = max(width, _core._libsvm_width(lines, 0 if self.file.zero_based else 1))
                rows += lines.count(b"\n") + 1
                shown.update(source.fraction(), rows)
        width = max(width, _core._libsvm_width(rest, 0 if self.file.zero_based else 1))
        self._layout = replace(self._layout, n_features=min(width, self._layout.max_features))
        self._source.__exit__()
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._source.__exit__()

    def __iter__(self) -> Iterator[Batch]:
        return self._batches(whole=False)

    def whole(self) -> Batch:
        """Return all rows together."""
        if self.file.n_rows is not None:
            reject_large(
                self.name, 8 * self.file.n_rows * max(1, len(self.names or ())), self._layout.max_memory
            )
        return next(self._batches(whole=True))

    def _batches(self, *, whole: bool) -> Iterator[Batch]:
        if self._is_used:
            self._open()
        self._is_used, count = True, 0
        # The reading thread must end before the file is closed.
        with self._source as source, Prefetch(self.file.batches(whole=whole), source.interrupt) as batches:
            for batch in batches:
                count += len(batch)
                yield batch
        if count == 0:
            raise DataError(f"{self.name}: expected rows, got {self.file.empty}")


def _by_start(head: bytes) -> str | None:
    return next((form for form, starts in _STARTS.items() if head.startswith(starts)), None)
