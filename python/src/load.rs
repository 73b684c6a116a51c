//! `load` and `from_bytes`: a model file of either task as a Python object.

use crate::arguments::{Argument, FileBytes, FilePath, NJobs};
use crate::classifier::Classifier;
use crate::model_file;
use crate::native_model::NativeModel;
use crate::regressor::Regressor;
use budgetrs::model::Model;
use pyo3::prelude::*;

/// Read a model from a file, whatever its task. No code in it runs.
///
/// Parameters
/// ----------
/// path : str or path-like
///     A file that `save` wrote.
/// n_jobs : int or None, default=None
///     Number of threads of prediction, which is not in the file.
///
/// Returns
/// -------
/// Classifier or Regressor
///     The model. It continues training exactly as the saved model would.
///
/// Raises
/// ------
/// ValueError
///     If the file is no model file, or is damaged.
/// OSError
///     If the file cannot be read, as from Python's `open`.
#[pyfunction]
#[pyo3(signature = (path, *, n_jobs = Argument(None)), text_signature = "(path, *, n_jobs=None)")]
pub(crate) fn load(py: Python<'_>, path: Argument<FilePath>, n_jobs: Argument<NJobs>) -> PyResult<Py<PyAny>> {
    to_object(py, model_file::read(py, &path.0)?, n_jobs.0)
}

/// Create a model from the bytes of `to_bytes`, whatever its task. No code in them runs.
///
/// Parameters
/// ----------
/// data : bytes-like
///     The bytes: bytes, bytearray, memoryview or another buffer.
/// n_jobs : int or None, default=None
///     Number of threads of prediction.
///
/// Returns
/// -------
/// Classifier or Regressor
///     The model.
///
/// Raises
/// ------
/// ValueError
///     If the bytes are no model file, or are damaged.
///
/// See Also
/// --------
/// load : Reads a file.
#[pyfunction]
#[pyo3(signature = (data, *, n_jobs = Argument(None)), text_signature = "(data, *, n_jobs=None)")]
pub(crate) fn from_bytes(
    py: Python<'_>,
    data: FileBytes<'_>,
    n_jobs: Argument<NJobs>,
) -> PyResult<Py<PyAny>> {
    to_object(py, model_file::parse(py, data.as_slice())?, n_jobs.0)
}

/// The `Classifier` or `Regressor` of a model.
pub(crate) fn to_object(py: Python<'_>, model: Model, n_jobs: Option<i64>) -> PyResult<Py<PyAny>> {
    let is_regression = model.spec.spec().loss.is_regression();
    let native = NativeModel::new(model, n_jobs)?;
    Ok(if is_regression {
        Regressor::with(py, native)?.into_any()
    } else {
        Classifier::with(py, native)?.into_any()
    })
}
