//! Labels from Python to the core and back. `budgetrs._labels` converts array-likes.

use crate::array_input::readable_vector;
use budgetrs::classes::{Classes, Labels};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyType};

const MODULE: &str = "budgetrs._labels";

/// Reads labels: an array or sequence of one dimension, a single column, or a single label.
pub(crate) fn read(name: &str, labels: &Bound<'_, PyAny>) -> PyResult<Labels> {
    // The label of a single row needs no conversion to an array. A single class is an error.
    let is_label = name != "classes";
    if is_label
        && let Ok(label) = labels.cast_exact::<PyInt>()
        && let Ok(label) = label.extract()
    {
        return Ok(Labels::Int(vec![label]));
    }
    if is_label
        && let Ok(label) = labels.cast_exact::<PyString>()
        && let Ok(text) = label.to_str()
        && !text.ends_with('\0')
    {
        return Ok(Labels::Text(vec![text.to_owned()]));
    }
    if let Some(labels) = readable_vector::<i64>(labels) {
        return Ok(Labels::Int(labels.to_vec()?));
    }
    if let Some(labels) = readable_vector::<f64>(labels) {
        return Ok(Labels::Float(labels.to_vec()?));
    }
    from_python(&labels.py().import(MODULE)?.call_method1("labels", (labels, name))?)
}

/// Reads labels from a list of Python objects, which must be all of one kind.
pub(crate) fn objects(name: &str, items: &Bound<'_, PyList>) -> PyResult<Labels> {
    from_python(&items.py().import(MODULE)?.call_method1("objects", (items, name))?)
}

/// The labels that `budgetrs._labels` has converted.
fn from_python(labels: &Bound<'_, PyAny>) -> PyResult<Labels> {
    if let Ok(labels) = labels.cast::<PyList>() {
        return labels.extract().map(Labels::Text);
    }
    if let Ok(labels) = labels.cast::<PyArray1<i64>>() {
        return Ok(Labels::Int(labels.to_vec()?));
    }
    if let Ok(labels) = labels.cast::<PyArray1<f64>>() {
        return Ok(Labels::Float(labels.to_vec()?));
    }
    let labels = labels.cast::<PyArray1<bool>>()?;
    Ok(Labels::Bool(labels.readonly().as_array().iter().map(|label| i64::from(*label)).collect()))
}

/// The index of a label among the classes. The label must have exactly their Python type or the NumPy scalar type. None
/// for all other labels, which [`read`] must read.
pub(crate) fn known_class(y: &Bound<'_, PyAny>, classes: &Classes) -> Option<usize> {
    match classes {
        Classes::Int(classes) if is_exactly::<PyInt>(y, &INT64, "int64") => {
            let y: i64 = y.extract().ok()?;
            classes.iter().position(|class| *class == y)
        }
        Classes::Float(classes) if is_exactly::<PyFloat>(y, &FLOAT64, "float64") => {
            let y: f64 = y.extract().ok()?;
            classes.iter().position(|class| *class == y)
        }
        Classes::Text(classes) if is_exactly::<PyString>(y, &STR, "str_") => {
            let y = y.cast::<PyString>().ok()?.to_str().ok()?;
            classes.iter().position(|class| *class == y)
        }
        Classes::Bool if is_exactly::<PyBool>(y, &BOOL, "bool_") => y.is_truthy().ok().map(usize::from),
        Classes::Int(_) | Classes::Float(_) | Classes::Text(_) | Classes::Bool => None,
    }
}

/// A cached scalar type of NumPy.
type ScalarType = PyOnceLock<Py<PyType>>;

static INT64: ScalarType = ScalarType::new();
static FLOAT64: ScalarType = ScalarType::new();
static STR: ScalarType = ScalarType::new();
static BOOL: ScalarType = ScalarType::new();

/// Whether the type of an object is exactly a Python type or the NumPy scalar type of this name, not a subclass.
fn is_exactly<T: PyTypeInfo>(object: &Bound<'_, PyAny>, scalar: &ScalarType, name: &str) -> bool {
    let scalar = || scalar.import(object.py(), "numpy", name);
    object.is_exact_instance_of::<T>() || scalar().is_ok_and(|scalar| object.is_exact_instance(scalar))
}

/// The text with a lone surrogate, escaped, that an error is about.
pub(crate) fn surrogate(py: Python<'_>, error: &PyErr) -> Option<String> {
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return None;
    }
    Some(error.value(py).getattr("object").ok()?.repr().ok()?.to_string())
}

/// Labels as a NumPy array.
pub(crate) fn labels_array<'py>(py: Python<'py>, labels: &Labels) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    match labels {
        Labels::Bool(y) => numpy.call_method1("array", (y, "bool")),
        Labels::Int(y) => Ok(PyArray1::from_slice(py, y).into_any()),
        Labels::Float(y) => Ok(PyArray1::from_slice(py, y).into_any()),
        Labels::Text(y) => numpy.call_method1("array", (y, "str")),
    }
}

/// The classes as Python objects: an array, and a list of the same labels.
pub(crate) struct ClassObjects {
    pub(crate) count: usize,
    pub(crate) array: Py<PyAny>,
    pub(crate) labels: Py<PyList>,
}

impl ClassObjects {
    pub(crate) fn new(py: Python<'_>, classes: &Classes) -> PyResult<Self> {
        let array = labels_array(py, &classes.labels())?;
        let labels = array.call_method0("tolist")?.cast_into::<PyList>()?;
        Ok(Self { count: classes.len(), array: array.unbind(), labels: labels.unbind() })
    }
}
