//! Tables whose columns have names: `budgetrs._frames` reads them, the core aligns them with the columns of a model.

use crate::array_input::{self, AlignedInput, AnyInput, Input, InputForm, Purpose};
use crate::arrays::to_floats;
use crate::column_warnings::{warn_of_index, warn_of_unseen};
use crate::dict_row;
use crate::error::{parameter_error, to_python};
use crate::float_type::{FloatType, NumpyFloat};
use crate::labels::surrogate;
use budgetrs::columns::{Cell, ColumnData, Columns, Table};
use budgetrs::model::Model;
use budgetrs::{CheckedSpec, Error};
use numpy::ndarray::{ArrayView1, ArrayView2, Axis};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};
use std::collections::BTreeSet;
use std::slice;
use std::sync::{Arc, Mutex};

const MODULE: &str = "budgetrs._frames";

/// A table as `budgetrs._frames` has read it.
pub(crate) struct Frame<'py> {
    pub(crate) py: Python<'py>,
    n_rows: usize,
    /// The row, if it was given as a dict.
    row: Option<Bound<'py, PyMapping>>,
    names: Vec<String>,
    /// The columns as `budgetrs._frames` makes them, or the values of the row.
    columns: Vec<Bound<'py, PyAny>>,
    /// The columns as one array, if they share one.
    matrix: Option<Bound<'py, PyAny>>,
    /// The float type of a model whose first batch this is.
    pub(crate) float_type: FloatType,
}

/// The columns of a model before it learns the table.
pub(crate) enum KnownSchema {
    /// The model has learned no row.
    Nothing,
    /// The model has learned rows without names.
    NoNames,
    Columns(Arc<Columns>),
}

/// The treatment of missing values in a categorical column of which no category is known.
#[derive(Clone, Copy)]
pub(crate) enum MissingPolicy<'a> {
    Accept,
    /// They are an error, which names a remedy if the parameters of a model are given.
    Reject(Option<&'a CheckedSpec>),
}

impl<'a> MissingPolicy<'a> {
    pub(crate) fn of(spec: &'a CheckedSpec) -> Self {
        if spec.accepts_nan() { Self::Accept } else { Self::Reject(Some(spec)) }
    }

    fn check(self, columns: &Columns, table: &Table<'_>) -> PyResult<()> {
        let Self::Reject(spec) = self else { return Ok(()) };
        columns.check_no_missing_categories(table).map_err(|error| {
            to_python(match spec {
                Some(spec) => spec.with_remedy(error),
                None => error,
            })
        })
    }
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
    /// The number of a single row; NaN is a missing value.
    Number(f64),
    /// The category of a single row.
    Text([String; 1]),
}

impl<'py> BorrowedColumn<'py> {
    fn read(column: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(categorical) = column.cast::<PyTuple>() {
            let (codes, categories): (Bound<'py, PyArray1<i64>>, Vec<String>) = categorical.extract()?;
            return Ok(Self::Categorical(codes.try_readonly()?, categories));
        }
        if let Ok(floats) = column.cast::<PyArray1<f32>>() {
            return Ok(Self::F32(floats.try_readonly()?));
        }
        let (floats, _) = to_floats::<f64>("X", column)?;
        Ok(Self::F64(floats.cast_into::<PyArray1<f64>>()?.try_readonly()?))
    }

    /// Reads the value of a row.
    fn of_value(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(match dict_row::cell(value) {
            Some(Cell::Number(number)) => Self::Number(number),
            Some(Cell::Missing) => Self::Number(f64::NAN),
            Some(Cell::Text(text)) => Self::Text([text.to_owned()]),
            None => Self::read(&value.py().import(MODULE)?.call_method1("cell", (name, value))?)?,
        })
    }

    fn cells(&self) -> ColumnData<'_> {
        match self {
            Self::F32(floats) => ColumnData::F32(floats.as_array()),
            Self::F64(floats) => ColumnData::F64(floats.as_array()),
            Self::Categorical(codes, categories) => {
                ColumnData::Categorical { codes: codes.as_array(), categories: categories.clone() }
            }
            Self::Number(number) => ColumnData::F64(slice::from_ref(number).into()),
            Self::Text(text) => ColumnData::categorical(&[0], text.to_vec()),
        }
    }
}

impl<'py> Frame<'py> {
    /// Reads a table. None for an array, a list or a sparse matrix.
    pub(crate) fn read(x: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if x.is_exact_instance_of::<PyUntypedArray>() || x.is_exact_instance_of::<PyList>() {
            return Ok(None);
        }
        let frame = x.py().import(MODULE)?.call_method1("frame_of", (x,))?;
        if frame.is_none() { Ok(None) } else { Self::of(&frame).map(Some) }
    }

    /// Reads a dict of values by the names of the columns as a table of one row.
    pub(crate) fn of_row(row: &Bound<'py, PyMapping>) -> PyResult<Self> {
        let (py, items) = (row.py(), row.items()?);
        let (mut names, mut columns) = (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()));
        for item in items {
            let (name, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
            let Ok(text) = name.cast::<PyString>() else {
                let got = name.repr()?;
                let message = format!("x must have names of columns that are strings, got {got}");
                return Err(PyTypeError::new_err(message));
            };
            names.push(text.extract().map_err(|error| invalid_text(py, error, true, None))?);
            columns.push(value);
        }
        let row = Some(row.clone());
        Ok(Self { py, n_rows: 1, row, names, columns, matrix: None, float_type: FloatType::F64 })
    }

    fn of(frame: &Bound<'py, PyAny>) -> PyResult<Self> {
        let matrix = frame.getattr("matrix")?;
        let is_float32 = frame.getattr("is_single")?.is_truthy()?;
        Ok(Self {
            py: frame.py(),
            n_rows: frame.len()?,
            row: None,
            names: frame
                .getattr("names")?
                .extract()
                .map_err(|error| invalid_text(frame.py(), error, false, None))?,
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
        let is_row = self.row.is_some();
        let columns = self.columns.iter().zip(&self.names).map(|(column, name)| {
            if is_row { BorrowedColumn::of_value(name, column) } else { BorrowedColumn::read(column) }
                .map_err(|error| invalid_text(self.py, error, is_row, Some(name)))
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

    /// The rows as features in the order of the model's columns, and the columns of the model after it has learned
    /// them. Where the columns of the model have no names, the columns of the table are matched by position. `warned` has
    /// the columns with a warning about unseen categories; without it there is none.
    pub(crate) fn align(
        &self,
        known: KnownSchema,
        purpose: Purpose<'_>,
        missing: MissingPolicy<'_>,
        float_type: FloatType,
        warned: Option<&Mutex<BTreeSet<String>>>,
    ) -> PyResult<AlignedInput<'py>> {
        match (&self.row, &known) {
            (Some(_), KnownSchema::NoNames) => {
                let expected = "a list of values, because the rows learned before had no column names";
                return Err(to_python(Error::parameter("x", expected, "a dict")));
            }
            (Some(row), KnownSchema::Columns(columns)) => {
                if let Some(input) = encoded(row, columns, purpose, float_type)? {
                    return Ok((input, Some(Arc::clone(columns))));
                }
            }
            _ => {}
        }
        let borrowed = self.borrow_cells()?;
        let table = self.table(&borrowed)?;
        if let (None, KnownSchema::Nothing, Purpose::Learn { .. }, Some(name)) =
            (&self.row, &known, &purpose, self.names.first())
        {
            warn_of_index(name, &self.columns[0])?;
        }
        let (columns, has_names) = schema(known, &table, purpose)?;
        if let Some(warned) = warned {
            warn_of_unseen(self.py, &columns, &table, warned)?;
        }
        missing.check(&columns, &table)?;
        let columns = match purpose {
            Purpose::Learn { weights, add_features } => extended(columns, &table, weights, add_features)?,
            Purpose::Predict => columns,
        };
        let in_order = columns.is_numeric() && columns.names().eq(self.names.iter().map(String::as_str));
        let input = match &self.matrix {
            Some(matrix) if in_order => array_input::read(matrix, InputForm::Batch, float_type, purpose)?,
            _ => match float_type {
                FloatType::F32 => AnyInput::F32(new_rows(self.py, &columns, &table)?),
                FloatType::F64 => AnyInput::F64(new_rows(self.py, &columns, &table)?),
            },
        };
        Ok((input, has_names.then_some(columns)))
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

/// The columns by which a table is aligned, and whether the model has their names.
fn schema(known: KnownSchema, table: &Table<'_>, purpose: Purpose<'_>) -> PyResult<(Arc<Columns>, bool)> {
    match known {
        KnownSchema::Nothing if matches!(purpose, Purpose::Learn { add_features: true, .. }) => {
            Ok((Arc::default(), true))
        }
        KnownSchema::Nothing => {
            let columns = Arc::new(Columns::of(table));
            // Names too long for a model file are dropped, unless categories need them.
            let has_names = columns.has_categorical() || Model::check_columns(&columns).is_ok();
            Ok((columns, has_names))
        }
        KnownSchema::NoNames => {
            let columns = Columns::of(table);
            if columns.has_categorical() {
                let expected = "numbers, because the rows learned before had no column names";
                return Err(to_python(Error::shape("X", expected, "categories")));
            }
            Ok((Arc::new(columns), false))
        }
        KnownSchema::Columns(columns) => Ok((columns, true)),
    }
}

/// The columns with what a table adds to them. A category that has only rows of weight 0 is left out.
fn extended(
    columns: Arc<Columns>,
    table: &Table<'_>,
    weights: Option<&[f64]>,
    add_columns: bool,
) -> PyResult<Arc<Columns>> {
    let Some(extended) = columns.extended_by(table, weights, add_columns).map_err(to_python)? else {
        return Ok(columns);
    };
    Model::check_columns(&extended).map_err(to_python)?;
    Ok(Arc::new(extended))
}

/// The columns of a matrix.
fn columns_of<T>(matrix: ArrayView2<'_, T>) -> impl Iterator<Item = ArrayView1<'_, T>> {
    (0..matrix.ncols()).map(move |column| matrix.index_axis_move(Axis(1), column))
}

/// The rows of a table in a new array.
fn new_rows<'py, T: NumpyFloat>(
    py: Python<'py>,
    columns: &Columns,
    table: &Table<'_>,
) -> PyResult<Input<'py, T>> {
    let rows = py.detach(|| columns.rows::<T>(table)).map_err(to_python)?;
    let array = PyArray1::from_vec(py, rows).reshape([table.n_rows(), columns.n_features()])?;
    Input::new_array(&array)
}

/// A row in a new array, if it changes no columns and is read without Python code.
fn encoded<'py>(
    row: &Bound<'py, PyMapping>,
    columns: &Columns,
    purpose: Purpose<'_>,
    float_type: FloatType,
) -> PyResult<Option<AnyInput<'py>>> {
    let Ok(dict) = row.cast::<PyDict>() else { return Ok(None) };
    Ok(match float_type {
        FloatType::F32 => encoded_as(dict, columns, purpose)?.map(AnyInput::F32),
        FloatType::F64 => encoded_as(dict, columns, purpose)?.map(AnyInput::F64),
    })
}

fn encoded_as<'py, T: NumpyFloat>(
    row: &Bound<'py, PyDict>,
    columns: &Columns,
    purpose: Purpose<'_>,
) -> PyResult<Option<Input<'py, T>>> {
    let Some(features) = dict_row::encode(row, columns, purpose) else { return Ok(None) };
    Input::new_array(&PyArray1::from_vec(row.py(), features).reshape([1, columns.n_features()])?).map(Some)
}
