//! numpy labels to the core's and back: the only place where a Python label is read.

use super::error::to_python;
use crate::classes::{Classes, RawLabels};
use crate::error::Error;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString};

/// Labels from a one-dimensional array or sequence, or a column of them.
pub(super) fn read(py: Python<'_>, name: &'static str, labels: &Bound<'_, PyAny>) -> PyResult<RawLabels> {
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (labels,))?;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    let array = match dimensions {
        0 => array.call_method1("reshape", (1,))?,
        1 => array,
        _ => {
            let shape: Vec<usize> = array.getattr("shape")?.extract()?;
            if shape.len() != 2 || shape[1] != 1 {
                return Err(to_python(Error::shape(name, "1 dimension", format!("{shape:?}"))));
            }
            array.call_method1("reshape", (-1,))?
        }
    };
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let cast = |dtype: &str| array.call_method1("astype", (dtype,));
    match kind.as_str() {
        "b" => Ok(RawLabels::Bool(numbers::<i64>(&cast("int64")?)?)),
        "i" => Ok(RawLabels::Int(numbers::<i64>(&cast("int64")?)?)),
        "u" => {
            let largest = if array.len()? == 0 { 0 } else { array.call_method0("max")?.extract::<u64>()? };
            if i64::try_from(largest).is_err() {
                return Err(to_python(Error::parameter(name, "integers of 64 bits with a sign", largest)));
            }
            Ok(RawLabels::Int(numbers::<i64>(&cast("int64")?)?))
        }
        "f" => Ok(RawLabels::Float(numbers::<f64>(&cast("float64")?)?)),
        "U" | "O" => objects(name, &array),
        other => Err(PyTypeError::new_err(format!(
            "{name} must hold integers, floats, truth values or texts, got an array of kind {other:?}"
        ))),
    }
}

fn numbers<E: numpy::Element + Copy>(array: &Bound<'_, PyAny>) -> PyResult<Vec<E>> {
    let array = array.cast::<PyArray1<E>>()?;
    Ok(array.readonly().as_array().iter().copied().collect())
}

/// Labels of an array of texts or of Python objects that are all of one kind.
fn objects(name: &str, array: &Bound<'_, PyAny>) -> PyResult<RawLabels> {
    let items = array.call_method0("tolist")?;
    let items = items.cast::<PyList>()?;
    if items.iter().all(|item| item.is_instance_of::<PyString>()) {
        return Ok(RawLabels::Text(items.extract()?));
    }
    if items.iter().all(|item| item.is_instance_of::<PyBool>()) {
        return Ok(RawLabels::Bool(items.extract::<Vec<bool>>()?.into_iter().map(i64::from).collect()));
    }
    if let Ok(integers) = items.extract::<Vec<i64>>() {
        return Ok(RawLabels::Int(integers));
    }
    items.extract::<Vec<f64>>().map(RawLabels::Float).map_err(|_| {
        PyTypeError::new_err(format!(
            "{name} must hold labels of one kind: all numbers, all texts or all truth values"
        ))
    })
}

/// The classes as a numpy array.
pub(super) fn to_array<'py>(py: Python<'py>, classes: &Classes) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    match classes {
        Classes::Bool => numpy.call_method1("array", (vec![false, true],)),
        Classes::Int(c) => Ok(PyArray1::from_slice(py, c).into_any()),
        Classes::Float(c) => Ok(PyArray1::from_slice(py, c).into_any()),
        Classes::Text(c) => numpy.call_method1("array", (c,)),
    }
}
