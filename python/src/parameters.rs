//! Keyword arguments as a `Spec`, and the parameters of a `Spec` as a dict.

use crate::arguments::{shown, type_of};
use crate::error::{reject, to_python};
use crate::labels;
use budgetrs::classes::LabelWeights;
use budgetrs::model::Model;
use budgetrs::parameter::Form;
use budgetrs::params::{Parameter, Value, table};
use budgetrs::{Error, Result, Spec, Task};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyString};

/// A new model for a task, with the parameters of a call. `own` are arguments of the class that are no parameters.
pub(crate) fn new_model(
    spec: Result<Spec>,
    task: Task,
    keywords: Option<&Bound<'_, PyDict>>,
    own: &[&'static str],
) -> PyResult<Model> {
    let mut spec = spec.map_err(to_python)?;
    let given = |name| keywords.map_or(Ok(None), |keywords| keywords.get_item(name));
    let mut rejected = Vec::new();
    // In the order of the table: a parameter comes after those that decide whether it applies.
    for parameter in table() {
        let name = parameter.info().name;
        if let Some(value) = given(name)? {
            match spec.set(name, &to_value(name, &value)?) {
                Err(error @ Error::Inapplicable { .. }) => rejected.push(error),
                other => other.map_err(to_python)?,
            }
        }
    }
    let known: Vec<_> = spec.parameters().chain(own.iter().copied()).collect();
    for (name, _) in keywords.into_iter().flatten() {
        let name: String = name.extract()?;
        if Parameter::named(&name).is_none() {
            rejected.push(Error::unknown(&name, &known));
        }
    }
    reject(rejected.into_iter(), task == Task::Regression)?;
    let spec = spec.check_task(task).and_then(|()| spec.check()).map_err(|mut error| {
        // The error has the value as the caller spelled it, such as `True` for an average of 0.5.
        if let Error::Combination { name, got, .. } = &mut error
            && let Ok(Some(value)) = given(*name)
            && let Ok(value) = to_value(name, &value)
        {
            *got = value.to_string();
        }
        to_python(error)
    })?;
    Ok(Model::new(spec))
}

pub(crate) fn to_value(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::None);
    }
    // Scalars and arrays of NumPy, PyTorch and pandas.
    let plain = if value.hasattr("dtype")? && value.hasattr("tolist")? {
        value.call_method0("tolist")?
    } else {
        value.clone()
    };
    let (given, value) = (value, &plain);
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.to_str()?.to_owned()));
    }
    let is_float = value.is_instance_of::<PyFloat>();
    if value.is_instance_of::<PyInt>() || (!is_float && value.hasattr("__index__")?) {
        if takes(name, |form| matches!(form, Form::Seed)) {
            return value.extract::<u64>().map(|seed| Value::Int(seed as i64)).map_err(|_| {
                // `str` of the longest integers raises.
                let got = value.str().map_or("a larger one".into(), |text| text.to_string());
                to_python(Error::parameter("seed", Form::Seed.to_string(), got))
            });
        }
        // A larger integer becomes a float for the error message; beyond float64, infinity.
        return Ok(match value.extract::<i64>() {
            Ok(value) => Value::Int(value),
            Err(_) if value.lt(0)? => Value::Float(value.extract().unwrap_or(f64::NEG_INFINITY)),
            Err(_) => Value::Float(value.extract().unwrap_or(f64::INFINITY)),
        });
    }
    let takes_numbers = takes(name, |form| matches!(form, Form::Numbers));
    if takes_numbers && let Some(list) = number_list(value) {
        return Ok(Value::Floats(list));
    }
    if takes(name, |form| matches!(form, Form::LabelWeights))
        && let Ok(dict) = value.cast::<PyDict>()
    {
        return label_weights(name, dict).map(Value::LabelWeights);
    }
    value.extract().map(Value::Float).map_err(|_| {
        let valid = Parameter::named(name).map_or(String::new(), |parameter| parameter.info().valid_values());
        let got = if takes_numbers { shown(given) } else { type_of(given) };
        to_python(Error::parameter(name, valid, got))
    })
}

/// The numbers of a list, a tuple, a set or another collection. None for text, dicts and iterators.
fn number_list(value: &Bound<'_, PyAny>) -> Option<Vec<f64>> {
    let is_collection = value.hasattr("__len__").ok()? && !value.hasattr("keys").ok()?;
    if !is_collection || value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        return None;
    }
    value.try_iter().ok()?.map(|number| number?.extract()).collect::<PyResult<_>>().ok()
}

/// Whether a value of a parameter may have a form.
fn takes(name: &str, is: impl Fn(&Form) -> bool) -> bool {
    Parameter::named(name).is_some_and(|parameter| parameter.info().forms.iter().any(is))
}

/// A dict of labels and their weights.
fn label_weights(name: &'static str, dict: &Bound<'_, PyDict>) -> PyResult<LabelWeights> {
    let weights = dict.iter().map(|(label, weight)| {
        weight.extract::<f64>().map_err(|_| {
            let got = format!("{} for the label {}", shown(&weight), shown(&label));
            to_python(Error::parameter(name, "finite numbers >= 0", got))
        })
    });
    let weights: Vec<f64> = weights.collect::<PyResult<_>>()?;
    LabelWeights::new(&labels::objects(name, &dict.keys())?, &weights).map_err(to_python)
}

/// The parameters that apply, and their values.
pub(crate) fn to_dict<'py>(py: Python<'py>, spec: &Spec) -> PyResult<Bound<'py, PyDict>> {
    let parameters = PyDict::new(py);
    for name in spec.parameters() {
        parameters.set_item(name, to_object(py, name, &spec.get(name).unwrap_or(Value::None))?)?;
    }
    Ok(parameters)
}

/// A value of a parameter as a Python object.
pub(crate) fn to_object<'py>(py: Python<'py>, name: &str, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::None => Ok(py.None().into_bound(py)),
        Value::Bool(x) => x.into_bound_py_any(py),
        Value::Int(x) if takes(name, |form| matches!(form, Form::Seed)) => (*x as u64).into_bound_py_any(py),
        Value::Int(x) => x.into_bound_py_any(py),
        Value::Float(x) => x.into_bound_py_any(py),
        Value::Text(x) => x.into_bound_py_any(py),
        Value::Floats(x) => x.into_bound_py_any(py),
        Value::LabelWeights(x) => {
            let labels = labels::labels_array(py, x.labels())?.call_method0("tolist")?;
            let labels: Vec<Bound<'py, PyAny>> = labels.extract()?;
            Ok(labels.into_iter().zip(x.weights()).into_py_dict(py)?.into_any())
        }
    }
}
