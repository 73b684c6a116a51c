//! `AtomicFile`: a file that replaces another when it is complete.

use crate::arguments;
use crate::error::{catch_panic, to_python};
use crate::writer_lock::Exclusive;
use budgetrs::{Error, persist};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::Write;
use std::path::PathBuf;

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
pub(crate) struct PyAtomicFile(Exclusive<Option<persist::AtomicFile>>);

#[pymethods]
impl PyAtomicFile {
    #[new]
    fn new(py: Python<'_>, #[pyo3(from_py_with = arguments::path)] path: PathBuf) -> PyResult<Self> {
        let file = py.detach(|| catch_panic(|| persist::AtomicFile::new(path).map_err(to_python)))?;
        let lost = "this file is lost: the process was forked while another thread wrote to it";
        Ok(Self(Exclusive::new(Some(file), lost)))
    }

    /// Add bytes to the end.
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::data)] data: Bound<'_, PyBytes>,
    ) -> PyResult<()> {
        let bytes = data.as_bytes();
        self.0.with(py, |file| Ok(file.as_mut().ok_or_else(closed)?.write_all(bytes)?))
    }

    /// Replace the file at `path`.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        self.0.with(py, |file| file.take().ok_or_else(closed)?.commit().map_err(to_python))
    }

    /// Remove the temporary file; no effect after `commit`.
    fn discard(&self, py: Python<'_>) -> PyResult<()> {
        self.0.with(py, |file| Ok(file.take())).map(drop)
    }
}

fn closed() -> PyErr {
    to_python(Error::State("the file was committed or discarded".into()))
}
