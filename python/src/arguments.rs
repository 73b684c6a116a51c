//! Arguments of several methods. The error of a wrong type names the argument and its valid values; PyO3's does not.

use crate::error::to_python;
use budgetrs::Error;
use budgetrs::model::Passes;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyBytes, PyMemoryView};
use std::path::PathBuf;

/// The value of an argument.
pub(crate) struct Argument<A: ArgumentInfo>(pub(crate) A::Value);

/// The type, the name and the valid values of an argument.
pub(crate) trait ArgumentInfo {
    type Value;
    const NAME: &'static str;
    const EXPECTED: &'static str;
}

impl<'a, 'py, A: ArgumentInfo<Value: FromPyObject<'a, 'py>>> FromPyObject<'a, 'py> for Argument<A> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let invalid = |_| to_python(Error::parameter(A::NAME, A::EXPECTED, shown(&given)));
        given.extract::<A::Value>().map(Self).map_err(invalid)
    }
}

/// A non-negative integer, and no bool.
pub(crate) struct Count(pub(crate) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyBool>() {
            return Err(PyTypeError::new_err("expected a number, got a bool"));
        }
        given.extract().map(Self)
    }
}

/// Declares arguments: the type of the value, the name in Python, and the valid values.
macro_rules! arguments {
    ($($(#[$doc:meta])* $argument:ident($value:ty), $name:literal: $expected:literal;)*) => {
        $(
            $(#[$doc])*
            pub(crate) enum $argument {}

            impl ArgumentInfo for $argument {
                type Value = $value;
                const NAME: &'static str = $name;
                const EXPECTED: &'static str = $expected;
            }
        )*
    };
}

arguments! {
    /// The name of an algorithm, the only positional argument of the native classes.
    AlgorithmName(String), "algorithm": "a name in budgetrs.ALGORITHMS (pass all other parameters by name)";
    /// The number of threads of prediction.
    NJobs(Option<i64>), "n_jobs": "None or an integer other than 0";
    /// The weight of a single row.
    SampleWeight(f64), "sample_weight": "a number from 0 to 1e9";
    /// The target of a single row in regression.
    RowTarget(f64), "y": "a number from -1e15 to 1e15";
    /// The coverage of prediction intervals and sets.
    Coverage(f64), "coverage": "a number from 0.5 to 0.99";
    /// The path of a file.
    FilePath(PathBuf), "path": "a str or path-like object";
    /// The largest size of a model in bytes.
    MaxMemory(Option<Count>), "max_memory": "a number of bytes of at least 1, or None";
    /// The largest number of support vectors of a combined model.
    CombinedBudget(Option<Count>), "budget": "None or an integer of at least 1";
    /// The largest size in bytes of the models by key that are in memory.
    CacheMemory(Count), "memory": "a number of bytes of at least 1";
    /// The total number of features.
    NFeatures(Count), "n_features": "an integer that fits into memory";
    /// Whether gamma is kept when features are added.
    KeepGamma(bool), "keep_gamma": "True or False";
    /// Whether a fit shuffles the rows.
    Shuffle(bool), "shuffle": "True or False";
}

/// The number of passes of a fit: "auto" or a number.
#[derive(Clone, Copy, Default)]
pub(crate) struct FitPasses(pub(crate) Passes);

impl<'a, 'py> FromPyObject<'a, 'py> for FitPasses {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if given.extract::<PyBackedStr>().is_ok_and(|text| *text == *"auto") {
            return Ok(Self(Passes::Auto));
        }
        match given.extract()? {
            Count(0) => Err(PyTypeError::new_err("expected at least 1")),
            Count(passes) => Ok(Self(Passes::Number(passes))),
        }
    }
}

impl ArgumentInfo for FitPasses {
    type Value = Self;
    const NAME: &'static str = "passes";
    const EXPECTED: &'static str = "\"auto\" or an integer of at least 1";
}

/// The bytes of a model file: `bytes`, or a copy of another buffer.
pub(crate) struct FileBytes<'py>(Bound<'py, PyBytes>);

impl FileBytes<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for FileBytes<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.cast::<PyBytes>() {
            return Ok(Self(bytes.to_owned()));
        }
        let invalid = |_| to_python(Error::parameter("data", "a bytes-like object", shown(&given)));
        let view = PyMemoryView::from(&given).map_err(invalid)?;
        Ok(Self(view.call_method0("tobytes")?.cast_into::<PyBytes>()?))
    }
}

/// An object as shown in a message: its `repr`, or its type where the `repr` is long.
pub(crate) fn shown(given: &Bound<'_, PyAny>) -> String {
    let text = given.repr().map(|text| text.to_string()).ok().filter(|text| text.len() <= 60);
    text.unwrap_or_else(|| {
        let kind = given.get_type().name().map_or_else(|_| "another type".into(), |name| name.to_string());
        format!("an object of type {kind}")
    })
}
