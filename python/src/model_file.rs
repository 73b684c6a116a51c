//! Model files: reading a model from a path, from bytes or from a pickle.

use crate::error::{catch_panic, to_python};
use budgetrs::model::Model;
use budgetrs::{Error, Task};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::Path;

/// Reads a model of any task from a file.
pub(crate) fn read(py: Python<'_>, path: &Path) -> PyResult<Model> {
    py.detach(|| catch_panic(|| Model::load(path).map_err(to_python)))
}

/// Reads a model of any task from the bytes of a file.
pub(crate) fn parse(py: Python<'_>, data: &[u8]) -> PyResult<Model> {
    py.detach(|| catch_panic(|| Model::from_bytes(data).map_err(to_python)))
}

/// Replaces a new model by the model of a state.
pub(crate) fn replace_new(new: &mut Model, model: Model) -> PyResult<()> {
    let is_regression = |model: &Model| model.spec.spec().loss.is_regression();
    if new.trained.is_some() || is_regression(new) != is_regression(&model) {
        let reason = "the state needs a new model of the class that wrote it";
        return Err(to_python(Error::State(reason.into())));
    }
    *new = model;
    Ok(())
}

/// Checks the task of a model that was read from this file, or from bytes. The error names the method that reads it.
pub(crate) fn check_task(model: &Model, task: Task, file: Option<&Path>) -> PyResult<()> {
    if model.spec.check_task(task).is_ok() {
        return Ok(());
    }
    let (wanted, got) = match task {
        Task::Regression => ("Regressor", "Classifier"),
        Task::Classes(_) => ("Classifier", "Regressor"),
    };
    let (source, method) = match file {
        Some(path) => (format!("{}: ", path.display()), "load"),
        None => (String::new(), "from_bytes"),
    };
    let algorithm = model.spec.spec().algorithm;
    let reason = format!(
        "{source}expected a model for {wanted}, got a {got} with the algorithm {algorithm:?}; {got}.{method} reads it"
    );
    Err(to_python(Error::State(reason.into())))
}

/// Rebuild a pickled model.
#[pyfunction]
#[pyo3(name = "_rebuild")]
pub(crate) fn rebuild<'py>(
    class: &Bound<'py, PyAny>,
    data: &Bound<'py, PyBytes>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(class.py());
    options.set_item("n_jobs", n_jobs)?;
    class.call_method("from_bytes", (data,), Some(&options))
}
