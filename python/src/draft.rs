//! `Draft`: a file that takes the place of another when it is complete.

use crate::arguments::{Argument, FilePath};
use crate::error::{catch_panic, to_python};
use budgetrs::{Error, persist};
use pyo3::prelude::*;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// A file that is written beside the one that it replaces when it is complete, as by `save`.
///
/// Parameters
/// ----------
/// path : str or path-like
///     The file; an old one is whole until `commit`.
///
/// Raises
/// ------
/// OSError
///     As Python's `open` does.
///
/// Examples
/// --------
/// >>> import tempfile
/// >>> from pathlib import Path
/// >>> from budgetrs._core import Draft
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     draft = Draft(Path(folder, "scores"))
/// ...     draft.write(b"1\n")
/// ...     draft.commit()
/// ...     Path(folder, "scores").read_text()
/// '1\n'
#[pyclass(frozen, module = "budgetrs._core")]
pub(crate) struct Draft(Mutex<Option<persist::Draft>>);

#[pymethods]
impl Draft {
    #[new]
    fn new(py: Python<'_>, path: Argument<FilePath>) -> PyResult<Self> {
        let draft = py.detach(|| catch_panic(|| persist::Draft::new(path.0).map_err(to_python)))?;
        Ok(Self(Mutex::new(Some(draft))))
    }

    /// Add bytes to the end.
    fn write(&self, py: Python<'_>, data: Argument<&[u8]>) -> PyResult<()> {
        let bytes = data.0;
        py.detach(|| match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(draft) => draft.write_all(bytes).map_err(PyErr::from),
            None => Err(ended()),
        })
    }

    /// Put the draft in the place of the file.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| catch_panic(|| self.take().ok_or_else(ended)?.commit().map_err(to_python)))
    }

    /// Leave the file as it was; without effect once the draft is committed.
    fn discard(&self, py: Python<'_>) {
        py.detach(|| drop(self.take()));
    }
}

impl Draft {
    fn take(&self) -> Option<persist::Draft> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn ended() -> PyErr {
    to_python(Error::State("the draft was committed or discarded".into()))
}
