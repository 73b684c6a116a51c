//! Keys of models, from and to Python.

use crate::error::to_python;
use crate::labels;
use budgetrs::keyed::{Key, Keys};
use budgetrs::{Error, Labels};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Reads the key of each row.
pub(crate) fn read(keys: &Bound<'_, PyAny>) -> PyResult<Keys> {
    let read = labels::read("keys", keys).or_else(|error| {
        let own = keys.py().import("budgetrs._keyed")?.call_method1("invalid_keys", (keys,))?;
        Err(if own.is_none() { error } else { PyErr::from_value(own) })
    });
    match read? {
        Labels::Int(keys) => Ok(Keys::Int(keys)),
        Labels::Text(keys) => Ok(Keys::Text(keys)),
        Labels::Bool(_) => Err(to_python(Error::shape("keys", "integers or strings", "bools"))),
        Labels::Float(_) => {
            let got = "floats (integers that are missing in some rows are floats in numpy)";
            Err(to_python(Error::shape("keys", "integers or strings", got)))
        }
    }
}

/// Reads a single key. None for an object that cannot be a key, such as a string with lone surrogates.
pub(crate) fn read_one(key: &Bound<'_, PyAny>) -> Option<Key> {
    match key.cast::<PyString>() {
        Ok(text) => text.to_str().ok().map(|text| Key::Text(text.to_owned())),
        Err(_) => key.extract().ok().map(Key::Int),
    }
}

/// An array of keys.
pub(crate) fn array(py: Python<'_>, keys: Option<Keys>) -> PyResult<Bound<'_, PyAny>> {
    let keys = match keys {
        Some(Keys::Text(keys)) => Labels::Text(keys),
        Some(Keys::Int(keys)) => Labels::Int(keys),
        None => Labels::Int(Vec::new()),
    };
    labels::labels_array(py, &keys)
}
