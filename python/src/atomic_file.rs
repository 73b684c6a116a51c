//! `AtomicFile`: a file that replaces another when it is complete.

use crate::arguments::{self, FileBytes};
use crate::error::{catch_panic, to_python};
use budgetrs::{Error, persist};
use pyo3::prelude::*;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A temporary file that atomically replaces the file at `path` on `commit`, as `save` does.
///
/// Parameters
/// ----------
/// path : str or path-like
///     The file. An existing file is unchanged until `commit`.
///
/// Raises
/// ------
/// OSError
///     As from Python's `open`.
///
/// Examples
/// --------
/// >>> import tempfile
/// >>> from pathlib import Path
/// >>> from budgetrs._core import AtomicFile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     file = AtomicFile(Path(folder, "scores"))
/// ...     file.write(b"1\n")
/// ...     file.commit()
/// ...     Path(folder, "scores").read_text()
/// '1\n'
#[pyclass(frozen, name = "AtomicFile", module = "budgetrs._core")]
pub(crate) struct PyAtomicFile(Mutex<Option<persist::AtomicFile>>);

#[pymethods]
impl PyAtomicFile {
    #[new]
    fn new(py: Python<'_>, #[pyo3(from_py_with = arguments::path)] path: PathBuf) -> PyResult<Self> {
        let file = py.detach(|| catch_panic(|| persist::AtomicFile::new(path).map_err(to_python)))?;
        Ok(Self(Mutex::new(Some(file))))
    }

    /// Add bytes to the end.
    fn write(&self, py: Python<'_>, data: FileBytes<'_>) -> PyResult<()> {
        let bytes = data.as_slice();
        py.detach(|| match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(file) => file.write_all(bytes).map_err(PyErr::from),
            None => Err(closed()),
        })
    }

    /// Replace the file at `path`.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| catch_panic(|| self.take().ok_or_else(closed)?.commit().map_err(to_python)))
    }

    /// Remove the temporary file; no effect after `commit`.
    fn discard(&self, py: Python<'_>) {
        py.detach(|| drop(self.take()));
    }
}

impl PyAtomicFile {
    fn take(&self) -> Option<persist::AtomicFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn closed() -> PyErr {
    to_python(Error::State("the file was committed or discarded".into()))
}
