//! Numbers between numpy and the core.

use crate::error::{refused, to_python};
use crate::float_type::NumpyFloat;
use budgetrs::Error;
use budgetrs::Real;
use numpy::ndarray::{ArrayView1, Dimension};
use numpy::{PyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One-dimensional numbers, or a column of them.
pub(crate) fn read(name: &'static str, numbers: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let mut array = floats::<f64>(name, numbers)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if let [_, 1] = shape[..] {
        array = array.call_method1("reshape", (-1,))?;
    }
    let array = vector::<f64>(name, array)?;
    Ok(array.try_readonly()?.as_array().to_vec())
}

/// Numbers of rows.
pub(crate) fn read_order(order: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let refused = |row| to_python(Error::parameter("order", "numbers of rows, from 0 on", row));
    let numbers = |rows: ArrayView1<'_, i64>| {
        rows.iter().map(|&row| usize::try_from(row).map_err(|_| refused(row))).collect()
    };
    if let Ok(rows) = order.cast::<PyArray1<i64>>()
        && is_plain(rows)
    {
        return numbers(rows.try_readonly()?.as_array());
    }
    let array = order.py().import("numpy")?.call_method1("asarray", (order,))?;
    let dtype = array.getattr("dtype")?;
    if !matches!(dtype.getattr("kind")?.extract()?, 'i' | 'u') {
        return Err(PyTypeError::new_err(format!("order must hold integers, got dtype {}", dtype.str()?)));
    }
    let array = vector::<i64>("order", array.call_method1("astype", ("int64",))?)?;
    numbers(array.readonly().as_array())
}

/// An array that must have one dimension.
pub(crate) fn vector<'py, T: numpy::Element>(
    name: &'static str,
    array: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    array.cast_into::<PyArray1<T>>().or_else(|error| {
        let shape: Vec<usize> = error.into_inner().getattr("shape")?.extract()?;
        let got = format!("{} (shape {shape:?})", shape.len());
        Err(to_python(Error::shape(name, "1 dimension", got)))
    })
}

/// Whether the core can read the array in place: C-contiguous, aligned, and not of a subclass, which may carry a mask.
pub(crate) fn is_plain<T: numpy::Element, D: Dimension>(array: &Bound<'_, PyArray<T, D>>) -> bool {
    array.is_exact_instance_of::<PyUntypedArray>()
        && array.is_c_contiguous()
        && (array.data() as usize).is_multiple_of(align_of::<T>())
}

/// The one conversion: aligned, native, contiguous floats of type `T`, finite where the input was.
pub(crate) fn floats<'py, T: NumpyFloat>(
    name: &'static str,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if x.cast::<PyArrayDyn<T>>().is_ok_and(is_plain) {
        return Ok(x.clone());
    }
    let py = x.py();
    refuse_masked(name, x)?;
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (x,)).map_err(|error| not_numbers(py, name, &error))?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "b" | "i" | "u" | "f" | "O") {
        let message = format!("{name} must hold real numbers, got dtype {}", dtype.str()?);
        return Err(refused(&message, Some(name), None));
    }
    let options = PyDict::new(py);
    options.set_item("over", "ignore")?;
    let quiet = numpy.call_method("errstate", (), Some(&options))?;
    quiet.call_method0("__enter__")?;
    let cast = numpy.call_method1("require", (&array, T::NAME, ("C", "A")));
    quiet.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    let cast = cast
        .map_err(|error| if holds_dicts(&array) { no_dicts(name) } else { not_numbers(py, name, &error) })?;
    check_overflow::<T>(name, &numpy, &array, &cast)?;
    Ok(cast)
}

/// Refuses an array some of whose numbers are hidden: what is not there can be neither learned nor predicted.
pub(crate) fn refuse_masked(name: &str, x: &Bound<'_, PyAny>) -> PyResult<()> {
    if x.is_exact_instance_of::<PyUntypedArray>() || !x.hasattr("mask")? {
        return Ok(());
    }
    let ma = x.py().import("numpy.ma")?;
    if x.is_instance(&ma.getattr("MaskedArray")?)? && ma.call_method1("is_masked", (x,))?.is_truthy()? {
        let message = format!(
            "{name} must have a value everywhere, got an array with masked ones; fill them or leave their rows out"
        );
        return Err(refused(&message, Some(name), None));
    }
    Ok(())
}

/// Whether an array of objects is a dict, or begins with one.
fn holds_dicts(array: &Bound<'_, PyAny>) -> bool {
    let first = array.getattr("flat").and_then(|all| all.get_item(0));
    first.is_ok_and(|first| first.is_instance_of::<PyDict>())
}

fn no_dicts(name: &'static str) -> PyErr {
    let message = format!(
        "{name} must hold numbers, got a dict; the models of budgetrs.river take rows that are dicts"
    );
    refused(&message, Some(name), None)
}

/// What numpy says of objects that are no numbers, with the name of the argument.
fn not_numbers(py: Python<'_>, name: &str, error: &PyErr) -> PyErr {
    let message = format!("{name} must hold numbers: {}", error.value(py));
    let of_numpy = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py);
    if of_numpy { refused(&message, Some(name), None) } else { error.clone_ref(py) }
}

/// Refuses finite numbers that the model's type cannot hold.
fn check_overflow<T: Real>(
    name: &'static str,
    numpy: &Bound<'_, PyModule>,
    from: &Bound<'_, PyAny>,
    to: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let dtype = from.getattr("dtype")?;
    if dtype.getattr("kind")?.eq("O")? || dtype.getattr("itemsize")?.extract::<usize>()? <= size_of::<T>() {
        return Ok(());
    }
    let lost = numpy.call_method1("isinf", (to,))?;
    let finite = numpy.call_method1("isfinite", (from,))?;
    if numpy.call_method1("logical_and", (lost, finite))?.call_method0("any")?.is_truthy()? {
        let expected = format!("values within the range of {}", T::NAME);
        return Err(to_python(Error::shape(name, expected, "larger ones")));
    }
    Ok(())
}
