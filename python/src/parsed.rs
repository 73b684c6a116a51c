//! Parsed rows as NumPy arrays.

use budgetrs_readers::{DenseRows, Float, ParsedTargets, SparseRows};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The rows of a parser.
pub(crate) trait ParsedRows: Send {
    /// The tuple of arrays that `Reader.take` returns.
    fn into_tuple(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyTuple>>;
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

impl<T: Float + numpy::Element> ParsedRows for SparseRows<T> {
    fn into_tuple(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let Self { indptr, indices, values, n_columns, targets: y } = *self;
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
}

impl<T: Float + numpy::Element> ParsedRows for DenseRows<T> {
    fn into_tuple(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let values = PyArray1::from_vec(py, self.values).reshape([self.n_rows, self.n_columns])?;
        ("dense", values, targets(py, self.targets)).into_pyobject(py)
    }
}
