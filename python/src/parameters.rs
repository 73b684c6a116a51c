//! Keyword parameters to a specification and back.

use crate::error::to_python;
use budgetrs::Error;
use budgetrs::Spec;
use budgetrs::params::{PARAMETERS, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

/// The specification of a named algorithm with some parameters set.
pub(crate) fn from_keywords(mut spec: Spec, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Spec> {
    let Some(keywords) = keywords else { return Ok(spec) };
    // In their own order: some have a meaning only after others.
    for name in PARAMETERS {
        if spec.get(name).is_some()
            && let Some(value) = keywords.get_item(name)?
        {
            spec.set(name, &to_value(name, &value)?).map_err(to_python)?;
        }
    }
    for (name, _) in keywords {
        let name: String = name.extract()?;
        if spec.get(&name).is_none() {
            let known: Vec<_> = spec.parameters().collect();
            let (algorithm, maintenance) = (spec.algorithm, spec.maintenance.name());
            return Err(PyTypeError::new_err(format!(
                "unexpected keyword argument {name:?}; the parameters of {algorithm:?} with maintenance = \
                 {maintenance:?} are {}",
                known.join(", ")
            )));
        }
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
            return value.extract::<u64>().map(|seed| Value::Int(seed as i64)).map_err(|_| {
                // Python refuses to write out the longest.
                let got = value.str().map_or("a larger one".into(), |text| text.to_string());
                to_python(Error::parameter("seed", "an integer from 0 to 2^64 - 1", got))
            });
        }
        // A larger one is told by its size; what is larger than any float, as infinity.
        return Ok(match value.extract::<i64>() {
            Ok(value) => Value::Int(value),
            Err(_) if value.lt(0)? => Value::Float(value.extract().unwrap_or(f64::NEG_INFINITY)),
            Err(_) => Value::Float(value.extract().unwrap_or(f64::INFINITY)),
        });
    }
    value.extract().map(Value::Float).map_err(|_| {
        let got = value.get_type().name().map_or_else(|_| "another".into(), |name| name.to_string());
        let message =
            format!("{name} must be a number, a text, True, False or None, got an object of type {got}");
        PyTypeError::new_err(message)
    })
}

/// Every parameter with its value.
pub(crate) fn to_dict<'py>(py: Python<'py>, spec: &Spec) -> PyResult<Bound<'py, PyDict>> {
    let parameters = PyDict::new(py);
    for name in spec.parameters() {
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
