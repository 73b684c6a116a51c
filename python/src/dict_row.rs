//! A row that is a dict of values by the names of the columns.

use crate::array_input::Purpose;
use budgetrs::Real;
use budgetrs::columns::{Cell, Columns};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

/// The features of a row, encoded without running Python code. None where it must be read as a table of one row: where
/// it changes the columns, has new categories or values of other types, and where it is invalid.
pub(crate) fn encode<T: Real>(
    row: &Bound<'_, PyDict>,
    columns: &Columns,
    purpose: Purpose<'_>,
) -> Option<Vec<T>> {
    let accepts_others = columns.accepts_others();
    let (learns, adds) = match purpose {
        Purpose::Learn { add_features, .. } => (true, add_features),
        Purpose::Predict => (false, false),
    };
    if !accepts_others && (adds || row.len() != columns.n_columns()) {
        return None;
    }
    let mut features = vec![T::ZERO; columns.n_features()];
    for (name, value) in row {
        let name = name.cast_exact::<PyString>().ok()?;
        let name = name.to_str().ok()?;
        let is_written = columns.write_cell(name, cell(&value)?, &mut features);
        if !is_written && (learns || !accepts_others || columns.contains(name)) {
            return None;
        }
    }
    Some(features)
}

/// The value of a column, read without running Python code.
pub(crate) fn cell<'a>(value: &'a Bound<'_, PyAny>) -> Option<Cell<'a>> {
    if value.is_none() {
        return Some(Cell::Missing);
    }
    if let Ok(text) = value.cast_exact::<PyString>() {
        return text.to_str().ok().map(Cell::Text);
    }
    // A float64 of NumPy is a float of Python.
    if let Ok(float) = value.cast::<PyFloat>() {
        return Some(Cell::Number(float.value()));
    }
    let is_integer = value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyBool>();
    is_integer.then(|| value.extract().ok().map(Cell::Number))?
}
