"""Data frames and tables of any library as numeric and categorical columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import ParameterError
from ._objects import NoNumberError, dtype_advice, floats

_FEW = 64
_EXPECTED = "X must have numbers or categories in column {!r}"
_DATES = ("date", "time", "duration", "period")

Column = np.ndarray | tuple[np.ndarray, list[str]]
"""Numbers (float32 or float64), or codes of categories (-1 is missing) with the list of categories."""


@dataclass(frozen=True)
class Frame:
    """The columns of a table, by name."""

    names: list[str]
    columns: list[Column]
    matrix: np.ndarray | None = None
    """The columns as one array, if they are views of one."""
    source: Any = None
    """The table that was read, of pandas or pyarrow."""
    n_rows: int = 0
    """The number of rows of a table without columns."""

    @property
    def is_single(self) -> bool:
        """Whether all numbers are float32. Columns without values count as neither type."""
        numeric = [column for column in self.columns if isinstance(column, np.ndarray)]
        types = {column.dtype for column in numeric}
        if len(types) < 2 and self.matrix is not None:
            return types == {np.dtype(np.float32)}
        return {column.dtype for column in numeric if not _is_blank(column)} == {np.dtype(np.float32)}

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self), len(self.columns)

    def __len__(self) -> int:
        if not self.columns:
            return self.n_rows
        first = self.columns[0]
        return len(first[0] if isinstance(first, tuple) else first)

    def __getitem__(self, rows: slice | np.ndarray | list[int]) -> Frame:
        """Return some of the rows."""
        if self.matrix is not None:
            matrix = self.matrix[rows]
            return Frame(self.names, list(matrix.T), matrix)
        columns = [(c[0][rows], c[1]) if isinstance(c, tuple) else c[rows] for c in self.columns]
        return Frame(self.names, columns)

    def features(self) -> dict[str, np.ndarray]:
        """Return the features by name: a categorical column has one for each category in the rows."""
        found: dict[str, np.ndarray] = {}
        for name, column in zip(self.names, self.columns, strict=True):
            if isinstance(column, np.ndarray):
                found[name] = column
                continue
            codes, categories = column
            for code in np.unique(codes[codes >= 0]):
                found[f"{name}={categories[code]}"] = codes == code
        return found


def frame_of(X: Any) -> Frame | None:
    """Return the columns of a table with named columns; None for everything else.

    Raises
    ------
    TypeError
        If a column is neither numeric nor categorical, if only some of the names are strings, or if X is a
        lazy frame, which has no rows yet.
    ImportError
        When the table has to be read by pyarrow, which is not installed.
    """
    if isinstance(X, Frame):
        return X
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _of_pandas(X)
    if hasattr(X, "collect_schema") and not hasattr(X, "__len__"):
        raise TypeError(f"X must be a data frame with rows, got a {_kind(X)}: call .collect() first")
    if hasattr(X, "__arrow_c_stream__") and (hasattr(X, "schema") or hasattr(X, "columns")):
        return _of_arrow(X)
    return None


def frame_of_row(x: Mapping[str, Any]) -> Frame:
    """Return a dict of values by the names of the columns as a table of one row; strings are categories.

    Raises
    ------
    TypeError
        If a name is no string.
    ParameterError
        If a value is neither a number nor a string nor missing.
    """
    if wrong := [name for name in x if not isinstance(name, str)]:
        raise TypeError(f"x must have names of columns that are strings, got {wrong[0]!r}")
    return Frame(list(x), [cell(name, value) for name, value in x.items()], n_rows=1)


def cell(name: str, value: Any) -> Column:
    """Return the value of a single row as a column."""
    if isinstance(value, str):
        return np.zeros(1, np.int64), [_text(value)]
    if value is None or isinstance(value, float):
        return np.array([value], np.float64)
    held = np.empty(1, object)
    held[0] = value
    try:
        return floats(held)
    except NoNumberError as error:
        got, advice = error.described()
        if isinstance(value, Mapping):
            got, advice = "a dict", "give its values names of their own"
        raise ParameterError(f"x[{name!r}] must be a number or a string, got {got}: {advice}", "x") from None


def _text(value: str) -> str:
    """Return the characters of a string, also if its class prints another text, such as an Enum."""
    return str.__str__(value)


def _of_pandas(X: Any) -> Frame | None:
    names = X.columns.tolist()
    strings = [isinstance(name, str) for name in names]
    if not all(strings):
        if any(strings):
            kinds = sorted({type(name).__name__ for name in names})
            raise TypeError(f"X must have names of columns that are all strings, or none, got {kinds}")
        return None
    dtypes = list(X.dtypes)
    # The hash of a type of categories raises for a lone surrogate.
    types = {dtype if isinstance(dtype, np.dtype) else None for dtype in dtypes}
    if len(types) == 1 and types <= {np.dtype(np.float32), np.dtype(np.float64)}:
        matrix = aligned(X.to_numpy())
        return Frame(names, list(matrix.T), matrix, X, len(X))
    if types == {np.dtype(np.float32), np.dtype(np.float64)}:
        types = {dtype for i, dtype in enumerate(dtypes) if not _is_blank(X.iloc[:, i].to_numpy())}
    is_numeric = all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in types)
    if is_numeric and types != {np.dtype(np.float32)}:
        # Copied as a whole: thousands of columns would take long one by one.
        matrix = aligned(X.to_numpy(np.float64))
        return Frame(names, list(matrix.T), matrix, X, len(X))
    columns = [_series(name, series) for name, series in X.items()]
    return Frame(names, columns, None, X, len(X))


def _series(name: str, series: Any) -> Column:
    """Return a column of pandas."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return _floats(series.to_numpy())
    if isinstance(dtype, pd.ArrowDtype):
        return arrow_column(name, series.array.__arrow_array__())
    if isinstance(dtype, pd.CategoricalDtype):
        categorical = series.array
        return categorical.codes.astype(np.int64), [_category(value) for value in categorical.categories]
    if isinstance(dtype, pd.SparseDtype):
        series = series.sparse.to_dense()
        dtype = series.dtype
    if pd.api.types.is_bool_dtype(dtype) or (
        pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    ):
        if isinstance(dtype, np.dtype):
            return _floats(series.to_numpy())
        single = getattr(dtype, "numpy_dtype", None) == np.float32
        return aligned(series.to_numpy(np.float32 if single else np.float64, na_value=np.nan))
    is_object = pd.api.types.is_object_dtype(dtype)
    if is_object or pd.api.types.is_string_dtype(dtype):
        held = pd.api.types.infer_dtype(series, skipna=True)
        if held == "empty":
            return np.full(len(series), np.nan, np.float32)
        if held == "string":
            # Of a few strings it is quicker as objects.
            few = len(series) <= _FEW
            codes, categories = pd.factorize(series.to_numpy(object) if few else series)
            return codes.astype(np.int64), [_text(category) for category in categories]
        if is_object:
            return _objects(name, series)
    raise _invalid(name, dtype)


def _objects(name: str, series: Any) -> np.ndarray:
    """Return a column of Python's numbers."""
    try:
        return floats(series.to_numpy(object))
    except NoNumberError as error:
        got, advice = error.described("convert the column to numbers or strings, or drop it")
        if isinstance(error.value, str):
            advice = (
                "the column mixes text and other values: convert it to numbers (pandas.to_numeric) or to "
                "text (astype(str))"
            )
        raise ParameterError(
            f"{_EXPECTED.format(name)}, got {got} at row {error.place[0]}: {advice}", "X"
        ) from None


def _of_arrow(X: Any) -> Frame:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise ImportError(f"X, a {_kind(X)}, is read by pyarrow: pip install 'budgetrs[arrow]'") from error
    try:
        table = X if isinstance(X, pa.Table) else pa.table(X)
    except pa.ArrowException as error:
        raise TypeError(f"X, a {_kind(X)}, cannot be read by pyarrow: {error}") from error
    columns = [arrow_column(name, table[i]) for i, name in enumerate(table.column_names)]
    return Frame(table.column_names, columns, None, table, table.num_rows)


def _kind(X: Any) -> str:
    return f"{type(X).__module__.split('.')[0]}.{type(X).__name__}"


def arrow_column(name: str, column: Any) -> Column:
    """Convert a pyarrow Array or ChunkedArray to a column of a frame."""
    import pyarrow as pa

    kinds, dtype = pa.types, column.type
    if kinds.is_null(dtype):
        return np.full(len(column), np.nan, np.float32)
    if kinds.is_boolean(dtype):
        return _with_gaps(column.cast(pa.uint8()))
    if kinds.is_integer(dtype) or kinds.is_floating(dtype):
        return _with_gaps(column)
    if kinds.is_decimal(dtype):
        # Through text, because the direct cast does not round correctly.
        return _with_gaps(column.cast(pa.string()).cast(pa.float64()))
    if kinds.is_dictionary(dtype):
        return _dictionary(column)
    if kinds.is_string(dtype) or kinds.is_large_string(dtype) or dtype == pa.string_view():
        # Encoding does not know views.
        column = column.cast(pa.large_string()) if dtype == pa.string_view() else column
        return _dictionary(column.dictionary_encode())
    raise _invalid(name, dtype)


def _with_gaps(column: Any) -> np.ndarray:
    """Return numbers of pyarrow; a missing one is NaN."""
    import pyarrow as pa

    if column.null_count and pa.types.is_integer(column.type):
        column = column.cast(pa.float64(), safe=False)
    is_chunked = isinstance(column, pa.ChunkedArray)
    return _floats(column.to_numpy() if is_chunked else column.to_numpy(zero_copy_only=False))


def _dictionary(column: Any) -> Column:
    """Return a dictionary-encoded column of pyarrow."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # no chunk at all, or too many categories for one
            if column.num_chunks != 1:
                column = pa.concat_arrays(column.chunks) if column.num_chunks else column
            else:
                column = column.chunk(0)
        if isinstance(column, pa.ChunkedArray):
            return np.empty(0, np.int64), []
    codes = column.indices.cast(pa.int64()).fill_null(-1)
    categories = column.dictionary.to_pylist()
    # The dictionary itself may hold null.
    places = np.array([*(-1 if each is None else i for i, each in enumerate(categories)), -1], np.int64)
    return places[codes.to_numpy(zero_copy_only=False)], [
        "" if each is None else _category(each) for each in categories
    ]


def _category(value: Any) -> str:
    """Return a category as text: pandas turns integer categories into floats where a value is missing."""
    is_integer = isinstance(value, float | np.floating) and float(value).is_integer()
    if is_integer:
        return str(int(value))
    return _text(value) if isinstance(value, str) else str(value)


def _floats(numbers: np.ndarray) -> np.ndarray:
    """Return numbers as float64, or as float32 if they are float32."""
    if numbers.dtype not in (np.float32, np.float64):
        return numbers.astype(np.float64)
    return aligned(numbers)


def _is_blank(column: np.ndarray) -> bool:
    """Return whether a column of floats has rows, and all of them are missing."""
    return len(column) > 0 and np.isnan(column[0]) and bool(np.isnan(column).all())


def aligned(numbers: np.ndarray) -> np.ndarray:
    """Return an aligned array; arrays that another process sent may be unaligned."""
    return numbers if numbers.flags.aligned else numbers.copy()


def _invalid(name: str, got: Any) -> ParameterError:
    if narrow := dtype_advice(got):
        return ParameterError(f"{_EXPECTED.format(name)}, got {got}{narrow}", "X")
    advice = "convert the column to numbers or strings, or drop it"
    if str(got).startswith(_DATES):
        advice = "convert the column to numbers, such as days since a date, or drop it"
    return ParameterError(f"{_EXPECTED.format(name)}, got {got}; {advice}", "X")
