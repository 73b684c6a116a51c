//! Arguments that several calls have by the same name. The error of a wrong type names them, which PyO3's own do not.

use crate::error::to_python;
use budgetrs::Error;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::path::PathBuf;

/// An argument that knows its name.
pub(crate) struct Argument<N: Name>(pub(crate) N::Value);

/// The name of an argument, and what it may be.
pub(crate) trait Name {
    type Value;
    const NAME: &'static str;
    const EXPECTED: &'static str;
}

impl<'a, 'py, N: Name<Value: FromPyObject<'a, 'py>>> FromPyObject<'a, 'py> for Argument<N> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let refused = |_| to_python(Error::parameter(N::NAME, N::EXPECTED, written(&given)));
        given.extract::<N::Value>().map(Self).map_err(refused)
    }
}

/// How many: an integer, and no bool.
pub(crate) struct Count(pub(crate) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyBool>() {
            return Err(PyTypeError::new_err("a bool is no number"));
        }
        given.extract().map(Self)
    }
}

/// Threads of prediction.
pub(crate) enum Jobs {}

impl Name for Jobs {
    type Value = Option<i64>;
    const NAME: &'static str = "n_jobs";
    const EXPECTED: &'static str = "None or an integer other than 0";
}

/// The weight of a single row.
pub(crate) enum Weight {}

impl Name for Weight {
    type Value = f64;
    const NAME: &'static str = "sample_weight";
    const EXPECTED: &'static str = "a number from 0 to 1e9";
}

/// The target of a single row, in regression.
pub(crate) enum Target {}

impl Name for Target {
    type Value = f64;
    const NAME: &'static str = "y";
    const EXPECTED: &'static str = "a number from -1e15 to 1e15";
}

/// The name of a file.
pub(crate) enum FilePath {}

impl Name for FilePath {
    type Value = PathBuf;
    const NAME: &'static str = "path";
    const EXPECTED: &'static str = "a str or path-like object";
}

/// The most bytes of a model.
pub(crate) enum MaxMemory {}

impl Name for MaxMemory {
    type Value = Option<Count>;
    const NAME: &'static str = "max_memory";
    const EXPECTED: &'static str = "a number of bytes of at least 1, or None";
}

/// The most support vectors.
pub(crate) enum Budget {}

impl Name for Budget {
    type Value = Option<Count>;
    const NAME: &'static str = "budget";
    const EXPECTED: &'static str = "None or an integer of at least 1";
}

/// The most bytes of the models by key that are in memory.
pub(crate) enum Memory {}

impl Name for Memory {
    type Value = Count;
    const NAME: &'static str = "memory";
    const EXPECTED: &'static str = "a number of bytes of at least 1";
}

/// Whether gamma stays.
pub(crate) enum KeepGamma {}

impl Name for KeepGamma {
    type Value = bool;
    const NAME: &'static str = "keep_gamma";
    const EXPECTED: &'static str = "True or False";
}

/// The bytes of a model file.
impl Name for &[u8] {
    type Value = Self;
    const NAME: &'static str = "data";
    const EXPECTED: &'static str = "bytes";
}

/// An object in a message: as Python writes it, or of what type it is where that takes long.
pub(crate) fn written(given: &Bound<'_, PyAny>) -> String {
    let text = given.repr().map(|text| text.to_string()).ok().filter(|text| text.len() <= 60);
    text.unwrap_or_else(|| {
        let kind = given.get_type().name().map_or_else(|_| "another type".into(), |name| name.to_string());
        format!("an object of type {kind}")
    })
}
