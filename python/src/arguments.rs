//! Arguments that several calls have by the same name. The error of a wrong type names them, which PyO3's own do not.

use crate::error::to_python;
use budgetrs::Error;
use pyo3::prelude::*;
use std::path::PathBuf;

/// An argument, read as its type.
fn read<'a, 'py, V: FromPyObject<'a, 'py>>(
    name: &'static str,
    expected: &'static str,
    given: Borrowed<'a, 'py, PyAny>,
) -> PyResult<V> {
    given.extract::<V>().map_err(|_| to_python(Error::parameter(name, expected, written(&given))))
}

/// An object in a message: as Python writes it, or of what type it is where that takes long.
pub(crate) fn written(given: &Bound<'_, PyAny>) -> String {
    let text = given.repr().map(|text| text.to_string()).ok().filter(|text| text.len() <= 60);
    text.unwrap_or_else(|| {
        let kind = given.get_type().name().map_or_else(|_| "another type".into(), |name| name.to_string());
        format!("an object of type {kind}")
    })
}

/// Defines an argument: its type, its name, what it may be, and what it is read as.
macro_rules! argument {
    ($(#[$about:meta])* $type:ident($of:ty), $name:literal, $expected:literal) => {
        $(#[$about])*
        pub(crate) struct $type(pub(crate) $of);

        impl<'a, 'py> FromPyObject<'a, 'py> for $type {
            type Error = PyErr;

            fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                read($name, $expected, given).map(Self)
            }
        }
    };
}

argument!(
    /// Threads of prediction.
    #[derive(Default)]
    Jobs(Option<i64>), "n_jobs", "None or an integer other than 0"
);
argument!(
    /// The weight of a single row.
    Weight(f64), "sample_weight", "a number from 0 to 1e9"
);
argument!(
    /// The target of a single row, in regression.
    Target(f64), "y", "a number from -1e15 to 1e15"
);
argument!(
    /// The name of a file.
    FilePath(PathBuf), "path", "a str or path-like object"
);
argument!(
    /// Whether gamma stays.
    KeepGamma(bool), "keep_gamma", "True or False"
);

impl Default for Weight {
    fn default() -> Self {
        Self(1.0)
    }
}

/// The bytes of a model file.
pub(crate) struct Data<'a>(pub(crate) &'a [u8]);

impl<'a, 'py> FromPyObject<'a, 'py> for Data<'a> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        read("data", "bytes", given).map(Self)
    }
}
