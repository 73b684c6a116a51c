//! Numbers between numpy and the core, where no rows are concerned.

use super::convert;
use super::error::to_python;
use crate::error::Error;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

/// Numbers of either type on their way to numpy.
pub(super) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Numbers {
    pub(super) fn into_array(self, py: Python<'_>, shape: [usize; 2]) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::F32(numbers) => PyArray1::from_vec(py, numbers).reshape(shape)?.into_any(),
            Self::F64(numbers) => PyArray1::from_vec(py, numbers).reshape(shape)?.into_any(),
        })
    }
}

/// A one-dimensional array of f64.
pub(super) fn read(py: Python<'_>, name: &'static str, numbers: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = py.import("numpy")?.call_method1("asarray", (numbers, "float64"));
    let array = array.map_err(|error| convert::not_numbers(py, name, &error))?;
    let Ok(array) = array.cast::<PyArray1<f64>>() else {
        return Err(to_python(Error::shape(name, "1 dimension", "another number")));
    };
    let array: PyReadonlyArray1<'_, f64> = array.try_readonly()?;
    Ok(array.as_array().to_vec())
}
