//! Models that were read from a file or from bytes, as Python objects.

use crate::error::{catch_panic, to_python};
use crate::native_model::NativeModel;
use crate::thread_pool;
use budgetrs::model::Model;
use budgetrs::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::atomic::Ordering;

impl NativeModel {
    /// The `Classifier` or `Regressor` of a model.
    pub(crate) fn object(py: Python<'_>, model: Model, n_jobs: Option<i64>) -> PyResult<Bound<'_, PyAny>> {
        let class = if is_regression(&model) { "Regressor" } else { "Classifier" };
        let object = py.import("budgetrs._core")?.getattr(class)?.call0()?;
        object.cast::<Self>()?.get().replace_new(py, model, n_jobs)?;
        Ok(object)
    }

    /// Reads a model of a class. `source` and `method` say in an error what was read, and by which method.
    pub(crate) fn read_as<'py>(
        class: &Bound<'py, PyType>,
        read_model: impl FnOnce() -> Result<Model> + Send,
        n_jobs: Option<i64>,
        (source, method): (&str, &str),
    ) -> PyResult<Bound<'py, PyAny>> {
        let object = Self::object(class.py(), read(class.py(), read_model)?, n_jobs)?;
        if object.is_instance(class)? {
            return Ok(object);
        }
        let (wanted, got) = (class.name()?, object.get_type().name()?);
        let algorithm = object.getattr("algorithm")?;
        let reason = format!(
            "{source}expected a model for {wanted}, got a {got} with the algorithm \"{algorithm}\"; {got}.{method} reads it"
        );
        Err(to_python(Error::State(reason.into())))
    }

    /// Replaces a model that has learned nothing by the model of a state.
    pub(crate) fn set_state(&self, py: Python<'_>, data: &[u8], n_jobs: Option<i64>) -> PyResult<()> {
        self.replace_new(py, read(py, || Model::from_bytes(data))?, n_jobs)
    }

    /// Writes the bytes of the file with metadata, which the model has from then on.
    pub(crate) fn write<R: Send>(
        &self,
        py: Python<'_>,
        given: Option<&Bound<'_, PyAny>>,
        write: impl FnOnce(Vec<u8>) -> Result<R> + Send,
    ) -> PyResult<R> {
        let metadata = self.metadata.to_save(py, given)?;
        let written = self
            .shared
            .read(py, |model| model.to_bytes_with(&metadata).and_then(write).map_err(to_python))?;
        if given.is_some() {
            self.metadata.replace(py, &metadata)?;
        }
        Ok(written)
    }

    fn replace_new(&self, py: Python<'_>, mut model: Model, n_jobs: Option<i64>) -> PyResult<()> {
        thread_pool::n_threads(n_jobs).map_err(to_python)?;
        if model.trained.is_some() {
            self.warnings.leave_first_checks(py)?;
        }
        let metadata = std::mem::take(&mut model.metadata);
        self.shared.modify(py, |new| {
            if new.trained.is_some() || is_regression(new) != is_regression(&model) {
                let reason = "the state needs a new model of the class that wrote it";
                return Err(to_python(Error::State(reason.into())));
            }
            *new = model;
            Ok(())
        })?;
        self.n_jobs.store(n_jobs.unwrap_or(0), Ordering::Relaxed);
        self.metadata.replace(py, &metadata)
    }
}

fn read(py: Python<'_>, read: impl FnOnce() -> Result<Model> + Send) -> PyResult<Model> {
    py.detach(|| catch_panic(|| read().map_err(to_python)))
}

fn is_regression(model: &Model) -> bool {
    model.spec.spec().loss.is_regression()
}
