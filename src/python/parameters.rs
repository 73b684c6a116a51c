//! Keyword parameters to a specification and back.

use super::error::to_python;
use crate::Spec;
use crate::error::Error;
use crate::spec::{PARAMETERS, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

/// The specification of a named algorithm with some parameters set.
pub(super) fn from_keywords(algorithm: &str, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Spec> {
    let mut spec = Spec::named(algorithm).map_err(to_python)?;
    for (name, value) in keywords.into_iter().flatten() {
        let name: String = name.extract()?;
        if !PARAMETERS.contains(&name.as_str()) {
            let known = PARAMETERS.join(", ");
            return Err(PyTypeError::new_err(format!(
                "unexpected keyword argument {name:?}; the parameters are {known}"
            )));
        }
        // No other maintenance than the algorithm's: the default, said aloud.
        if name == "maintenance" && value.is_none() {
            continue;
        }
        spec.set(&name, &to_value(&name, &value)?).map_err(to_python)?;
    }
    Ok(spec)
}

fn to_value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::None);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.to_str()?.to_owned()));
    }
    let numpy_bool = value.get_type().name().is_ok_and(|n| n == "bool" || n == "bool_");
    if numpy_bool {
        return Ok(Value::Bool(value.is_truthy()?));
    }
    // numpy's integers have __index__, its floats __float__.
    let is_float = value.is_instance_of::<PyFloat>();
    if value.is_instance_of::<PyInt>() || (!is_float && value.hasattr("__index__")?) {
        if name == "seed" {
            return match value.extract::<u64>() {
                Ok(seed) => Ok(Value::Int(seed as i64)),
                Err(_) => {
                    Err(to_python(Error::parameter("seed", "an integer in 0..=2^64 - 1", value.str()?)))
                }
            };
        }
        return if let Ok(i) = value.extract::<i64>() {
            Ok(Value::Int(i))
        } else {
            let expected = "an integer of 64 bits";
            let name = PARAMETERS.iter().copied().find(|p| *p == name).unwrap_or("a parameter");
            Err(to_python(Error::parameter(name, expected, value.str()?)))
        };
    }
    match value.extract::<f64>() {
        Ok(x) => Ok(Value::Float(x)),
        Err(_) => Err(PyTypeError::new_err(format!(
            "{name} has the type {}, which no parameter takes",
            value.get_type()
        ))),
    }
}

/// Every parameter with its value.
pub(super) fn to_dict<'py>(py: Python<'py>, spec: &Spec) -> PyResult<Bound<'py, PyDict>> {
    let parameters = PyDict::new(py);
    for name in PARAMETERS {
        match spec.get(name) {
            None | Some(Value::None) => parameters.set_item(name, py.None())?,
            Some(Value::Bool(x)) => parameters.set_item(name, x)?,
            Some(Value::Int(x)) if name == "seed" => parameters.set_item(name, x as u64)?,
            Some(Value::Int(x)) => parameters.set_item(name, x)?,
            Some(Value::Float(x)) => parameters.set_item(name, x)?,
            Some(Value::Text(x)) => parameters.set_item(name, x)?,
        }
    }
    Ok(parameters)
}
