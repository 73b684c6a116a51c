//! Single rows that are learned or predicted with the GIL held.
//!
//! A call with one row of a small model takes less time than another thread needs to take the GIL and return it. It
//! holds the GIL, and awaits nothing. Arrays of the model's float type are read in place, dicts are encoded by the names of
//! the columns. All other rows (arrays of another type, new categories, a new label, a large model, a model that another
//! thread is changing) are learned and predicted as batches of one row, and so are invalid rows, so that errors are made
//! in one place.

#![expect(unsafe_code, reason = "a borrow that numpy checks takes longer than scoring a row")]

use crate::after_learning::is_due;
use crate::array_input::{Purpose, readable_vector};
use crate::call_length::{MAX_PRODUCTS, is_short_learn, is_short_score};
use crate::dict_row;
use crate::error::catch_panic;
use crate::float_type::{NumpyFloat, with_learner};
use crate::native_model::NativeModel;
use budgetrs::columns::Columns;
use budgetrs::learner::ScoreBuffers;
use budgetrs::model::Model;
use budgetrs::{Classes, Learner, Rows, Target, Targets, Task};
use numpy::{PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The longest row, in values, that is copied to the stack.
const MAX_STACK_VALUES: usize = 128;

/// The prediction for a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RowPrediction {
    /// The index of the class.
    Class(usize),
    Value(f64),
}

impl NativeModel {
    /// Predicts a row. None where it must be predicted as a batch.
    pub(crate) fn predict_holding_gil(&self, x: &Bound<'_, PyAny>) -> PyResult<Option<RowPrediction>> {
        let snapshot = self.shared.snapshot();
        let Some(Model { trained: Some(learner), columns, .. }) = snapshot.as_deref() else {
            return Ok(None);
        };
        catch_panic(|| Ok(with_learner!(learner, l => with_scores(l, columns.as_deref(), x, prediction))))
    }

    /// The probability of each class for a row. None where it must be predicted as a batch, and with one class.
    pub(crate) fn probabilities_holding_gil(&self, x: &Bound<'_, PyAny>) -> PyResult<Option<Vec<f64>>> {
        let snapshot = self.shared.snapshot();
        let Some(Model { trained: Some(learner), columns, classes, .. }) = snapshot.as_deref() else {
            return Ok(None);
        };
        if classes.as_ref().map_or(0, Classes::len) < 2 {
            return Ok(None);
        }
        let columns = columns.as_deref();
        catch_panic(|| Ok(with_learner!(learner, l => with_scores(l, columns, x, probabilities)).flatten()))
    }

    /// Learns a row if `target` finds its target in the model. False where it must be learned as a batch: then nothing
    /// was learned.
    pub(crate) fn learn_holding_gil(
        slf: &Bound<'_, Self>,
        x: &Bound<'_, PyAny>,
        target: impl FnOnce(&Model) -> Option<Target>,
        weight: f64,
        add_features: bool,
    ) -> PyResult<bool> {
        let this = slf.get();
        let found = this.shared.snapshot().as_deref().and_then(|model| {
            let learner = model.trained.as_ref()?;
            let is_short = with_learner!(learner, l => is_short_learn(l, 1, l.n_columns()));
            let target = target(model).filter(|_| is_short)?;
            Some((target, model.row_weight(target, weight)))
        });
        // A row of weight 0 is validated and skipped as a batch.
        let Some((target, weight)) = found.filter(|(_, weight)| *weight > 0.0) else { return Ok(false) };
        let n_seen = catch_panic(|| {
            let Some(mut writer) = this.shared.check_out_for_row() else { return Ok(None) };
            let Model { trained: Some(learner), columns, open_classes, .. } = writer.model() else {
                return Ok(None);
            };
            let purpose = Purpose::Learn { weights: None, add_features };
            Ok(with_learner!(learner, l => with_features(x, columns.as_deref(), purpose, |x| {
                learn(l, x, target, weight, *open_classes).then(|| l.counts().n_seen)
            })))
        })?;
        if n_seen.is_some_and(|n_seen| is_due(n_seen, 1)) {
            Self::warn_after_learning(slf, None, None)?;
        }
        Ok(n_seen.is_some())
    }
}

/// Calls `job` with the features of a row, read without running Python code. None for a row that must be read as a
/// batch, such as an array of another float type, and where `job` returns None.
fn with_features<T: NumpyFloat, R>(
    x: &Bound<'_, PyAny>,
    columns: Option<&Columns>,
    purpose: Purpose<'_>,
    job: impl FnOnce(&[T]) -> Option<R>,
) -> Option<R> {
    if let Ok(dict) = x.cast::<PyDict>() {
        return job(&dict_row::encode(dict, columns?, purpose)?);
    }
    let array = readable_vector::<T>(x).filter(|x| x.len() <= MAX_PRODUCTS)?;
    // SAFETY: the GIL is held until `job` has ended, and no Python code runs meanwhile.
    job(unsafe { array.as_slice() }.ok()?)
}

/// Scores a row, if the call is short.
fn with_scores<T: NumpyFloat, R>(
    learner: &Learner<T>,
    columns: Option<&Columns>,
    x: &Bound<'_, PyAny>,
    use_scores: impl FnOnce(&Learner<T>, &[T]) -> R,
) -> Option<R> {
    with_features(x, columns, Purpose::Predict, |x: &[T]| {
        if !is_short_score(learner, 1, x.len()) {
            return None;
        }
        T::with_buffers(|buffers: &mut ScoreBuffers<T>| {
            let scores = learner.score_one(x, buffers).ok()?;
            Some(use_scores(learner, scores))
        })
    })
}

fn prediction<T: NumpyFloat>(learner: &Learner<T>, scores: &[T]) -> RowPrediction {
    match learner.task() {
        Task::Classes(_) => RowPrediction::Class(learner.class_of(scores) as usize),
        Task::Regression => RowPrediction::Value(scores[0].to_f64()),
    }
}

fn probabilities<T: NumpyFloat>(learner: &Learner<T>, scores: &[T]) -> Option<Vec<f64>> {
    let found = learner.predict_proba_from(scores).ok()?;
    Some(found.into_iter().map(T::to_f64).collect())
}

fn learn<T: NumpyFloat>(learner: &mut Learner<T>, x: &[T], target: Target, weight: f64, grows: bool) -> bool {
    // The copy is validated and learned, so a write without the GIL (of native code) cannot come in between.
    let (mut on_stack, on_heap);
    let x = if x.len() <= MAX_STACK_VALUES {
        on_stack = [T::ZERO; MAX_STACK_VALUES];
        on_stack[..x.len()].copy_from_slice(x);
        &on_stack[..x.len()]
    } else {
        on_heap = x.to_vec();
        &on_heap[..]
    };
    let (rows, targets, weights) = (Rows::one(x), Targets::from(&target), [weight]);
    let session = if grows {
        learner.begin_learning_open(&rows, targets, Some(&weights))
    } else {
        learner.begin_learning(&rows, targets, Some(&weights))
    };
    session.map(|mut session| session.learn(1)).is_ok()
}
