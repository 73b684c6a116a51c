//! Python's labels to the core's and back: the only place where one is read.

use crate::arrays::{as_vector, is_readable_in_place, refuse_masked};
use crate::error::{parameter_error, to_python};
use budgetrs::Error;
use budgetrs::classes::{Classes, RawLabels};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyType};

/// Labels from a one-dimensional array or sequence, or a column of them, or a single one.
pub(crate) fn read(name: &'static str, labels: &Bound<'_, PyAny>) -> PyResult<RawLabels> {
    // The label of a single row, which need not become an array first.
    if labels.is_exact_instance_of::<PyInt>() || labels.is_exact_instance_of::<PyString>() {
        return objects(name, &PyList::new(labels.py(), [labels])?);
    }
    if let Some(labels) = typed(labels)? {
        return Ok(labels);
    }
    refuse_masked(name, labels)?;
    let numpy = labels.py().import("numpy")?;
    // A list is taken label by label: numpy would give them one type, which turns large integers into floats that are
    // equal, and numbers beside strings into strings.
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
        "b" => Ok(RawLabels::Bool(numbers(name, &array, "int64")?)),
        "i" => Ok(RawLabels::Int(numbers(name, &array, "int64")?)),
        "u" if size < size_of::<i64>() => Ok(RawLabels::Int(numbers(name, &array, "int64")?)),
        "f" if size <= size_of::<f64>() => Ok(RawLabels::Float(numbers(name, &array, "float64")?)),
        "u" | "f" | "U" | "T" | "O" => objects(name, &array.call_method0("tolist")?.cast_into::<PyList>()?),
        _ => {
            let message =
                format!("{name} must hold integers, floats, bools or strings, got dtype {}", dtype.str()?);
            Err(parameter_error(&message, Some(name), None))
        }
    }
}

/// Labels that are an array of one dimension and of numpy's usual types.
fn typed(labels: &Bound<'_, PyAny>) -> PyResult<Option<RawLabels>> {
    if let Ok(y) = labels.cast::<PyArray1<i64>>()
        && is_readable_in_place(y)
    {
        return Ok(Some(RawLabels::Int(y.to_vec()?)));
    }
    if let Ok(y) = labels.cast::<PyArray1<f64>>()
        && is_readable_in_place(y)
    {
        return Ok(Some(RawLabels::Float(y.to_vec()?)));
    }
    Ok(None)
}

/// The class of a label that is a plain object, or a scalar of numpy, of the kind of the classes, and is one of them.
/// None of all others: [`read`] looks closer.
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

/// A type of numpy's scalars, once it has been looked up.
type Scalar = PyOnceLock<Py<PyType>>;

static INT64: Scalar = Scalar::new();
static FLOAT64: Scalar = Scalar::new();
static STR: Scalar = Scalar::new();
static BOOL: Scalar = Scalar::new();

/// Whether an object is of a type of Python or of the scalar type of numpy with this name, but of none that is derived
/// from them.
fn is_exactly<T: PyTypeInfo>(object: &Bound<'_, PyAny>, scalar: &Scalar, name: &str) -> bool {
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

/// Labels of Python objects that are all of one kind.
fn objects(name: &'static str, items: &Bound<'_, PyList>) -> PyResult<RawLabels> {
    if items.iter().all(|item| item.is_instance_of::<PyString>()) {
        return items.iter().map(|item| text(name, &item)).collect::<PyResult<_>>().map(RawLabels::Text);
    }
    let truth = |item: &Bound<'_, PyAny>| item.is_instance_of::<PyBool>() || is_numpy_bool(item);
    if items.iter().all(|item| truth(&item)) {
        let values: PyResult<_> = items.iter().map(|item| Ok(i64::from(item.is_truthy()?))).collect();
        return values.map(RawLabels::Bool);
    }
    // numpy's integers have __index__, its floats only __float__.
    if items.iter().all(|item| !truth(&item) && item.hasattr("__index__").unwrap_or(false)) {
        return items.iter().map(|item| integer(name, &item)).collect::<PyResult<_>>().map(RawLabels::Int);
    }
    refuse_kinds(name, items)?;
    items.iter().map(|item| number(name, &item)).collect::<PyResult<_>>().map(RawLabels::Float)
}

/// Refuses labels of several kinds, or of none: the first one that is not like those before.
fn refuse_kinds(name: &'static str, items: &Bound<'_, PyList>) -> PyResult<()> {
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
        // Python refuses to write out the longest.
        Err(_) => to_python(Error::parameter(name, "integers from -2^63 to 2^63 - 1", "a larger one")),
    })
}

fn number(name: &'static str, item: &Bound<'_, PyAny>) -> PyResult<f64> {
    let expected = "integers, or numbers that float64 holds exactly";
    let value: f64 = match item.extract() {
        Ok(value) => value,
        // A large integer among floats.
        Err(_) => return Err(to_python(Error::parameter(name, expected, item.repr()?))),
    };
    // Labels that are not equal must not become so.
    if item.is_exact_instance_of::<PyFloat>() || value.is_nan() || item.eq(value)? {
        return Ok(value);
    }
    Err(to_python(Error::parameter(name, expected, item.repr()?)))
}

fn text(name: &'static str, item: &Bound<'_, PyAny>) -> PyResult<String> {
    let text: String = item.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyUnicodeEncodeError>(item.py()) {
            parameter_error(
                &format!("{name} must hold Unicode strings, got one with a lone surrogate"),
                Some(name),
                None,
            )
        } else {
            error
        }
    })?;
    if text.ends_with('\0') {
        let expected = "strings that do not end in NUL, which numpy's string arrays drop";
        return Err(to_python(Error::parameter(name, expected, format!("{text:?}"))));
    }
    Ok(text)
}

/// Labels as a numpy array.
pub(crate) fn labels_array<'py>(py: Python<'py>, labels: &RawLabels) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    match labels {
        RawLabels::Bool(y) => numpy.call_method1("array", (y, "bool")),
        RawLabels::Int(y) => Ok(PyArray1::from_slice(py, y).into_any()),
        RawLabels::Float(y) => Ok(PyArray1::from_slice(py, y).into_any()),
        RawLabels::Text(y) => numpy.call_method1("array", (y, "str")),
    }
}

/// The classes as a numpy array.
pub(crate) fn to_array<'py>(py: Python<'py>, classes: &Classes) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    match classes {
        Classes::Bool => numpy.call_method1("array", (vec![false, true],)),
        Classes::Int(c) => Ok(PyArray1::from_slice(py, c).into_any()),
        Classes::Float(c) => Ok(PyArray1::from_slice(py, c).into_any()),
        Classes::Text(c) => numpy.call_method1("array", (c,)),
    }
}

/// The classes as Python's objects: an array, and a list of its labels.
pub(crate) struct ClassObjects {
    pub(crate) count: usize,
    pub(crate) array: Py<PyAny>,
    pub(crate) labels: Py<PyList>,
}

impl ClassObjects {
    pub(crate) fn new(py: Python<'_>, classes: &Classes) -> PyResult<Self> {
        let array = to_array(py, classes)?;
        let labels = array.call_method0("tolist")?.cast_into::<PyList>()?;
        Ok(Self { count: classes.len(), array: array.unbind(), labels: labels.unbind() })
    }
}
