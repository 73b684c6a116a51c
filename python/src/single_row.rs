//! Single rows that are learned or predicted with the GIL held.
//!
//! A call with one row of a small model takes less time than another thread needs to take the GIL and return it. It
//! holds the GIL, and awaits nothing. Arrays of the model's float type are read in place, dicts are encoded by the names of
//! the columns. All other rows (arrays of another type, new categories, a new label, a large model, a model that another
//! thread is changing) are learned and predicted as batches of one row, and so are invalid rows, so that errors are made
//! in one place.

#![expect(unsafe_code, reason = "a borrow that numpy checks takes longer than scoring a row")]

use crate::array_input::{Purpose, readable_vector};
use crate::dict_row;
use crate::error::catch_panic;
use crate::float_type::{NumpyFloat, with_learner};
use crate::gil::{is_short_learn, is_short_score};
use crate::native_model::NativeModel;
use budgetrs::columns::Columns;
use budgetrs::learner::ScoreBuffers;
use budgetrs::model::{AnyLearner, Model};
use budgetrs::{Classes, Learner, Rows, Target, Targets, Task};
use numpy::{PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The longest row, in values, that is copied to the stack.
const MAX_STACK_VALUES: usize = 128;

/// The number of single rows from one check of values and labels to the next.
const ROWS_PER_CHECK: u64 = 64;

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
        let Some(model) = snapshot.as_ref() else { return Ok(None) };
        let (Some(learner), Some(row)) = (&model.trained, ReadRow::of(x, model, Purpose::Predict)) else {
            return Ok(None);
        };
        catch_panic(|| Ok(with_learner!(learner, learner => predict(learner, &row))))
    }

    /// The probability of each class for a row. None where it must be predicted as a batch, and with one class.
    pub(crate) fn probabilities_holding_gil(&self, x: &Bound<'_, PyAny>) -> PyResult<Option<Vec<f64>>> {
        let snapshot = self.shared.snapshot();
        let Some(model) = snapshot.as_ref() else { return Ok(None) };
        let n_labels = model.classes.as_ref().map_or(0, Classes::len);
        let Some(learner) = model.trained.as_ref().filter(|_| n_labels > 1) else { return Ok(None) };
        let Some(row) = ReadRow::of(x, model, Purpose::Predict) else { return Ok(None) };
        catch_panic(|| {
            Ok(with_learner!(learner, learner => with_scores(learner, &row, probabilities_of)).flatten())
        })
    }

    /// Learns a row if `target` finds its target in the model. False where it must be learned as a batch: then nothing
    /// was learned.
    pub(crate) fn learn_holding_gil(
        &self,
        x: &Bound<'_, PyAny>,
        target: impl FnOnce(&Model) -> Option<Target>,
        weight: f64,
        add_features: bool,
    ) -> PyResult<bool> {
        let found = self.shared.snapshot().as_ref().and_then(|model| {
            let purpose = Purpose::Learn { weights: None, add_features };
            let row = ReadRow::of(x, model, purpose).filter(|row| row.is_short(model))?;
            let target = target(model)?;
            Some((row, target, model.row_weight(target, weight)))
        });
        // A row of weight 0 is validated and skipped as a batch.
        let Some((row, target, weight)) = found.filter(|(_, _, weight)| *weight > 0.0) else {
            return Ok(false);
        };
        let (has_learned, n_seen) = catch_panic(|| {
            let Some(mut writer) = self.shared.check_out_for_row() else { return Ok((false, 0)) };
            let Model { trained, open_classes, columns, .. } = writer.model();
            if !row.has(columns.as_ref()) {
                return Ok((false, 0));
            }
            let Some(learner) = trained else { return Ok((false, 0)) };
            Ok(with_learner!(learner, learner => {
                (learn(learner, &row, target, weight, *open_classes), learner.counts().n_seen)
            }))
        })?;
        if has_learned && n_seen.is_multiple_of(ROWS_PER_CHECK) {
            self.warnings.after_learning(x.py(), &self.shared, None, None)?;
        }
        Ok(has_learned)
    }
}

/// A row whose values are read without running Python code.
enum ReadRow<'a, 'py> {
    /// An array, which is read in place if it has the float type of the model.
    Array(&'a Bound<'py, PyAny>),
    /// The features of a dict, with the columns by which they are encoded.
    Features(Vec<f64>, Arc<Columns>),
}

impl<'a, 'py> ReadRow<'a, 'py> {
    fn of(x: &'a Bound<'py, PyAny>, model: &Model, purpose: Purpose<'_>) -> Option<Self> {
        let Ok(dict) = x.cast::<PyDict>() else { return Some(Self::Array(x)) };
        let columns = model.columns.as_ref()?;
        Some(Self::Features(dict_row::encode(dict, columns, purpose)?, Arc::clone(columns)))
    }

    /// Whether the model learns this row in a short call.
    fn is_short(&self, model: &Model) -> bool {
        let Some(learner) = &model.trained else { return false };
        let values = match (self, learner) {
            (Self::Array(x), AnyLearner::F32(_)) => readable_vector::<f32>(x).map(PyUntypedArrayMethods::len),
            (Self::Array(x), AnyLearner::F64(_)) => readable_vector::<f64>(x).map(PyUntypedArrayMethods::len),
            (Self::Features(features, _), _) => Some(features.len()),
        };
        values.is_some_and(|values| is_short_learn(learner, 1, values))
    }

    /// Whether a model still has the columns by which the row is encoded.
    fn has(&self, columns: Option<&Arc<Columns>>) -> bool {
        match self {
            Self::Array(_) => true,
            Self::Features(_, own) => columns.is_some_and(|columns| Arc::ptr_eq(own, columns)),
        }
    }

    /// Calls `job` with the values, unless the array has another type.
    fn with_values<T: NumpyFloat, R>(&self, job: impl FnOnce(&[T]) -> Option<R>) -> Option<R> {
        match self {
            Self::Array(x) => {
                let array = readable_vector::<T>(x)?;
                // SAFETY: the GIL is held until `job` has ended, and no Python code runs meanwhile.
                job(unsafe { array.as_slice() }.ok()?)
            }
            Self::Features(features, _) => job(&features.iter().map(|x| T::from_f64(*x)).collect::<Vec<_>>()),
        }
    }
}

fn predict<T: NumpyFloat>(learner: &Learner<T>, row: &ReadRow<'_, '_>) -> Option<RowPrediction> {
    with_scores(learner, row, |learner, scores| match learner.task() {
        Task::Classes(_) => RowPrediction::Class(learner.class_of(scores) as usize),
        Task::Regression => RowPrediction::Value(scores[0].to_f64()),
    })
}

fn probabilities_of<T: NumpyFloat>(learner: &Learner<T>, scores: &[T]) -> Option<Vec<f64>> {
    let found = learner.predict_proba_from(scores).ok()?;
    Some(found.into_iter().map(T::to_f64).collect())
}

/// Scores a row, if the call is short.
fn with_scores<T: NumpyFloat, R>(
    learner: &Learner<T>,
    row: &ReadRow<'_, '_>,
    use_scores: impl FnOnce(&Learner<T>, &[T]) -> R,
) -> Option<R> {
    row.with_values(|x: &[T]| {
        if !is_short_score(learner, 1, x.len()) {
            return None;
        }
        T::with_buffers(|buffers: &mut ScoreBuffers<T>| {
            let scores = learner.score_one(x, buffers).ok()?;
            Some(use_scores(learner, scores))
        })
    })
}

fn learn<T: NumpyFloat>(
    learner: &mut Learner<T>,
    row: &ReadRow<'_, '_>,
    target: Target,
    weight: f64,
    grows: bool,
) -> bool {
    row.with_values(|x: &[T]| {
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
        session.map(|mut session| session.learn(1)).ok()
    })
    .is_some()
}
