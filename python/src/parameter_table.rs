//! The table of parameters for Python: documentation, options and estimators are generated from it.

use crate::error::{reject, to_python};
use crate::parameters::{to_object, to_value};
use budgetrs::parameter::Form;
use budgetrs::params::{KernelName, Loss, Maintenance, Parameter, Value, table as rows};
use budgetrs::{Error, Spec};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// Describe every parameter.
///
/// Returns
/// -------
/// list of dict
///     For each parameter its name, the forms of its values, its valid values as text, its default, its description,
///     the parameters it depends on, and the values it applies with.
#[pyfunction]
#[pyo3(name = "_table")]
pub(crate) fn table(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    let defaults = Spec::named("bsgd-merge").map_err(to_python)?;
    for parameter in rows() {
        let info = parameter.info();
        let forms = info.forms.iter().map(|form| to_tuple(py, *form)).collect::<PyResult<Vec<_>>>()?;
        let of = PyDict::new(py);
        of.set_item("name", info.name)?;
        of.set_item("forms", forms)?;
        of.set_item("valid", info.valid_values())?;
        of.set_item("default", to_object(py, info.name, &parameter.get(&defaults))?)?;
        of.set_item("description", info.description)?;
        of.set_item("depends_on", parameter.depends_on())?;
        of.set_item("applies_with", parameter.applies_with())?;
        all.append(of)?;
    }
    Ok(all)
}

/// A form as a tuple: its kind, and its data.
fn to_tuple(py: Python<'_>, form: Form) -> PyResult<Bound<'_, PyTuple>> {
    match form {
        Form::None => ("none",).into_pyobject(py),
        Form::Flag => ("flag",).into_pyobject(py),
        Form::Bool(value) => ("bool", value).into_pyobject(py),
        Form::Count(least, most) => ("count", least, most).into_pyobject(py),
        Form::Seed => ("count", 0, u64::MAX).into_pyobject(py),
        Form::Number(range) => ("number", range.min, range.max).into_pyobject(py),
        Form::Numbers => ("numbers",).into_pyobject(py),
        Form::LabelWeights => ("label_weights",).into_pyobject(py),
        Form::Word(word) => ("word", word).into_pyobject(py),
        Form::Choice(names) => ("choice", names()).into_pyobject(py),
    }
}

/// Raise for unknown parameters, with the nearest known names.
///
/// Parameters
/// ----------
/// given, known : list of str
///     The names.
/// regression : bool
///     Whether the advice is about regressors.
///
/// Raises
/// ------
/// ParameterError
///     If a given name is not known.
#[pyfunction]
#[pyo3(name = "_reject_unknown")]
pub(crate) fn reject_unknown(given: Vec<String>, known: Vec<String>, regression: bool) -> PyResult<()> {
    let known: Vec<_> = known.iter().map(String::as_str).collect();
    let unknown = given.iter().filter(|name| !known.contains(&name.as_str()));
    reject(unknown.map(|name| Error::unknown(name, &known)), regression)
}

/// Describe the maintenance strategies, losses and kernels that an algorithm can use.
///
/// Parameters
/// ----------
/// algorithm : str
///     A name in `ALGORITHMS`.
/// regression : bool
///     Whether the targets are numbers.
///
/// Returns
/// -------
/// dict of dict
///     For "maintenance", "loss" and "kernel" each valid name with its summary or formula.
#[pyfunction]
#[pyo3(name = "_choices")]
pub(crate) fn choices<'py>(
    py: Python<'py>,
    algorithm: &str,
    regression: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = Spec::named(algorithm).map_err(to_python)?;
    let all = PyDict::new(py);
    for choice in ["maintenance", "loss", "kernel"] {
        let of = PyDict::new(py);
        for name in spec.valid_names(choice, regression) {
            let text = match choice {
                "maintenance" => Maintenance::named(name).map(|maintenance| maintenance.entry().summary),
                "loss" => Loss::named(name).map(Loss::formula),
                _ => KernelName::named(name).map(KernelName::formula),
            };
            of.set_item(name, text.map_err(to_python)?)?;
        }
        all.set_item(choice, of)?;
    }
    Ok(all)
}

/// Return the names of the parameters that apply to an algorithm.
///
/// Parameters
/// ----------
/// algorithm : str
///     A name in `ALGORITHMS`.
/// **parameters
///     Values of maintenance, loss and kernel, on which it depends which other parameters apply. They need not be
///     available for the algorithm.
///
/// Returns
/// -------
/// list of str
///     The names.
///
/// Raises
/// ------
/// ParameterError
///     If there is no algorithm of that name, or a parameter is invalid.
///
/// Examples
/// --------
/// >>> from budgetrs._core import applicable
/// >>> "degree" in applicable("pegasos", kernel="poly"), "degree" in applicable("pegasos")
/// (True, False)
#[pyfunction]
#[pyo3(signature = (algorithm, **parameters))]
pub(crate) fn applicable(
    algorithm: &str,
    parameters: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<&'static str>> {
    let mut spec = Spec::named(algorithm).map_err(to_python)?;
    for (name, value) in parameters.into_iter().flatten() {
        let name: String = name.extract()?;
        match Parameter::named(&name) {
            Some(parameter) => {
                let value = to_value(parameter.info().name, &value)?;
                parameter.set(&mut spec, &value).map_err(to_python)?;
            }
            None => spec.set(&name, &Value::None).map_err(to_python)?,
        }
    }
    Ok(spec.parameters().collect())
}
