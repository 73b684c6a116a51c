//! The two float types of models and arrays.

use budgetrs::Rows;
use budgetrs::learner::ScoreBuffers;
use budgetrs::model::LearnerFloat;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::cell::Cell;

/// One of the two types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatType {
    F32,
    F64,
}

impl FloatType {
    /// The type that the core calls `name`.
    pub(crate) fn of_name(name: &str) -> Self {
        if name == <f32 as budgetrs::Real>::NAME { Self::F32 } else { Self::F64 }
    }
}

/// A matrix of floats of either type, to be made an array of NumPy.
pub(crate) enum FloatMatrix {
    F32(Vec<f32>, [usize; 2]),
    F64(Vec<f64>, [usize; 2]),
}

impl FloatMatrix {
    pub(crate) fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::F32(floats, shape) => PyArray1::from_vec(py, floats).reshape(shape)?.into_any(),
            Self::F64(floats, shape) => PyArray1::from_vec(py, floats).reshape(shape)?.into_any(),
        })
    }

    /// A vector, if the matrix has one column.
    pub(crate) fn into_scores(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::F32(floats, [_, 1]) => Ok(PyArray1::from_vec(py, floats).into_any()),
            Self::F64(floats, [_, 1]) => Ok(PyArray1::from_vec(py, floats).into_any()),
            matrix => matrix.into_array(py),
        }
    }

    pub(crate) fn into_list(self, py: Python<'_>) -> PyResult<Vec<f64>> {
        self.into_array(py)?.call_method0("ravel")?.call_method0("tolist")?.extract()
    }
}

/// A matrix of Python of either type.
pub(crate) enum Storage<'py> {
    F32(Matrix<'py, f32>),
    F64(Matrix<'py, f64>),
}

/// A matrix that is borrowed from Python.
pub(crate) enum Matrix<'py, T: numpy::Element> {
    Dense(PyReadonlyArray2<'py, T>),
    Sparse { indptr: Vec<usize>, indices: Vec<u32>, values: PyReadonlyArray1<'py, T>, columns: usize },
}

impl<T: NumpyFloat> Matrix<'_, T> {
    pub(crate) fn rows(&self) -> Rows<'_, T> {
        match self {
            Self::Dense(array) => Rows::Dense(array.as_array()),
            Self::Sparse { indptr, indices, values, columns } => {
                let values = values.as_slice().expect("the conversion made the values contiguous");
                Rows::Sparse { indptr, indices, values, columns: *columns }
            }
        }
    }
}

/// A float type of both the core and NumPy.
pub(crate) trait NumpyFloat: LearnerFloat + numpy::Element {
    fn matrix(floats: Vec<Self>, shape: [usize; 2]) -> FloatMatrix;
    fn storage(matrix: Matrix<'_, Self>) -> Storage<'_>;
    /// Scores a row with the buffers of this thread.
    fn with_buffers<R>(score: impl FnOnce(&mut ScoreBuffers<Self>) -> R) -> R;
}

macro_rules! numpy_float {
    ($float:ty, $variant:ident) => {
        impl NumpyFloat for $float {
            fn matrix(floats: Vec<Self>, shape: [usize; 2]) -> FloatMatrix {
                FloatMatrix::$variant(floats, shape)
            }

            fn storage(matrix: Matrix<'_, Self>) -> Storage<'_> {
                Storage::$variant(matrix)
            }

            /// After a panic in `score` the next call has new buffers.
            fn with_buffers<R>(score: impl FnOnce(&mut ScoreBuffers<Self>) -> R) -> R {
                thread_local!(static BUFFERS: Cell<Option<Box<ScoreBuffers<$float>>>> = const { Cell::new(None) });
                let mut buffers = BUFFERS.take().unwrap_or_default();
                let result = score(&mut buffers);
                BUFFERS.set(Some(buffers));
                result
            }
        }
    };
}
numpy_float!(f32, F32);
numpy_float!(f64, F64);

/// Evaluates an expression with `T` as the type that a `FloatType` names.
macro_rules! with_float_type {
    ($float_type:expr, $float:ident => $op:expr) => {
        match $float_type {
            $crate::float_type::FloatType::F32 => {
                type $float = f32;
                $op
            }
            $crate::float_type::FloatType::F64 => {
                type $float = f64;
                $op
            }
        }
    };
}
pub(crate) use with_float_type;

/// Evaluates an expression that is generic over the float type of a learner.
macro_rules! with_learner {
    ($any:expr, $learner:ident => $op:expr) => {
        match $any {
            budgetrs::model::AnyLearner::F32($learner) => $op,
            budgetrs::model::AnyLearner::F64($learner) => $op,
        }
    };
}
pub(crate) use with_learner;
