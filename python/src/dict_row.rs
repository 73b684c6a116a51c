//! A row that is a dict of values by the names of the columns.

use budgetrs::columns::{Cell, Columns};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

/// The features of a row, encoded without running Python code. None where it must be read as a table of one row: with
/// other columns, new categories, values of other types, and where it is invalid.
pub(crate) fn encode(row: &Bound<'_, PyDict>, columns: &Columns) -> Option<Vec<f64>> {
    if row.len() != columns.n_columns() {
        return None;
    }
    let mut features = vec![0.0; columns.n_features()];
    for (name, value) in row {
        let name = name.cast_exact::<PyString>().ok()?;
        let name = name.to_str().ok()?;
        let is_written = if let Ok(text) = value.cast_exact::<PyString>() {
            columns.write_cell(name, Cell::Text(text.to_str().ok()?), &mut features)
        } else {
            columns.write_cell(name, number(&value)?, &mut features)
        };
        if !is_written {
            return None;
        }
    }
    Some(features)
}

fn number(value: &Bound<'_, PyAny>) -> Option<Cell<'static>> {
    if value.is_none() {
        return Some(Cell::Missing);
    }
    // A float64 of NumPy is a float of Python.
    if let Ok(float) = value.cast::<PyFloat>() {
        return Some(Cell::Number(float.value()));
    }
    let is_integer = value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyBool>();
    is_integer.then(|| value.extract().ok().map(Cell::Number))?
}
