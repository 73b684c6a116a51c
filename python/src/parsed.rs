//! Parsed rows as NumPy arrays.

use budgetrs_readers::{DenseRows, Float, ParsedTargets, SparseRows};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The rows of one of the four parsers.
pub(crate) enum AnyParsedRows {
    Sparse32(SparseRows<f32>),
    Sparse64(SparseRows<f64>),
    Dense32(DenseRows<f32>),
    Dense64(DenseRows<f64>),
}

impl AnyParsedRows {
    /// The tuple of arrays that `Reader.take` returns.
    pub(crate) fn into_tuple(self, py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        match self {
            Self::Sparse32(rows) => sparse(py, rows),
            Self::Sparse64(rows) => sparse(py, rows),
            Self::Dense32(rows) => dense(py, rows),
            Self::Dense64(rows) => dense(py, rows),
        }
    }
}

fn targets(py: Python<'_>, targets: ParsedTargets) -> Bound<'_, PyAny> {
    match targets {
        ParsedTargets::Classes(y) => {
            let y: Vec<i64> = y.into_iter().map(i64::from).collect();
            PyArray1::from_vec(py, y).into_any()
        }
        ParsedTargets::Values(y) => PyArray1::from_vec(py, y).into_any(),
        ParsedTargets::None => py.None().into_bound(py),
    }
}

fn sparse<T: Float + numpy::Element>(py: Python<'_>, rows: SparseRows<T>) -> PyResult<Bound<'_, PyTuple>> {
    let SparseRows { indptr, indices, values, n_columns, targets: y } = rows;
    let indptr: Vec<i64> = indptr.into_iter().map(|at| at as i64).collect();
    // The parser raises for indices beyond 31 bits.
    let indices: Vec<i32> = indices.into_iter().map(|j| j as i32).collect();
    let parts = (
        "csr",
        PyArray1::from_vec(py, indptr),
        PyArray1::from_vec(py, indices),
        PyArray1::from_vec(py, values),
        targets(py, y),
        n_columns,
    );
    parts.into_pyobject(py)
}

fn dense<T: Float + numpy::Element>(py: Python<'_>, rows: DenseRows<T>) -> PyResult<Bound<'_, PyTuple>> {
    let values = Array2::from_shape_vec((rows.n_rows, rows.n_columns), rows.values)
        .expect("every row has one value per feature");
    ("dense", PyArray2::from_owned_array(py, values), targets(py, rows.targets)).into_pyobject(py)
}
