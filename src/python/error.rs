//! The one table from the crate's errors to Python's exceptions, and the guard that keeps panics inside.

use crate::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The Python exception of an error.
pub(super) fn to_python(error: Error) -> PyErr {
    match error {
        Error::Io { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Runs core code; a panic there becomes a `RuntimeError`.
pub(super) fn guard<R>(run: impl FnOnce() -> Result<R, PyErr>) -> Result<R, PyErr> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(PyRuntimeError::new_err("an internal check failed; this is a bug in budgetrs, please report it"))
    })
}

/// What a lock says after a thread died holding it.
pub(super) fn poisoned() -> PyErr {
    PyRuntimeError::new_err(
        "an internal check failed earlier while this model was learning; load a saved one",
    )
}
