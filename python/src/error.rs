//! The one table from the errors of the crates to Python's exceptions, and the wrapper that keeps panics from Python.

use budgetrs::Error;
use budgetrs_readers::TextError;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The Python exception of an error.
pub(crate) fn to_python(error: Error) -> PyErr {
    match error {
        Error::Io { path, kind, code, reason } => os_error(&path, kind, code, &reason),
        _ if error.parameter_name().is_some() => {
            let (name, row) = (error.parameter_name(), error.row());
            // What the user may know by this name from other libraries.
            match &error {
                Error::Unknown { .. } | Error::Inapplicable { .. } => {
                    made("explained", (error.to_string(), name, None::<&str>))
                }
                Error::Combination { got, .. } | Error::Parameter { got, .. } => {
                    made("explained", (error.to_string(), name, got))
                }
                _ => parameter_error(&error.to_string(), name, row),
            }
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The Python exception of text that cannot be read, with the error's fields as attributes.
pub(crate) fn text_error(error: TextError) -> PyErr {
    let exception = PyValueError::new_err(error.to_string());
    let TextError { line, column, field, expected, got } = error;
    let told = Python::attach(|py| {
        let value = exception.value(py);
        value.setattr("line", line)?;
        value.setattr("column", column)?;
        value.setattr("field", field)?;
        value.setattr("code", expected.code())?;
        value.setattr("expected", expected.to_string())?;
        value.setattr("got", got)
    });
    told.err().unwrap_or(exception)
}

/// The one error about all parameters that are unknown or do not apply, if there are any.
pub(crate) fn reject(errors: impl Iterator<Item = Error>, regression: bool) -> PyResult<()> {
    let all: Vec<_> =
        errors.map(|error| (error.to_string(), error.parameter_name().map(str::to_owned))).collect();
    if all.is_empty() { Ok(()) } else { Err(made("rejected", (all, regression))) }
}

/// A `ParameterError` with this message, for a parameter and a row, if these are known.
pub(crate) fn parameter_error(message: &str, name: Option<&str>, row: Option<usize>) -> PyErr {
    made("ParameterError", (message, name, row))
}

/// The error about a single row: its argument is `x`, where a batch is `X`.
pub(crate) fn error_of_row(py: Python<'_>, error: PyErr) -> PyErr {
    match error.value(py).to_string().strip_prefix("X ") {
        Some(rest) => parameter_error(&format!("x {rest}"), Some("x"), None),
        None => error,
    }
}

/// The error about a model that has not learned any rows: scikit-learn's, where scikit-learn is imported.
pub(crate) fn not_fitted() -> PyErr {
    made("not_fitted", ("this model has not learned any rows: call learn(X, y) first",))
}

/// The `TypeError` about the first unexpected keyword argument, if there is one.
pub(crate) fn reject_keywords(method: &str, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    match keywords.and_then(|keywords| keywords.keys().iter().next()) {
        Some(name) => Err(made("unexpected", (method, name.to_string()))),
        None => Ok(()),
    }
}

/// The exception that a function of `budgetrs._errors` returns.
fn made(function: &str, arguments: impl for<'py> PyCallArgs<'py>) -> PyErr {
    Python::attach(|py| {
        let made = py.import("budgetrs._errors").and_then(|module| module.call_method1(function, arguments));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// The error that Python's `open` would raise: Python chooses the subclass, `FileNotFoundError` for one, by the number.
fn os_error(path: &Path, kind: ErrorKind, code: Option<i32>, reason: &str) -> PyErr {
    let name = match kind {
        ErrorKind::NotFound => "ENOENT",
        ErrorKind::PermissionDenied => "EACCES",
        ErrorKind::IsADirectory => "EISDIR",
        ErrorKind::NotADirectory => "ENOTDIR",
        ErrorKind::InvalidInput => "EINVAL",
        ErrorKind::WouldBlock => "EAGAIN",
        _ => "EIO",
    };
    Python::attach(|py| {
        // The codes of Windows differ from Python's.
        let number = match code {
            Some(code) if cfg!(unix) => code,
            _ => match py.import("errno").and_then(|errno| errno.getattr(name)?.extract()) {
                Ok(number) => number,
                Err(error) => return error,
            },
        };
        // Python adds the number to the message.
        let reason = reason.split(" (os error").next().unwrap_or(reason);
        PyOSError::new_err((number, reason.to_owned(), path.as_os_str().to_owned()))
    })
}

/// Runs code of the core. A panic becomes a `RuntimeError`.
pub(crate) fn catch_panic<R>(run: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(PyRuntimeError::new_err("an internal check failed; this is a bug in budgetrs, please report it"))
    })
}
