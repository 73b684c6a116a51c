//! Labels from Python to the core and back. All labels are read here.

use crate::arrays::{as_vector, check_not_masked, is_readable_in_place};
use crate::error::{parameter_error, to_python};
use budgetrs::Error;
use budgetrs::classes::{Classes, Labels};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyType};

/// Reads labels: an array or sequence of one dimension, a single column, or a single label.
pub(crate) fn read(name: &'static str, labels: &Bound<'_, PyAny>) -> PyResult<Labels> {
    // The label of a single row needs no conversion to an array.
    if labels.is_exact_instance_of::<PyInt>() || labels.is_exact_instance_of::<PyString>() {
        return objects(name, &PyList::new(labels.py(), [labels])?);
    }
    if let Some(labels) = read_in_place(labels)? {
        return Ok(labels);
    }
    check_not_masked(name, labels)?;
    if labels.hasattr("__next__")? {
        let got = labels.get_type().name()?;
        let message = format!("{name} must be an array or a list, got a {got}: pass list({name})");
        return Err(parameter_error(&message, Some(name), None));
    }
    let numpy = labels.py().import("numpy")?;
    // The labels of a list are read one by one. NumPy would give them one type: large integers next to floats would
    // become equal floats, and numbers next to strings would become strings.
    let typed = labels.hasattr("dtype")? || labels.hasattr("__array__")?;
    let array = if typed {
        numpy.call_method1("asarray", (labels,))?
    } else {
        numpy.call_method1("asarray", (labels, "object"))?
    };
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let array = match shape[..] {
        [_] => array,
        [] | [_, 1] => array.call_method1("reshape", (-1,))?,
        _ => {
            let got = format!("{} (shape {shape:?})", shape.len());
            return Err(to_python(Error::shape(name, "1 dimension", got)));
        }
    };
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    let size: usize = dtype.getattr("itemsize")?.extract()?;
    match kind.as_str() {
        "b" => Ok(Labels::Bool(numbers(name, &array, "int64")?)),
        "i" => Ok(Labels::Int(numbers(name, &array, "int64")?)),
        "u" if size < size_of::<i64>() => Ok(Labels::Int(numbers(name, &array, "int64")?)),
        "f" if size <= size_of::<f64>() => Ok(Labels::Float(numbers(name, &array, "float64")?)),
        "u" | "f" | "U" | "T" | "O" => objects(name, &array.call_method0("tolist")?.cast_into::<PyList>()?),
        _ => {
            let advice = array.py().import("budgetrs._objects")?.call_method1("dtype_advice", (&dtype,))?;
            let expected = "integers, floats, bools or strings";
            let message = format!("{name} must hold {expected}, got dtype {}{advice}", dtype.str()?);
            Err(parameter_error(&message, Some(name), None))
        }
    }
}

/// Reads an array of one dimension whose type is int64 or float64. None for all other labels.
fn read_in_place(labels: &Bound<'_, PyAny>) -> PyResult<Option<Labels>> {
    Ok(match (labels.cast::<PyArray1<i64>>(), labels.cast::<PyArray1<f64>>()) {
        (Ok(y), _) if is_readable_in_place(y) => Some(Labels::Int(y.to_vec()?)),
        (_, Ok(y)) if is_readable_in_place(y) => Some(Labels::Float(y.to_vec()?)),
        _ => None,
    })
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

fn numbers<E: numpy::Element + Copy>(
    name: &'static str,
    array: &Bound<'_, PyAny>,
    dtype: &str,
) -> PyResult<Vec<E>> {
    let array = as_vector::<E>(name, array.call_method1("astype", (dtype,))?)?;
    Ok(array.readonly().as_array().iter().copied().collect())
}

/// Reads labels from Python objects, which must be all of one kind.
pub(crate) fn objects(name: &'static str, items: &Bound<'_, PyList>) -> PyResult<Labels> {
    if items.iter().all(|item| item.is_instance_of::<PyString>()) {
        return items.iter().map(|item| text(name, &item)).collect::<PyResult<_>>().map(Labels::Text);
    }
    let truth = |item: &Bound<'_, PyAny>| item.is_instance_of::<PyBool>() || is_numpy_bool(item);
    if items.iter().all(|item| truth(&item)) {
        let values: PyResult<_> = items.iter().map(|item| Ok(i64::from(item.is_truthy()?))).collect();
        return values.map(Labels::Bool);
    }
    // NumPy integers have __index__, NumPy floats only __float__.
    if items.iter().all(|item| !truth(&item) && item.hasattr("__index__").unwrap_or(false)) {
        return items.iter().map(|item| integer(name, &item)).collect::<PyResult<_>>().map(Labels::Int);
    }
    check_kinds(name, items)?;
    items.iter().map(|item| number(name, &item)).collect::<PyResult<_>>().map(Labels::Float)
}

/// Raises for the first label of another kind than the first label, or of no valid kind.
fn check_kinds(name: &'static str, items: &Bound<'_, PyList>) -> PyResult<()> {
    let kind = |item: &Bound<'_, PyAny>| {
        if item.is_instance_of::<PyString>() {
            "string"
        } else if item.is_instance_of::<PyBool>() || is_numpy_bool(item) {
            "bool"
        } else if item.extract::<f64>().is_ok() || item.hasattr("__index__").unwrap_or(false) {
            "number"
        } else {
            "other"
        }
    };
    let Some(first) = items.iter().next() else { return Ok(()) };
    let usual = kind(&first);
    let Some((row, item)) =
        items.iter().enumerate().find(|(_, item)| kind(item) != usual || usual == "other")
    else {
        return Ok(());
    };
    let before = if row > 0 { format!(" after {}", first.repr()?) } else { String::new() };
    let expected = "labels of one kind: all numbers, all strings or all bools";
    let message = format!("{name} must hold {expected}, got {} at row {row}{before}", item.repr()?);
    Err(parameter_error(&message, Some(name), Some(row)))
}

fn is_numpy_bool(item: &Bound<'_, PyAny>) -> bool {
    item.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_")
}

fn integer(name: &'static str, item: &Bound<'_, PyAny>) -> PyResult<i64> {
    item.extract().map_err(|_| match item.repr() {
        Ok(got) => to_python(Error::parameter(name, "integers from -2^63 to 2^63 - 1", got)),
        // `repr` of the longest integers raises.
        Err(_) => to_python(Error::parameter(name, "integers from -2^63 to 2^63 - 1", "a larger one")),
    })
}

fn number(name: &'static str, item: &Bound<'_, PyAny>) -> PyResult<f64> {
    let expected = "integers, or numbers that float64 holds exactly";
    let value: f64 = match item.extract() {
        Ok(value) => value,
        // A large integer next to floats.
        Err(_) => return Err(to_python(Error::parameter(name, expected, item.repr()?))),
    };
    // Different labels must not become equal.
    if item.is_exact_instance_of::<PyFloat>() || value.is_nan() || item.eq(value)? {
        return Ok(value);
    }
    Err(to_python(Error::parameter(name, expected, item.repr()?)))
}

/// The text with a lone surrogate, escaped, that an error is about.
pub(crate) fn surrogate(py: Python<'_>, error: &PyErr) -> Option<String> {
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return None;
    }
    Some(error.value(py).getattr("object").ok()?.repr().ok()?.to_string())
}

fn text(name: &'static str, item: &Bound<'_, PyAny>) -> PyResult<String> {
    let text: String = item.extract().map_err(|error: PyErr| {
        let Some(got) = surrogate(item.py(), &error) else { return error };
        let message = format!(
            "{name} must hold text that can be stored in UTF-8, got {got}, which has a lone surrogate"
        );
        parameter_error(&message, Some(name), None)
    })?;
    if text.ends_with('\0') {
        let expected = "strings that do not end in NUL, which numpy's string arrays drop";
        return Err(to_python(Error::parameter(name, expected, format!("{text:?}"))));
    }
    Ok(text)
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
