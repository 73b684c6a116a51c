//! The two float types that models and arrays come in.

use budgetrs::Error;
use budgetrs::learner::ScoreBuffers;
use budgetrs::model::Typed;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::cell::Cell;
use std::thread::LocalKey;

/// Numbers of either type on their way to numpy.
pub(crate) enum FloatVec {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl FloatVec {
    pub(crate) fn into_vector(self, py: Python<'_>) -> Bound<'_, PyAny> {
        match self {
            Self::F32(numbers) => PyArray1::from_vec(py, numbers).into_any(),
            Self::F64(numbers) => PyArray1::from_vec(py, numbers).into_any(),
        }
    }

    pub(crate) fn into_array(self, py: Python<'_>, shape: [usize; 2]) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::F32(numbers) => PyArray1::from_vec(py, numbers).reshape(shape)?.into_any(),
            Self::F64(numbers) => PyArray1::from_vec(py, numbers).reshape(shape)?.into_any(),
        })
    }
}

/// A float type of both worlds.
pub(crate) trait NumpyFloat: Typed + numpy::Element {
    /// Numbers of it on their way to numpy.
    fn numbers(numbers: Vec<Self>) -> FloatVec;
    /// Scores a row in the buffers of this thread.
    fn with_buffers<R>(score: impl FnOnce(&mut ScoreBuffers<Self>) -> R) -> R;
}

/// Runs with what a thread keeps; after a panic it starts anew.
fn with_kept<T: Default, R>(
    kept: &'static LocalKey<Cell<Option<Box<T>>>>,
    run: impl FnOnce(&mut T) -> R,
) -> R {
    let mut taken = kept.take().unwrap_or_default();
    let result = run(&mut taken);
    kept.set(Some(taken));
    result
}

impl NumpyFloat for f32 {
    fn numbers(numbers: Vec<Self>) -> FloatVec {
        FloatVec::F32(numbers)
    }
    fn with_buffers<R>(score: impl FnOnce(&mut ScoreBuffers<Self>) -> R) -> R {
        thread_local!(static BUFFERS: Cell<Option<Box<ScoreBuffers<f32>>>> = const { Cell::new(None) });
        with_kept(&BUFFERS, score)
    }
}

impl NumpyFloat for f64 {
    fn numbers(numbers: Vec<Self>) -> FloatVec {
        FloatVec::F64(numbers)
    }
    fn with_buffers<R>(score: impl FnOnce(&mut ScoreBuffers<Self>) -> R) -> R {
        thread_local!(static BUFFERS: Cell<Option<Box<ScoreBuffers<f64>>>> = const { Cell::new(None) });
        with_kept(&BUFFERS, score)
    }
}

/// Runs an expression generic over the learner's float type.
macro_rules! with_learner {
    ($any:expr, $learner:ident => $op:expr) => {
        match $any {
            budgetrs::model::AnyLearner::F32($learner) => $op,
            budgetrs::model::AnyLearner::F64($learner) => $op,
        }
    };
}
pub(crate) use with_learner;

/// What a call is told whose input was converted for a model that had no type yet, and then got another one.
pub(crate) fn other_type() -> Error {
    Error::State("another call has fixed another float type for this model meanwhile; try again".into())
}
