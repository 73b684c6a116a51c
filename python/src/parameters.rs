//! Keyword arguments as a `Spec`, and the parameters of a `Spec` as a dict.

use crate::error::to_python;
use crate::labels;
use budgetrs::Error;
use budgetrs::classes::LabelWeights;
use budgetrs::parameter::Form;
use budgetrs::params::{Algorithm, Parameter, Value, table};
use budgetrs::{CheckedSpec, Spec};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// The longest value, in bytes, that an error shows.
const MAX_SHOWN: usize = 60;

/// The name of an algorithm, the only positional argument of the native classes.
pub(crate) struct AlgorithmName(pub(crate) String);

impl Default for AlgorithmName {
    fn default() -> Self {
        Self("online-kernel".to_owned())
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for AlgorithmName {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = given.cast::<PyString>() {
            return Ok(Self(name.to_str()?.to_owned()));
        }
        let got = format!("{}; pass all other parameters by name", given.repr()?);
        Err(to_python(Error::parameter("algorithm", Algorithm::EXPECTED, got)))
    }
}

/// Sets parameters of a specification. `own` are arguments of the class that are no parameters.
pub(crate) fn from_keywords(
    mut spec: Spec,
    keywords: Option<&Bound<'_, PyDict>>,
    own: &[&'static str],
) -> PyResult<Spec> {
    let Some(keywords) = keywords else { return Ok(spec) };
    // In the order of the table: a parameter comes after those that decide whether it applies.
    for parameter in table() {
        let name = parameter.info().name;
        if let Some(value) = keywords.get_item(name)? {
            spec.set(name, &to_value(name, &value)?).map_err(to_python)?;
        }
    }
    for (name, _) in keywords {
        let name: String = name.extract()?;
        if Parameter::named(&name).is_none() {
            let known: Vec<_> = spec.parameters().chain(own.iter().copied()).collect();
            return Err(to_python(Error::unknown(&name, &known)));
        }
    }
    Ok(spec)
}

/// Checks a specification. The error has the value as the caller spelled it, such as `True` for an average of 0.5.
pub(crate) fn check(spec: &Spec, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<CheckedSpec> {
    spec.check().map_err(|mut error| {
        if let Error::Combination { name, got, .. } = &mut error
            && let Some(Ok(Some(value))) = keywords.map(|keywords| keywords.get_item(*name))
            && let Ok(value) = to_value(name, &value)
        {
            *got = value.to_string();
        }
        to_python(error)
    })
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
        let kind = given.get_type().name().map_or_else(|_| "another".into(), |name| name.to_string());
        let shown = given.repr().map_or(String::new(), |text| text.to_string());
        let is_short = takes_numbers && shown.len() <= MAX_SHOWN;
        let got = if is_short { shown } else { format!("an object of type {kind}") };
        let valid = Parameter::named(name).map_or(String::new(), |parameter| parameter.info().valid_values());
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
    let shown =
        |object: &Bound<'_, PyAny>| object.repr().map_or_else(|_| "?".into(), |text| text.to_string());
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
        parameters.set_item(name, to_object(py, name, &spec.get(name).unwrap_or(Value::None)))?;
    }
    Ok(parameters)
}

/// A value of a parameter as a Python object.
pub(crate) fn to_object<'py>(py: Python<'py>, name: &str, value: &Value) -> Bound<'py, PyAny> {
    match value {
        Value::None => py.None().into_bound(py),
        Value::Bool(x) => PyBool::new(py, *x).to_owned().into_any(),
        Value::Int(x) if takes(name, |form| matches!(form, Form::Seed)) => {
            PyInt::new(py, *x as u64).into_any()
        }
        Value::Int(x) => PyInt::new(py, *x).into_any(),
        Value::Float(x) => PyFloat::new(py, *x).into_any(),
        Value::Text(x) => PyString::new(py, x).into_any(),
        Value::LabelWeights(x) => {
            weights_dict(py, x).map_or_else(|_| py.None().into_bound(py), Bound::into_any)
        }
        Value::Floats(x) => PyList::new(py, x).map_or_else(|_| py.None().into_bound(py), Bound::into_any),
    }
}

/// A dict of labels and their weights.
fn weights_dict<'py>(py: Python<'py>, weights: &LabelWeights) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let labels = labels::labels_array(py, weights.labels())?.call_method0("tolist")?;
    for (label, weight) in labels.try_iter()?.zip(weights.weights()) {
        dict.set_item(label?, weight)?;
    }
    Ok(dict)
}
