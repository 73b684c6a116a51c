//! Arrays as rows: C-contiguous arrays of the model's float type are read in place, all others are converted.
//!
//! Rows that are learned are validated once where no other thread can write to them: converted arrays, and copies of
//! small ones. A large array that is read in place stays the user's. It is validated before the first row is learned,
//! so that invalid input changes nothing, and each part again in the copy that is learned.

use crate::arrays::{as_vector, is_readable_in_place, to_floats};
use crate::error::to_python;
use crate::float_type::{FloatMatrix, FloatType, NumpyFloat};
use budgetrs::columns::Columns;
use budgetrs::{Error, Rows};
use numpy::ndarray::Dimension;
use numpy::{PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyUntypedArrayMethods};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
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

/// What a call does with its rows.
#[derive(Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// It learns them with these weights. New categories become features, with `add_features` also new columns.
    Learn { weights: Option<&'a [f64]>, add_features: bool },
    /// It reads them.
    Predict,
}

/// Rows that are borrowed from Python during a call.
pub(crate) struct Input<'py, T: numpy::Element> {
    storage: Storage<'py, T>,
    /// Whether no other thread can write to the rows.
    is_private: bool,
}

enum Storage<'py, T: numpy::Element> {
    Dense(PyReadonlyArray2<'py, T>),
    Sparse { indptr: Vec<usize>, indices: Vec<u32>, values: PyReadonlyArray1<'py, T>, columns: usize },
}

impl<'py, T: NumpyFloat> Input<'py, T> {
    /// A new array.
    fn new(py: Python<'py>, values: Vec<T>, shape: [usize; 2]) -> PyResult<Self> {
        let array = PyArray1::from_vec(py, values).reshape(shape)?;
        Ok(Self { storage: Storage::Dense(array.try_readonly()?), is_private: true })
    }

    fn rows(&self) -> Rows<'_, T> {
        match &self.storage {
            Storage::Dense(array) => Rows::Dense(array.as_array()),
            Storage::Sparse { indptr, indices, values, columns } => {
                let values = values.as_slice().expect("the conversion made the values contiguous");
                Rows::Sparse { indptr, indices, values, columns: *columns }
            }
        }
    }

    /// The array of dense rows.
    fn array(&self) -> Option<Bound<'py, PyAny>> {
        match &self.storage {
            Storage::Dense(array) => Some(array.as_any().clone()),
            Storage::Sparse { .. } => None,
        }
    }
}

/// Rows of either float type that are borrowed from Python during a call.
pub(crate) enum AnyInput<'py> {
    F32(Input<'py, f32>),
    F64(Input<'py, f64>),
}

impl<'py> AnyInput<'py> {
    /// A new array.
    pub(crate) fn new(py: Python<'py>, matrix: FloatMatrix) -> PyResult<Self> {
        Ok(match matrix {
            FloatMatrix::F32(values, shape) => Self::F32(Input::new(py, values, shape)?),
            FloatMatrix::F64(values, shape) => Self::F64(Input::new(py, values, shape)?),
        })
    }

    pub(crate) fn rows(&self) -> AnyRows<'_> {
        match self {
            Self::F32(input) => AnyRows::F32(input.rows()),
            Self::F64(input) => AnyRows::F64(input.rows()),
        }
    }

    /// Whether no other thread can write to the rows.
    pub(crate) fn is_private(&self) -> bool {
        match self {
            Self::F32(input) => input.is_private,
            Self::F64(input) => input.is_private,
        }
    }

    /// The array of dense rows.
    pub(crate) fn array(&self) -> Option<Bound<'py, PyAny>> {
        match self {
            Self::F32(input) => input.array(),
            Self::F64(input) => input.array(),
        }
    }
}

/// The rows of a call, as features in the order of the model's columns.
pub(crate) struct AlignedRows<'py> {
    pub(crate) input: AnyInput<'py>,
    /// The columns of the model after it has learned the rows, if they have names.
    pub(crate) columns: Option<Arc<Columns>>,
    /// The number of rows that the categories are from.
    pub(crate) table_rows: u64,
}

impl<'py> AlignedRows<'py> {
    pub(crate) fn new(input: AnyInput<'py>, columns: Option<Arc<Columns>>) -> Self {
        let table_rows = input.rows().len() as u64;
        Self { input, columns, table_rows }
    }
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
) -> PyResult<AnyInput<'py>> {
    let learns = matches!(purpose, Purpose::Learn { .. });
    Ok(match float_type.map_or_else(|| float_type_of(x), Ok)? {
        FloatType::F32 => AnyInput::F32(read_as(x, form, learns)?),
        FloatType::F64 => AnyInput::F64(read_as(x, form, learns)?),
    })
}

/// The float type of a model whose first batch this is: float32 for float32, float64 for all others.
fn float_type_of(x: &Bound<'_, PyAny>) -> PyResult<FloatType> {
    let dtype = match x.getattr("dtype") {
        Ok(dtype) => dtype,
        Err(_) => match x.py().import("numpy")?.call_method1("asarray", (x,)) {
            Ok(array) => array.getattr("dtype")?,
            // Reading the rows raises an error that says what is wrong.
            Err(_) => return Ok(FloatType::F64),
        },
    };
    let (Ok(kind), Ok(size)) = (dtype.getattr("kind"), dtype.getattr("itemsize")) else {
        return Ok(FloatType::F64);
    };
    let is_float32 = kind.eq("f")? && size.eq(size_of::<f32>())?;
    Ok(if is_float32 { FloatType::F32 } else { FloatType::F64 })
}

fn read_as<'py, T: NumpyFloat>(
    x: &Bound<'py, PyAny>,
    form: InputForm,
    learns: bool,
) -> PyResult<Input<'py, T>> {
    match form {
        InputForm::Batch => read_batch(x, learns),
        InputForm::Row => read_row(x, learns),
    }
}

fn read_batch<'py, T: NumpyFloat>(x: &Bound<'py, PyAny>, learns: bool) -> PyResult<Input<'py, T>> {
    if let Ok(array) = x.cast::<PyArray2<T>>()
        && is_readable_in_place(array)
    {
        return dense(array, false, learns);
    }
    if is_sparse(x)? {
        return read_sparse("X", x, learns);
    }
    let (array, is_private) = to_floats::<T>("X", x)?;
    match array.cast_into::<PyArray2<T>>() {
        Ok(array) => dense(&array, is_private, learns),
        Err(error) => {
            // The scikit-learn checks look for "Reshape your data".
            let got = format!(
                "shape {}. Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row",
                error.into_inner().getattr("shape")?
            );
            Err(to_python(Error::shape("X", "2 dimensions (n_rows, n_features)", got)))
        }
    }
}

fn read_row<'py, T: NumpyFloat>(x: &Bound<'py, PyAny>, learns: bool) -> PyResult<Input<'py, T>> {
    if is_sparse(x)? {
        // A row of a sparse array has one dimension, a row of a sparse matrix two.
        let x = if x.getattr("ndim")?.eq(1)? { &x.call_method1("reshape", ((1, -1),))? } else { x };
        let input = read_sparse("x", x, learns)?;
        return match input.rows().len() {
            1 => Ok(input),
            rows => Err(to_python(Error::shape("x", "1 row", rows))),
        };
    }
    let (array, is_private) = to_floats::<T>("x", x)?;
    let array = as_vector("x", array)?;
    dense(&array.reshape([1, array.len()])?, is_private, learns)
}

fn dense<'py, T: NumpyFloat>(
    array: &Bound<'py, PyArray2<T>>,
    is_private: bool,
    learns: bool,
) -> PyResult<Input<'py, T>> {
    let (array, is_private) = private_if_small(array, is_private, learns)?;
    Ok(Input { storage: Storage::Dense(array), is_private })
}

fn is_sparse(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(x.hasattr(intern!(x.py(), "tocsr"))? && x.hasattr(intern!(x.py(), "nnz"))?)
}

/// Reads a SciPy sparse matrix as compressed rows, with duplicates summed and indices sorted.
fn read_sparse<'py, T: NumpyFloat>(
    name: &'static str,
    x: &Bound<'py, PyAny>,
    learns: bool,
) -> PyResult<Input<'py, T>> {
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
    let (values, is_private) = to_floats::<T>(name, &csr.getattr("data")?)?;
    let (values, is_private) = private_if_small(&as_vector::<T>(name, values)?, is_private, learns)?;
    let integers = |part: &str| -> PyResult<Vec<i64>> {
        let array = py.import("numpy")?.call_method1("asarray", (csr.getattr(part)?, "int64"))?;
        Ok(as_vector::<i64>(name, array)?.readonly().as_array().iter().copied().collect())
    };
    let invalid = |_| to_python(Error::shape(name, "indices from 0 to 2^32 - 1", "other indices"));
    let indptr: Result<Vec<usize>, _> = integers("indptr")?.into_iter().map(usize::try_from).collect();
    let indices: Result<Vec<u32>, _> = integers("indices")?.into_iter().map(u32::try_from).collect();
    let (indptr, indices) = (indptr.map_err(invalid)?, indices.map_err(invalid)?);
    Ok(Input { storage: Storage::Sparse { indptr, indices, values, columns }, is_private })
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
