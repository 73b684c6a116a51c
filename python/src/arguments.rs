//! Arguments of several methods. The error of a wrong type names the argument and its valid values; PyO3's does not.

use crate::error::to_python;
use budgetrs::Error;
use budgetrs::model::Passes;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyBytes, PyMemoryView};
use std::path::PathBuf;

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

/// The coverage of intervals or sets, or several.
pub(crate) enum Coverage {
    One(f64),
    Several(Vec<f64>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Coverage {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(coverage) = given.extract() {
            return Ok(Self::One(coverage));
        }
        match given.extract::<Vec<f64>>() {
            Ok(coverages) if !coverages.is_empty() => Ok(Self::Several(coverages)),
            _ => {
                let expected = "a number from 0.01 to 0.999, or a list of such numbers";
                Err(to_python(Error::parameter("coverage", expected, shown(&given))))
            }
        }
    }
}

impl Coverage {
    /// Predicts for the coverage, or for each of several, which then are the last axis of the array.
    pub(crate) fn predict<'py>(
        self,
        py: Python<'py>,
        predict: impl Fn(f64) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::One(coverage) => predict(coverage),
            Self::Several(coverages) => {
                let each: Vec<_> = coverages.into_iter().map(predict).collect::<PyResult<_>>()?;
                py.import("numpy")?.call_method1("stack", (each, -1))
            }
        }
    }
}

/// Declares functions that read an argument: the type of the value, and the valid values.
macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident: $value:ty, $expected:literal;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name(given: &Bound<'_, PyAny>) -> PyResult<$value> {
                let invalid = |_| to_python(Error::parameter(stringify!($name), $expected, shown(given)));
                given.extract().map_err(invalid)
            }
        )*
    };
}

arguments! {
    /// The only positional argument of the native classes.
    algorithm: String, "a name in budgetrs.ALGORITHMS (pass all other parameters by name, such as budget=100)";
    n_jobs: Option<i64>, "None or an integer other than 0";
    /// The weight of a single row.
    sample_weight: f64, "a number from 0 to 1e9";
    /// The target of a single row in regression.
    y: f64, "a number from -1e15 to 1e15 (a Classifier learns labels)";
    path: PathBuf, "a str or path-like object";
    max_memory: Option<Count>, "a number of bytes of at least 1, or None";
    /// The largest number of support vectors of a combined model.
    budget: Option<Count>, "None or an integer of at least 1";
    /// The largest size in bytes of the models by key that are in memory.
    memory: Count, "a number of bytes of at least 1";
    /// A number of rows.
    rows: Count, "an integer of at least 1";
    n_features: Count, "an integer that fits into memory";
    keep_gamma: bool, "True or False";
    shuffle: bool, "True or False";
}

/// The labels or targets of a call, which have no default.
pub(crate) fn targets<'a, 'py>(
    call: &str,
    y: Option<&'a Bound<'py, PyAny>>,
) -> PyResult<&'a Bound<'py, PyAny>> {
    let missing = || Error::parameter("y", format!("the labels or targets of the rows: {call}"), "nothing");
    y.ok_or_else(|| to_python(missing()))
}

/// The number of passes of a fit: "auto" or a number.
pub(crate) fn passes(given: &Bound<'_, PyAny>) -> PyResult<Passes> {
    if given.extract::<PyBackedStr>().is_ok_and(|text| *text == *"auto") {
        return Ok(Passes::Auto);
    }
    match given.extract() {
        Ok(Count(passes)) if passes > 0 => Ok(Passes::Number(passes)),
        _ => {
            let expected = "\"auto\" or an integer of at least 1";
            Err(to_python(Error::parameter("passes", expected, shown(given))))
        }
    }
}

/// The bytes of a model file: `bytes`, or a copy of another buffer.
pub(crate) fn data<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let invalid = |_| to_python(Error::parameter("data", "a bytes-like object", shown(given)));
    let view = PyMemoryView::from(given).map_err(invalid)?;
    Ok(view.call_method0("tobytes")?.cast_into()?)
}

/// An object as shown in a message: text in double quotes, its `repr`, or its type where that is long.
pub(crate) fn shown(given: &Bound<'_, PyAny>) -> String {
    let text = match given.extract::<PyBackedStr>() {
        Ok(text) => Ok(format!("{:?}", &*text)),
        Err(_) => given.repr().map(|text| text.to_string()),
    };
    let text = text.ok().filter(|text| text.len() <= 60);
    text.unwrap_or_else(|| type_of(given))
}

/// The type of an object as shown in a message.
pub(crate) fn type_of(given: &Bound<'_, PyAny>) -> String {
    let name = given.get_type().name().map_or_else(|_| "another type".into(), |name| name.to_string());
    format!("an object of type {name}")
}
