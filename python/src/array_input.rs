//! Arrays to views of rows: C-contiguous float32 and float64 without a copy, everything else through one conversion.

use crate::arrays::{floats, is_plain, vector};
use crate::error::to_python;
use crate::float_type::NumpyFloat;
use budgetrs::Error;
use budgetrs::Rows;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;

/// The float type of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatType {
    F32,
    F64,
}

impl FloatType {
    /// That of a name of the core.
    pub(crate) fn of_name(name: &str) -> Self {
        if name == <f32 as budgetrs::Real>::NAME { Self::F32 } else { Self::F64 }
    }
}

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One row to the example.
    Batch,
    /// A single row.
    Row,
}

/// Input, borrowed from Python for the length of a call.
pub(crate) enum Input<'py, T: numpy::Element> {
    Dense(PyReadonlyArray2<'py, T>),
    Sparse { indptr: Vec<usize>, indices: Vec<u32>, values: PyReadonlyArray1<'py, T>, columns: usize },
}

impl<T: NumpyFloat> Input<'_, T> {
    /// The rows, for code that does not know Python.
    pub(crate) fn rows(&self) -> Rows<'_, T> {
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

impl<'py, T: NumpyFloat> Input<'py, T> {
    /// The array, of dense rows.
    pub(crate) fn array(&self) -> Option<Bound<'py, PyAny>> {
        match self {
            Self::Dense(array) => Some(array.as_any().clone()),
            Self::Sparse { .. } => None,
        }
    }
}

/// Input of either type.
pub(crate) enum AnyInput<'py> {
    F32(Input<'py, f32>),
    F64(Input<'py, f64>),
}

impl AnyInput<'_> {
    /// Features of a row.
    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::F32(input) => input.rows().columns(),
            Self::F64(input) => input.rows().columns(),
        }
    }

    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::F32(input) => input.rows().len(),
            Self::F64(input) => input.rows().len(),
        }
    }
}

/// Rows of a type.
pub(crate) fn input<'py>(x: &Bound<'py, PyAny>, form: Form, dtype: FloatType) -> PyResult<AnyInput<'py>> {
    Ok(match dtype {
        FloatType::F32 => AnyInput::F32(read(x, form)?),
        FloatType::F64 => AnyInput::F64(read(x, form)?),
    })
}

/// The float type that a model takes from a first batch: float32 from float32, else float64.
pub(crate) fn dtype_of(x: &Bound<'_, PyAny>) -> PyResult<FloatType> {
    let dtype = match x.getattr("dtype") {
        Ok(dtype) => dtype,
        Err(_) => x.py().import("numpy")?.call_method1("asarray", (x,))?.getattr("dtype")?,
    };
    let (Ok(kind), Ok(size)) = (dtype.getattr("kind"), dtype.getattr("itemsize")) else {
        return Ok(FloatType::F64);
    };
    let single = kind.eq("f")? && size.eq(size_of::<f32>())?;
    Ok(if single { FloatType::F32 } else { FloatType::F64 })
}

fn read<'py, T: NumpyFloat>(x: &Bound<'py, PyAny>, form: Form) -> PyResult<Input<'py, T>> {
    match form {
        Form::Batch => batch(x),
        Form::Row => row(x),
    }
}

fn batch<'py, T: NumpyFloat>(x: &Bound<'py, PyAny>) -> PyResult<Input<'py, T>> {
    if let Ok(array) = x.cast::<PyArray2<T>>()
        && is_plain(array)
    {
        return Ok(Input::Dense(array.try_readonly()?));
    }
    if is_sparse(x)? {
        return sparse("X", x);
    }
    let array = floats::<T>("X", x)?;
    match array.cast_into::<PyArray2<T>>() {
        Ok(array) => Ok(Input::Dense(array.try_readonly()?)),
        Err(error) => {
            let shape: Vec<usize> = error.into_inner().getattr("shape")?.extract()?;
            let got = format!("{} (shape {shape:?}). Reshape your data: one row to the example", shape.len());
            Err(to_python(Error::shape("X", "2 dimensions", got)))
        }
    }
}

fn row<'py, T: NumpyFloat>(x: &Bound<'py, PyAny>) -> PyResult<Input<'py, T>> {
    if is_sparse(x)? {
        // A row of a sparse array has one dimension, one of a sparse matrix two.
        let x = if x.getattr("ndim")?.eq(1)? { &x.call_method1("reshape", ((1, -1),))? } else { x };
        let input = sparse("x", x)?;
        return match input.rows().len() {
            1 => Ok(input),
            rows => Err(to_python(Error::shape("x", "1 row", rows))),
        };
    }
    let array = match x.cast::<PyArray1<T>>() {
        Ok(array) if is_plain(array) => array.clone(),
        _ => vector("x", floats::<T>("x", x)?)?,
    };
    let array = array.reshape([1, array.len()])?;
    Ok(Input::Dense(array.try_readonly()?))
}

fn is_sparse(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(x.hasattr(intern!(x.py(), "tocsr"))? && x.hasattr(intern!(x.py(), "nnz"))?)
}

/// A scipy sparse matrix as compressed rows, duplicates summed and indices sorted.
fn sparse<'py, T: NumpyFloat>(name: &'static str, x: &Bound<'py, PyAny>) -> PyResult<Input<'py, T>> {
    let py = x.py();
    let mut csr = x.call_method0("tocsr")?;
    if !csr.getattr("has_canonical_format")?.is_truthy()? {
        csr = csr.call_method0("copy")?;
        csr.call_method0("sum_duplicates")?;
    }
    let shape: Vec<usize> = csr.getattr("shape")?.extract()?;
    let &[_, columns] = &shape[..] else {
        return Err(to_python(Error::shape(name, "2 dimensions", shape.len())));
    };
    let values = vector::<T>(name, floats::<T>(name, &csr.getattr("data")?)?)?;
    let integers = |part: &str| -> PyResult<Vec<i64>> {
        let array = py.import("numpy")?.call_method1("asarray", (csr.getattr(part)?, "int64"))?;
        Ok(vector::<i64>(name, array)?.readonly().as_array().iter().copied().collect())
    };
    let refused = |_| to_python(Error::shape(name, "indices from 0 on, of 32 bits", "others"));
    let indptr: Result<Vec<usize>, _> = integers("indptr")?.into_iter().map(usize::try_from).collect();
    let indices: Result<Vec<u32>, _> = integers("indices")?.into_iter().map(u32::try_from).collect();
    Ok(Input::Sparse {
        indptr: indptr.map_err(refused)?,
        indices: indices.map_err(refused)?,
        values: values.try_readonly()?,
        columns,
    })
}
