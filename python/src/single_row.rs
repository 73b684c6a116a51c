//! Single rows: the shortest way through a call.
//!
//! A call with one row of a small model is over sooner than another thread could take the interpreter and return it. So
//! the interpreter is held, and nothing is converted, allocated or waited for. Whatever is otherwise (a row that is no
//! array of the model's type, a label that is new, a large model, a thread that is changing it) takes the way of
//! batches, and so does a row that is refused: the errors are made there.

#![expect(unsafe_code, reason = "asking numpy for leave to borrow takes longer than scoring a row")]

use crate::arrays::is_plain;
use crate::error::guard;
use crate::float_type::NumpyFloat;
use crate::gil::{is_short_learn, is_short_score};
use crate::native_model::NativeModel;
use budgetrs::learner::ScoreBuffers;
use budgetrs::model::{AnyLearner, Model};
use budgetrs::{Learner, Rows, Target, Targets, Task};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A row of so many numbers is copied without an allocation.
const SHORT: usize = 128;

/// What is predicted of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Predicted {
    /// The class, by index.
    Class(usize),
    Value(f64),
}

impl NativeModel {
    /// What is predicted of a row; None where that takes the way of batches.
    pub(crate) fn predict_holding_gil(&self, x: &Bound<'_, PyAny>) -> PyResult<Option<Predicted>> {
        let state = self.shared.published();
        let Some(learner) = state.as_ref().and_then(|state| state.model.trained.as_ref()) else {
            return Ok(None);
        };
        guard(|| {
            Ok(match learner {
                AnyLearner::F32(learner) => predicted(learner, x),
                AnyLearner::F64(learner) => predicted(learner, x),
            })
        })
    }

    /// Learns a row, whose target the model knows; false where that takes the way of batches, and nothing was learned.
    pub(crate) fn learn_holding_gil(
        &self,
        x: &Bound<'_, PyAny>,
        target: impl FnOnce(&Model) -> Option<Target>,
        weight: f64,
    ) -> PyResult<bool> {
        let target = match self.shared.published().as_ref() {
            Some(state) if is_soon(&state.model, x) => target(&state.model),
            _ => None,
        };
        // A row of weight 0 leaves no class, and no first row.
        let Some(target) = target.filter(|_| weight > 0.0) else { return Ok(false) };
        guard(|| {
            let Some(mut change) = self.shared.lock_for_row() else { return Ok(false) };
            let Model { trained, grows, .. } = &mut change.state().model;
            Ok(match trained {
                Some(AnyLearner::F32(learner)) => learned(learner, x, target, weight, *grows),
                Some(AnyLearner::F64(learner)) => learned(learner, x, target, weight, *grows),
                None => false,
            })
        })
    }
}

/// Whether a model learns this row soon.
fn is_soon(model: &Model, x: &Bound<'_, PyAny>) -> bool {
    let Some(learner) = &model.trained else { return false };
    let length = match learner {
        AnyLearner::F32(_) => array::<f32>(x).map(PyUntypedArrayMethods::len),
        AnyLearner::F64(_) => array::<f64>(x).map(PyUntypedArrayMethods::len),
    };
    length.is_some_and(|length| is_short_learn(learner, 1, length))
}

fn predicted<T: NumpyFloat>(learner: &Learner<T>, x: &Bound<'_, PyAny>) -> Option<Predicted> {
    let array = array::<T>(x)?;
    if !is_short_score(learner, 1, array.len()) {
        return None;
    }
    // SAFETY: the interpreter is held until the row has been scored, and no code of Python runs meanwhile.
    let x = unsafe { array.as_slice() }.ok()?;
    T::with_buffers(|buffers: &mut ScoreBuffers<T>| {
        let scores = learner.score_one(x, buffers).ok()?;
        Some(match learner.task() {
            Task::Classes(_) => Predicted::Class(learner.class_of(scores) as usize),
            Task::Regression => Predicted::Value(scores[0].to_f64()),
        })
    })
}

fn learned<T: NumpyFloat>(
    learner: &mut Learner<T>,
    x: &Bound<'_, PyAny>,
    target: Target,
    weight: f64,
    grows: bool,
) -> bool {
    let Some(array) = array::<T>(x) else { return false };
    // SAFETY: the interpreter is held until the row has been learned, and no code of Python runs meanwhile.
    let Ok(x) = (unsafe { array.as_slice() }) else { return false };
    // What is checked is what is learned, whoever else writes to the array.
    let (mut short, long);
    let x = if x.len() <= SHORT {
        short = [T::ZERO; SHORT];
        short[..x.len()].copy_from_slice(x);
        &short[..x.len()]
    } else {
        long = x.to_vec();
        &long[..]
    };
    let (rows, targets, weights) = (Rows::one(x), Targets::from(&target), [weight]);
    let parts = if grows {
        learner.begin_learning_open(&rows, targets, Some(&weights))
    } else {
        learner.begin_learning(&rows, targets, Some(&weights))
    };
    parts.map(|mut parts| parts.learn(1)).is_ok()
}

/// A row that the core reads in place.
fn array<'a, 'py, T: NumpyFloat>(x: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyArray1<T>>> {
    x.cast::<PyArray1<T>>().ok().filter(|array| is_plain(array))
}
