//! Tables whose columns have names: `budgetrs._frames` reads them, the core aligns them with the columns of a model.

use crate::array_input::{self, AlignedRows, Input, InputForm, Purpose};
use crate::error::{parameter_error, to_python};
use crate::float_type::{FloatType, with_float_type};
use crate::labels::surrogate;
use crate::warnings::{Warnings, warn_of_index};
use budgetrs::columns::{ColumnData, Columns, Table};
use budgetrs::{CheckedSpec, Error};
use numpy::ndarray::{ArrayView1, ArrayView2, Axis};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping, PyTuple};
use std::sync::Arc;

const MODULE: &str = "budgetrs._frames";

/// What a model knows before a call about the rows of the call.
pub(crate) struct Known<'a> {
    pub(crate) spec: CheckedSpec,
    /// The float type of the model, if it has learned rows.
    pub(crate) float_type: Option<FloatType>,
    /// The columns of the model, if they have names.
    pub(crate) columns: Option<Arc<Columns>>,
    /// Whether the call that learns has the option `add_features`.
    pub(crate) can_add_columns: bool,
    /// Gets the warnings about the table.
    pub(crate) warnings: &'a Warnings,
}

impl<'a> Known<'a> {
    pub(crate) fn new(
        spec: &CheckedSpec,
        (float_type, columns): (Option<FloatType>, Option<Arc<Columns>>),
        warnings: &'a Warnings,
    ) -> Self {
        Self { spec: spec.clone(), float_type, columns, can_add_columns: false, warnings }
    }

    /// Whether features are hashed, so that rows may have any number of features.
    pub(crate) fn is_hashed(&self) -> bool {
        self.spec.spec().hash_features.is_some()
    }

    /// The error about a table, with what helps.
    fn with_advice(&self, error: Error, purpose: Purpose<'_>, is_row: bool) -> PyErr {
        let error = self.spec.with_remedy(error);
        match (&error, purpose) {
            (Error::Columns { lacks, .. }, Purpose::Learn { add_features: false, .. })
                if self.can_add_columns =>
            {
                let method = if is_row { "learn_one" } else { "learn" };
                let does = if *lacks { "takes absent columns as 0" } else { "adds new columns" };
                let message = format!("{error}; {method}(..., add_features=True) {does}");
                parameter_error(&message, error.parameter_name(), None)
            }
            _ => to_python(error),
        }
    }
}

/// A table, or a row that was given as a dict, as `budgetrs._frames` has read it.
pub(crate) struct NamedTable<'py> {
    py: Python<'py>,
    n_rows: usize,
    /// Whether it is a row that was given as a dict.
    is_row: bool,
    names: Vec<String>,
    /// The columns as `budgetrs._frames` makes them.
    columns: Vec<Bound<'py, PyAny>>,
    /// The columns as one array, if they share one.
    matrix: Option<Bound<'py, PyAny>>,
    /// The float type of a model whose first batch this is.
    float_type: FloatType,
}

/// The cells of a table, borrowed from Python.
enum BorrowedCells<'py> {
    F32(PyReadonlyArray2<'py, f32>),
    F64(PyReadonlyArray2<'py, f64>),
    Columns(Vec<BorrowedColumn<'py>>),
}

/// The cells of a column, borrowed from Python.
enum BorrowedColumn<'py> {
    F32(PyReadonlyArray1<'py, f32>),
    F64(PyReadonlyArray1<'py, f64>),
    /// The code of each row, and the category of each code.
    Categorical(PyReadonlyArray1<'py, i64>, Vec<String>),
}

impl<'py> BorrowedColumn<'py> {
    fn read(column: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(categorical) = column.cast::<PyTuple>() {
            let (codes, categories): (Bound<'py, PyArray1<i64>>, Vec<String>) = categorical.extract()?;
            return Ok(Self::Categorical(codes.try_readonly()?, categories));
        }
        Ok(match column.cast::<PyArray1<f32>>() {
            Ok(floats) => Self::F32(floats.try_readonly()?),
            Err(_) => Self::F64(column.cast::<PyArray1<f64>>()?.try_readonly()?),
        })
    }

    fn cells(&self) -> ColumnData<'_> {
        match self {
            Self::F32(floats) => ColumnData::F32(floats.as_array()),
            Self::F64(floats) => ColumnData::F64(floats.as_array()),
            Self::Categorical(codes, categories) => {
                ColumnData::Categorical { codes: codes.as_array(), categories: categories.clone() }
            }
        }
    }
}

impl<'py> NamedTable<'py> {
    /// Reads a table. None for an array, a list or a sparse matrix.
    pub(crate) fn read(x: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if x.is_exact_instance_of::<PyUntypedArray>() || x.is_exact_instance_of::<PyList>() {
            return Ok(None);
        }
        let frame = x.py().import(MODULE)?.call_method1("frame_of", (x,))?;
        if frame.is_none() { Ok(None) } else { Self::of(&frame, false).map(Some) }
    }

    /// Reads a dict of values by the names of the columns as a table of one row.
    pub(crate) fn of_row(row: &Bound<'py, PyMapping>) -> PyResult<Self> {
        Self::of(&row.py().import(MODULE)?.call_method1("frame_of_row", (row,))?, true)
    }

    fn of(frame: &Bound<'py, PyAny>, is_row: bool) -> PyResult<Self> {
        let py = frame.py();
        let names = frame.getattr("names")?.extract();
        let matrix = frame.getattr("matrix")?;
        let is_float32 = !is_row && frame.getattr("is_single")?.is_truthy()?;
        Ok(Self {
            py,
            n_rows: frame.len()?,
            is_row,
            names: names.map_err(|error| invalid_text(py, error, is_row, None))?,
            columns: frame.getattr("columns")?.extract()?,
            matrix: (!matrix.is_none()).then_some(matrix),
            float_type: if is_float32 { FloatType::F32 } else { FloatType::F64 },
        })
    }

    /// Borrows the cells; a shared array as a whole.
    fn borrow_cells(&self) -> PyResult<BorrowedCells<'py>> {
        if let Some(matrix) = &self.matrix {
            if let Ok(floats) = matrix.cast::<PyArray2<f32>>() {
                return Ok(BorrowedCells::F32(floats.try_readonly()?));
            }
            if let Ok(floats) = matrix.cast::<PyArray2<f64>>() {
                return Ok(BorrowedCells::F64(floats.try_readonly()?));
            }
        }
        let columns = self.columns.iter().zip(&self.names).map(|(column, name)| {
            BorrowedColumn::read(column)
                .map_err(|error| invalid_text(self.py, error, self.is_row, Some(name)))
        });
        Ok(BorrowedCells::Columns(columns.collect::<PyResult<_>>()?))
    }

    fn table<'a>(&self, borrowed: &'a BorrowedCells<'py>) -> PyResult<Table<'a>> {
        let cells: Vec<ColumnData<'a>> = match borrowed {
            BorrowedCells::F32(matrix) => columns_of(matrix.as_array()).map(ColumnData::F32).collect(),
            BorrowedCells::F64(matrix) => columns_of(matrix.as_array()).map(ColumnData::F64).collect(),
            BorrowedCells::Columns(columns) => columns.iter().map(BorrowedColumn::cells).collect(),
        };
        Table::with_rows(self.names.iter().cloned().zip(cells).collect(), self.n_rows).map_err(to_python)
    }

    /// The rows as features in the order of the model's columns.
    pub(crate) fn align(&self, known: &Known<'_>, purpose: Purpose<'_>) -> PyResult<AlignedRows<'py>> {
        let borrowed = self.borrow_cells()?;
        let table = self.table(&borrowed)?;
        match (&known.columns, self.names.first(), purpose) {
            (Some(columns), _, _) => known.warnings.warn_of_unseen(self.py, columns, &table)?,
            (None, Some(name), Purpose::Learn { .. }) if known.float_type.is_none() && !self.is_row => {
                warn_of_index(name, &self.columns[0])?;
            }
            _ => {}
        }
        let columns = (known.columns.as_ref(), known.float_type.is_some());
        let (columns, has_names) = known
            .spec
            .columns_of(&table, columns, purpose)
            .map_err(|error| known.with_advice(error, purpose, self.is_row))?;
        let float_type = known.float_type.unwrap_or(self.float_type);
        let in_order = columns.is_numeric() && columns.names().eq(self.names.iter().map(String::as_str));
        let input = match &self.matrix {
            Some(matrix) if in_order => {
                array_input::read(matrix, InputForm::Batch, Some(float_type), purpose)?
            }
            _ => {
                let shape = [self.n_rows, columns.n_features()];
                with_float_type!(float_type, T => {
                    let rows = self.py.detach(|| columns.rows::<T>(&table));
                    let rows = rows.map_err(|error| known.with_advice(error, purpose, self.is_row))?;
                    Input::new(self.py, rows, shape)?
                })
            }
        };
        Ok(AlignedRows { input, columns: has_names.then_some(columns) })
    }
}

/// The error about text with a lone surrogate, in the names of the columns or in a column; other errors as they are.
fn invalid_text(py: Python<'_>, error: PyErr, is_row: bool, column: Option<&str>) -> PyErr {
    let Some(got) = surrogate(py, &error) else { return error };
    let name = if is_row { "x" } else { "X" };
    let place = column.map_or("the names of the columns".into(), |column| format!("the column {column:?}"));
    let expected = "must have text that can be stored in UTF-8 in";
    let advice = "remove its lone surrogates, as of a file that was read in another encoding";
    parameter_error(&format!("{name} {expected} {place}, got {got}: {advice}"), Some(name), None)
}

/// The columns of a matrix.
fn columns_of<T>(matrix: ArrayView2<'_, T>) -> impl Iterator<Item = ArrayView1<'_, T>> {
    (0..matrix.ncols()).map(move |column| matrix.index_axis_move(Axis(1), column))
}
