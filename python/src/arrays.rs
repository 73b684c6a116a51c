//! NumPy arrays of floats and integers as vectors and arrays that the core reads.

use crate::error::{parameter_error, to_python};
use crate::float_type::NumpyFloat;
use budgetrs::Error;
use budgetrs::Real;
use numpy::ndarray::{ArrayView1, Dimension};
use numpy::{PyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Reads floats of one dimension, or of two with a single column.
pub(crate) fn read_floats(name: &'static str, floats: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let (mut array, _) = to_floats::<f64>(name, floats)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if let [_, 1] = shape[..] {
        array = array.call_method1("reshape", (-1,))?;
    }
    let array = as_vector::<f64>(name, array)?;
    Ok(array.try_readonly()?.as_array().to_vec())
}

/// Reads row indices.
pub(crate) fn read_order(order: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let negative = |row| to_python(Error::parameter("order", "row indices >= 0", row));
    let indices = |rows: ArrayView1<'_, i64>| {
        rows.iter().map(|&row| usize::try_from(row).map_err(|_| negative(row))).collect()
    };
    if let Ok(rows) = order.cast::<PyArray1<i64>>()
        && is_readable_in_place(rows)
    {
        return indices(rows.try_readonly()?.as_array());
    }
    let array = order.py().import("numpy")?.call_method1("asarray", (order,))?;
    let dtype = array.getattr("dtype")?;
    if !matches!(dtype.getattr("kind")?.extract()?, 'i' | 'u') {
        return Err(PyTypeError::new_err(format!("order must hold integers, got dtype {}", dtype.str()?)));
    }
    let array = as_vector::<i64>("order", array.call_method1("astype", ("int64",))?)?;
    indices(array.readonly().as_array())
}

/// The array as a vector. Raises if it does not have one dimension.
pub(crate) fn as_vector<'py, T: numpy::Element>(
    name: &'static str,
    array: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    array.cast_into::<PyArray1<T>>().or_else(|error| {
        let shape: Vec<usize> = error.into_inner().getattr("shape")?.extract()?;
        let got = format!("{} (shape {shape:?})", shape.len());
        Err(to_python(Error::shape(name, "1 dimension", got)))
    })
}

/// Whether the core can read the array in place: C-contiguous, aligned, and no subclass, which may have a mask.
pub(crate) fn is_readable_in_place<T: numpy::Element, D: Dimension>(
    array: &Bound<'_, PyArray<T, D>>,
) -> bool {
    array.is_exact_instance_of::<PyUntypedArray>()
        && array.is_c_contiguous()
        && (array.data() as usize).is_multiple_of(align_of::<T>())
}

/// Converts to aligned, native, C-contiguous floats of type `T`. Raises if a value overflows.
///
/// Returns the array, and whether it is private: a copy that only this call has, not memory of the user.
pub(crate) fn to_floats<'py, T: NumpyFloat>(
    name: &'static str,
    x: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, bool)> {
    if x.cast::<PyArrayDyn<T>>().is_ok_and(is_readable_in_place) {
        return Ok((x.clone(), false));
    }
    let py = x.py();
    check_not_masked(name, x)?;
    let numpy = py.import("numpy")?;
    let array = py.import("budgetrs._objects")?.call_method1("numbers", (x, name))?;
    let options = PyDict::new(py);
    options.set_item("over", "ignore")?;
    let quiet = numpy.call_method("errstate", (), Some(&options))?;
    quiet.call_method0("__enter__")?;
    let floats = numpy.call_method1("require", (&array, T::NAME, ("C", "A")));
    quiet.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    let floats = floats?;
    check_overflow::<T>(name, &numpy, &array, &floats)?;
    let address = |array: &Bound<'py, PyAny>| array.cast::<PyArrayDyn<T>>().ok().map(PyArrayMethods::data);
    let is_private = address(&floats) != address(&array);
    Ok((floats, is_private))
}

/// Raises for a masked array with masked values: these can be neither learned nor predicted.
pub(crate) fn check_not_masked(name: &str, x: &Bound<'_, PyAny>) -> PyResult<()> {
    if x.is_exact_instance_of::<PyUntypedArray>() || !x.hasattr("mask")? {
        return Ok(());
    }
    let ma = x.py().import("numpy.ma")?;
    if x.is_instance(&ma.getattr("MaskedArray")?)? && ma.call_method1("is_masked", (x,))?.is_truthy()? {
        let message = format!(
            "{name} must have a value everywhere, got an array with masked ones; fill them or leave their rows out"
        );
        return Err(parameter_error(&message, Some(name), None));
    }
    Ok(())
}

/// Raises for finite numbers that have become infinite in the model's float type.
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
    let infinite = numpy.call_method1("isinf", (to,))?;
    let finite = numpy.call_method1("isfinite", (from,))?;
    if numpy.call_method1("logical_and", (infinite, finite))?.call_method0("any")?.is_truthy()? {
        let expected = format!("values within the range of {}", T::NAME);
        return Err(to_python(Error::shape(name, expected, "larger ones")));
    }
    Ok(())
}
