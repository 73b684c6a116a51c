//! The metadata of a model as a Python dict, and its conversion from and to JSON.

use crate::error::to_python;
use budgetrs::persist::Metadata;
use pyo3::prelude::*;
use pyo3::pyclass::{PyTraverseError, PyVisit};
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};

/// The dict of `model.metadata`, once it was loaded, set or read. It is checked when it is saved.
#[derive(Default)]
pub(crate) struct MetadataDict(Mutex<Option<Py<PyDict>>>);

impl MetadataDict {
    /// The dict, the same in each call.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        // Python code must not run while the lock is held.
        let new = PyDict::new(py).unbind();
        let mut dict = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        dict.get_or_insert(new).bind(py).clone()
    }

    pub(crate) fn replace(&self, py: Python<'_>, metadata: &Metadata) -> PyResult<()> {
        let new = to_dict(py, metadata)?.unbind();
        let old = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(new);
        drop(old);
        Ok(())
    }

    /// Visits the dict for the garbage collector: it may contain the model.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // No thread waits, or runs Python code, while it holds the lock.
        let dict = self.0.try_lock();
        dict.map_or(Ok(()), |dict| visit.call(&*dict))
    }

    pub(crate) fn clear(&self) {
        let dict = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(dict);
    }

    /// The metadata to save: the given value, or by default the dict.
    pub(crate) fn to_save(&self, py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Metadata> {
        match given {
            Some(given) => read(given),
            None => read(self.get(py).as_any()),
        }
    }
}

/// Reads a dict.
pub(crate) fn read(metadata: &Bound<'_, PyAny>) -> PyResult<Metadata> {
    let json = metadata.py().import("budgetrs._metadata")?.call_method1("to_json", (metadata,))?;
    Metadata::new(json.extract()?).map_err(to_python)
}

/// A new dict.
pub(crate) fn to_dict<'py>(py: Python<'py>, metadata: &Metadata) -> PyResult<Bound<'py, PyDict>> {
    if metadata.is_empty() {
        return Ok(PyDict::new(py));
    }
    Ok(py.import("json")?.call_method1("loads", (metadata.as_json(),))?.cast_into()?)
}
