//! `load`: a model file of either task.

use crate::arguments::{Argument, FilePath, Jobs};
use crate::classifier::Classifier;
use crate::native_model::{self, NativeModel};
use crate::regressor::Regressor;
use pyo3::prelude::*;

/// Read a model from a file, whatever its task. No code in it runs.
///
/// Parameters
/// ----------
/// path : str or path-like
///     A file that `save` wrote.
/// n_jobs : int or None, default=None
///     Threads of prediction; a file does not say.
///
/// Returns
/// -------
/// Classifier or Regressor
///     The model; it goes on exactly where the saved one was.
///
/// Raises
/// ------
/// ValueError
///     If the file is not a model, or damaged.
/// OSError
///     If it cannot be read, as Python's `open` does.
#[pyfunction]
#[pyo3(signature = (path, *, n_jobs = Argument(None)), text_signature = "(path, *, n_jobs=None)")]
pub(crate) fn load(py: Python<'_>, path: Argument<FilePath>, n_jobs: Argument<Jobs>) -> PyResult<Py<PyAny>> {
    let model = native_model::read(py, path.0)?;
    let regression = model.spec.spec().loss.is_regression();
    let native = NativeModel::new(model, n_jobs.0)?;
    if regression {
        Ok(Regressor::with(py, native)?.into_any())
    } else {
        Ok(Classifier::with(py, native)?.into_any())
    }
}
