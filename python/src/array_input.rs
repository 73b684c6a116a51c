//! Arrays as rows: C-contiguous arrays of the model's float type are read in place, `budgetrs._arrays` converts all others.
//!
//! Rows that are learned are validated once where no other thread can write to them: converted arrays, and copies of
//! small ones. A large array that is read in place stays the user's. It is validated before the first row is learned,
//! so that invalid input changes nothing, and each part again in the copy that is learned.

use crate::float_type::{FloatType, Matrix, NumpyFloat, Storage, with_float_type};
use budgetrs::Rows;
use budgetrs::columns::Columns;
pub(crate) use budgetrs::model::Purpose;
use numpy::ndarray::Dimension;
use numpy::{PyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use numpy::{PyReadonlyArray, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::Arc;

/// The largest array of the user, in values, that is copied whole before its rows are learned.
const MAX_COPIED_VALUES: usize = 1 << 16;

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputForm {
    /// Any number of rows.
    Batch,
    /// A single row.
    Row,
}

/// Rows that are borrowed from Python during a call.
pub(crate) struct Input<'py> {
    storage: Storage<'py>,
    /// Whether no other thread can write to the rows.
    pub(crate) is_private: bool,
}

impl<'py> Input<'py> {
    /// A new array.
    pub(crate) fn new<T: NumpyFloat>(py: Python<'py>, values: Vec<T>, shape: [usize; 2]) -> PyResult<Self> {
        let array = PyArray1::from_vec(py, values).reshape(shape)?.try_readonly()?;
        Ok(Self { storage: T::storage(Matrix::Dense(array)), is_private: true })
    }

    pub(crate) fn rows(&self) -> AnyRows<'_> {
        match &self.storage {
            Storage::F32(matrix) => AnyRows::F32(matrix.rows()),
            Storage::F64(matrix) => AnyRows::F64(matrix.rows()),
        }
    }
}

/// The rows of a call, as features in the order of the model's columns.
pub(crate) struct AlignedRows<'py> {
    pub(crate) input: Input<'py>,
    /// The columns of the model after it has learned the rows, if they have names.
    pub(crate) columns: Option<Arc<Columns>>,
}

/// Rows of either float type, for code that runs without the GIL.
#[derive(Clone, Copy)]
pub(crate) enum AnyRows<'a> {
    F32(Rows<'a, f32>),
    F64(Rows<'a, f64>),
}

/// Evaluates an expression that is generic over the float type of rows.
macro_rules! with_rows {
    ($any:expr, $rows:ident => $op:expr) => {
        match $any {
            $crate::array_input::AnyRows::F32($rows) => $op,
            $crate::array_input::AnyRows::F64($rows) => $op,
        }
    };
}
pub(crate) use with_rows;

impl AnyRows<'_> {
    pub(crate) fn n_features(self) -> usize {
        with_rows!(self, rows => rows.columns())
    }

    pub(crate) fn len(self) -> usize {
        with_rows!(self, rows => rows.len())
    }
}

/// Reads an array, a list or a sparse matrix as rows of a float type, by default the type of a model whose first batch
/// this is.
pub(crate) fn read<'py>(
    x: &Bound<'py, PyAny>,
    form: InputForm,
    float_type: Option<FloatType>,
    purpose: Purpose<'_>,
) -> PyResult<Input<'py>> {
    let learns = matches!(purpose, Purpose::Learn { .. });
    let float_type = match float_type {
        Some(float_type) => float_type,
        None if arrays(x.py())?.call_method1("is_float32", (x,))?.extract()? => FloatType::F32,
        None => FloatType::F64,
    };
    with_float_type!(float_type, T => {
        let (matrix, is_private) = read_as::<T>(x, form, learns)?;
        Ok(Input { storage: T::storage(matrix), is_private })
    })
}

/// A sparse matrix as `budgetrs._arrays` makes it: positions of the rows, indices, values, number of columns, and whether
/// the values are a copy.
type Parts<'py, T> =
    (Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<T>>, usize, bool);

/// Reads rows, and returns whether no other thread can write to them.
fn read_as<'py, T: NumpyFloat>(
    x: &Bound<'py, PyAny>,
    form: InputForm,
    learns: bool,
) -> PyResult<(Matrix<'py, T>, bool)> {
    let in_place = match form {
        InputForm::Batch => x.cast::<PyArray2<T>>().ok().filter(|x| is_readable_in_place(x)).cloned(),
        InputForm::Row => readable_vector::<T>(x).map(|row| row.reshape([1, row.len()])).transpose()?,
    };
    if let Some(array) = in_place {
        let (array, is_private) = private_if_small(&array, false, learns)?;
        return Ok((Matrix::Dense(array), is_private));
    }
    let options = (x, T::NAME, form == InputForm::Row);
    let is_sparse = x.hasattr(intern!(x.py(), "tocsr"))? && x.hasattr(intern!(x.py(), "nnz"))?;
    if !is_sparse {
        let (array, is_private): (Bound<'py, PyArray2<T>>, _) =
            arrays(x.py())?.call_method1("matrix", options)?.extract()?;
        let (array, is_private) = private_if_small(&array, is_private, learns)?;
        return Ok((Matrix::Dense(array), is_private));
    }
    let parts: Parts<'py, T> = arrays(x.py())?.call_method1("compressed", options)?.extract()?;
    let (indptr, indices, values, columns, is_private) = parts;
    let (values, is_private) = private_if_small(&values, is_private, learns)?;
    let (indptr, indices) = (indptr.to_vec()?, indices.to_vec()?);
    Ok((Matrix::Sparse { indptr, indices, values, columns }, is_private))
}

/// Borrows an array; a small one of the user whose rows are learned is copied. Returns whether the result is private.
fn private_if_small<'py, T: NumpyFloat, D: Dimension>(
    array: &Bound<'py, PyArray<T, D>>,
    is_private: bool,
    learns: bool,
) -> PyResult<(PyReadonlyArray<'py, T, D>, bool)> {
    let borrowed = array.try_readonly()?;
    if is_private || !learns || array.len() > MAX_COPIED_VALUES {
        return Ok((borrowed, is_private));
    }
    Ok((PyArray::from_array(array.py(), &borrowed.as_array()).try_readonly()?, true))
}

/// Reads floats of one dimension, or of two with a single column.
pub(crate) fn read_floats(name: &str, floats: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let floats: PyReadonlyArray1<'_, f64> = match readable_vector::<f64>(floats) {
        Some(floats) => floats.try_readonly()?,
        None => arrays(floats.py())?.call_method1("vector", (floats, name))?.extract()?,
    };
    Ok(floats.as_array().to_vec())
}

/// The array, if it has one dimension and can be read in place.
pub(crate) fn readable_vector<'a, 'py, T: numpy::Element>(
    x: &'a Bound<'py, PyAny>,
) -> Option<&'a Bound<'py, PyArray1<T>>> {
    x.cast::<PyArray1<T>>().ok().filter(|array| is_readable_in_place(array))
}

/// Whether the core can read the array in place: C-contiguous, aligned, and no subclass, which may have a mask.
fn is_readable_in_place<T: numpy::Element, D: Dimension>(array: &Bound<'_, PyArray<T, D>>) -> bool {
    array.is_exact_instance_of::<PyUntypedArray>()
        && array.is_c_contiguous()
        && (array.data() as usize).is_multiple_of(align_of::<T>())
}

/// The module that converts array-likes.
pub(crate) fn arrays(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("budgetrs._arrays")
}
