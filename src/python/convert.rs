//! Arrays to views of rows: C-contiguous float32 and float64 without a copy, everything else through one conversion.

use super::error::to_python;
use crate::error::Error;
use crate::float::Real;
use crate::learner::Rows;
use numpy::{
    PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The float type of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dtype {
    F32,
    F64,
}

/// A batch of input, borrowed from Python for the length of a call.
pub(super) enum Input<'py, T: numpy::Element> {
    Dense(PyReadonlyArray2<'py, T>),
    Sparse { indptr: Vec<usize>, indices: Vec<u32>, values: PyReadonlyArray1<'py, T>, columns: usize },
}

impl<T: Real + numpy::Element> Input<'_, T> {
    /// The rows, for code that does not know Python.
    pub(super) fn rows(&self) -> Rows<'_, T> {
        match self {
            Self::Dense(array) => Rows::Dense(array.as_array()),
            Self::Sparse { indptr, indices, values, columns } => {
                // The conversion made the values contiguous.
                let values = values.as_slice().unwrap_or(&[]);
                Rows::Sparse { indptr, indices, values, columns: *columns }
            }
        }
    }
}

fn is_sparse(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(x.hasattr("tocsr")? && x.hasattr("nnz")?)
}

/// The float type that a model takes from a first batch: float32 from float32 and float16, else float64.
pub(super) fn dtype_of(py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<Dtype> {
    let dtype = match x.getattr("dtype") {
        Ok(dtype) => dtype,
        Err(_) => py.import("numpy")?.call_method1("asarray", (x,))?.getattr("dtype")?,
    };
    let (Ok(kind), Ok(size)) = (dtype.getattr("kind"), dtype.getattr("itemsize")) else {
        return Ok(Dtype::F64);
    };
    let single = kind.extract::<String>()? == "f" && size.extract::<usize>()? <= 4;
    Ok(if single { Dtype::F32 } else { Dtype::F64 })
}

/// A batch as rows of `T`.
pub(super) fn batch<'py, T: Real + numpy::Element>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
) -> PyResult<Input<'py, T>> {
    if let Ok(array) = x.cast::<PyArray2<T>>()
        && is_plain(array)
    {
        return Ok(Input::Dense(array.try_readonly()?));
    }
    if is_sparse(x)? {
        return sparse(py, x);
    }
    let array = floats::<T>(py, x)?;
    let array = match array.cast_into::<PyArray2<T>>() {
        Ok(array) => array,
        Err(error) => {
            let array = error.into_inner();
            let shape: Vec<usize> = array.getattr("shape")?.extract()?;
            let got = format!("{} (shape {shape:?}). Reshape your data: one row to the example", shape.len());
            return Err(to_python(Error::shape("X", "2 dimensions", got)));
        }
    };
    Ok(Input::Dense(array.try_readonly()?))
}

/// One row.
pub(super) fn row<'py, T: Real + numpy::Element>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
) -> PyResult<Input<'py, T>> {
    if is_sparse(x)? {
        return sparse(py, x);
    }
    let array = match x.cast::<PyArray1<T>>() {
        Ok(array) if is_plain(array) => array.clone().into_any(),
        _ => floats::<T>(py, x)?,
    };
    let Ok(array) = array.cast_into::<PyArray1<T>>() else {
        return Err(to_python(Error::shape("x", "1 dimension", "another number")));
    };
    let array = array.reshape([1, array.len()])?;
    Ok(Input::Dense(array.try_readonly()?))
}

/// Whether the core can read it as it lies.
fn is_plain<T: numpy::Element, D: ndarray::Dimension>(array: &Bound<'_, PyArray<T, D>>) -> bool {
    array.is_c_contiguous() && (array.data() as usize).is_multiple_of(align_of::<T>())
}

/// The one conversion: aligned, native, contiguous floats of type `T`, finite where the input was.
fn floats<'py, T: Real + numpy::Element>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (x,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind == "c" {
        return Err(to_python(Error::shape("X", "real numbers", "Complex data not supported")));
    }
    if matches!(kind.as_str(), "U" | "S") {
        let got = array.getattr("dtype")?.str()?;
        return Err(to_python(Error::shape("X", "numbers", format!("texts (dtype {got})"))));
    }
    if !matches!(kind.as_str(), "b" | "i" | "u" | "f" | "O") {
        let got = array.getattr("dtype")?.str()?;
        return Err(PyTypeError::new_err(format!("X must hold numbers, got dtype {got}")));
    }
    let options = pyo3::types::PyDict::new(py);
    options.set_item("over", "ignore")?;
    let quiet = numpy.call_method("errstate", (), Some(&options))?;
    quiet.call_method0("__enter__")?;
    let cast = numpy.call_method1("require", (&array, T::NAME, ("C", "A")));
    quiet.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    let cast = cast.map_err(|error| not_numbers(py, "X", &error))?;
    check_overflow(&numpy, &array, &cast)?;
    Ok(cast)
}

/// What numpy says of objects that are no numbers, with the name of the argument.
pub(super) fn not_numbers(py: Python<'_>, name: &str, error: &PyErr) -> PyErr {
    let message = format!("{name} must hold numbers: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(message)
    } else if error.is_instance_of::<PyValueError>(py) {
        PyValueError::new_err(message)
    } else {
        error.clone_ref(py)
    }
}

/// Refuses finite numbers that the model's type cannot hold.
fn check_overflow(
    numpy: &Bound<'_, PyModule>,
    from: &Bound<'_, PyAny>,
    to: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let size = |array: &Bound<'_, PyAny>| array.getattr("dtype")?.getattr("itemsize")?.extract::<usize>();
    let kind: String = from.getattr("dtype")?.getattr("kind")?.extract()?;
    if kind == "O" || size(from)? <= size(to)? {
        return Ok(());
    }
    let lost = numpy.call_method1("isinf", (to,))?;
    let finite = numpy.call_method1("isfinite", (from,))?;
    let lost = numpy.call_method1("logical_and", (lost, finite))?;
    if lost.call_method0("any")?.is_truthy()? {
        let name = to.getattr("dtype")?.str()?;
        return Err(to_python(Error::shape(
            "X",
            format!("values within the range of {name}"),
            "larger ones",
        )));
    }
    Ok(())
}

/// A scipy sparse matrix as compressed rows, duplicates summed and indices sorted.
fn sparse<'py, T: Real + numpy::Element>(py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Input<'py, T>> {
    let mut csr = x.call_method0("tocsr")?;
    if !csr.getattr("has_canonical_format")?.is_truthy()? {
        csr = csr.call_method0("copy")?;
        csr.call_method0("sum_duplicates")?;
    }
    let shape: Vec<usize> = csr.getattr("shape")?.extract()?;
    let [_, columns] = shape[..] else {
        return Err(to_python(Error::shape("X", "2 dimensions", shape.len())));
    };
    let values = floats::<T>(py, &csr.getattr("data")?)?.cast_into::<PyArray1<T>>()?;
    let integers = |name: &str| -> PyResult<Vec<i64>> {
        let array = csr.getattr(name)?.call_method1("astype", ("int64",))?;
        let array = array.cast_into::<PyArray1<i64>>()?;
        Ok(array.readonly().as_array().iter().copied().collect())
    };
    let refused = |_| to_python(Error::shape("X", "indices from 0 on, of 32 bits", "others"));
    let indptr: Result<Vec<usize>, _> = integers("indptr")?.into_iter().map(usize::try_from).collect();
    let indices: Result<Vec<u32>, _> = integers("indices")?.into_iter().map(u32::try_from).collect();
    Ok(Input::Sparse {
        indptr: indptr.map_err(refused)?,
        indices: indices.map_err(refused)?,
        values: values.try_readonly()?,
        columns,
    })
}
