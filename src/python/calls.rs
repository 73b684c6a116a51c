//! Learning and prediction, whatever the task: input of either type, sliced, without the interpreter.

use super::base::Base;
use super::convert::{self, AnyInput, Dtype, Form, Input};
use super::error::to_python;
use super::native::{Native, other_type};
use super::numbers::Numbers;
use super::pace::in_slices;
use super::state::Batch;
use super::threads;
use crate::learner::{Learner, Rows};
use crate::losses::{gap, probabilities};
use crate::model::AnyLearner;
use ndarray::Axis;
use pyo3::prelude::*;
use std::ops::Range;

/// The scores of some rows.
pub(super) struct Scores {
    pub(super) numbers: Numbers,
    pub(super) rows: usize,
    pub(super) outputs: usize,
}

impl Base {
    pub(super) fn learn(&self, x: &Bound<'_, PyAny>, form: Form, batch: &Batch) -> PyResult<()> {
        match self.input(x, form)? {
            AnyInput::F32(input) => self.shared.learn(x.py(), &input.rows(), batch),
            AnyInput::F64(input) => self.shared.learn(x.py(), &input.rows(), batch),
        }
    }

    pub(super) fn check(&self, x: &Bound<'_, PyAny>, batch: &Batch) -> PyResult<()> {
        match self.input(x, Form::Batch)? {
            AnyInput::F32(input) => self.shared.check(x.py(), &input.rows(), batch),
            AnyInput::F64(input) => self.shared.check(x.py(), &input.rows(), batch),
        }
    }

    pub(super) fn scores(&self, x: &Bound<'_, PyAny>, form: Form) -> PyResult<Scores> {
        let py = x.py();
        let (numbers, rows, outputs) = match self.input(x, form)? {
            AnyInput::F32(input) => {
                let (numbers, outputs) = self.score(py, &input)?;
                (Numbers::F32(numbers), input.rows().len(), outputs)
            }
            AnyInput::F64(input) => {
                let (numbers, outputs) = self.score(py, &input)?;
                (Numbers::F64(numbers), input.rows().len(), outputs)
            }
        };
        Ok(Scores { numbers, rows, outputs })
    }

    /// Whether a label of each row could change the model; before the first row every label can.
    pub(super) fn needs_label(&self, x: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
        let learned = self.shared.look(x.py(), |state| {
            state.model.spec.check_asks().map_err(to_python)?;
            Ok(state.model.trained.is_some())
        })?;
        if !learned {
            return Ok(vec![true; self.input(x, Form::Batch)?.len()]);
        }
        let Scores { numbers, outputs, .. } = self.scores(x, Form::Batch)?;
        Ok(match numbers {
            Numbers::F32(f) => f.chunks_exact(outputs).map(|f| gap(f) <= 1.0).collect(),
            Numbers::F64(f) => f.chunks_exact(outputs).map(|f| gap(f) <= 1.0).collect(),
        })
    }

    /// The probability of each class for each row.
    pub(super) fn probabilities(&self, x: &Bound<'_, PyAny>) -> PyResult<Scores> {
        self.shared.look(x.py(), |state| state.model.spec.check_probabilities().map_err(to_python))?;
        let Scores { numbers, rows, outputs } = self.scores(x, Form::Batch)?;
        let numbers = match numbers {
            Numbers::F32(f) => Numbers::F32(all_probabilities(&f, outputs)),
            Numbers::F64(f) => Numbers::F64(all_probabilities(&f, outputs)),
        };
        Ok(Scores { numbers, rows, outputs: outputs.max(2) })
    }

    fn score<T: Native>(&self, py: Python<'_>, input: &Input<'_, T>) -> PyResult<(Vec<T>, usize)> {
        let rows = input.rows();
        let threads = threads::count(self.n_jobs()).map_err(to_python)?;
        self.shared.trained(py, |learner| {
            let learner: &Learner<T> = T::of(learner).ok_or_else(|| to_python(other_type()))?;
            let score = |rows: &Rows<'_, T>| match threads {
                1 => learner.decision_function(rows),
                _ => threads::run(threads, || learner.decision_function_parallel(rows))
                    .and_then(|scores| scores),
            };
            // The whole batch before any of it: a row is told by its place, and only sound pointers can be cut.
            learner.check_rows(&rows).map_err(to_python)?;
            let outputs = learner.n_outputs();
            let mut scores = Vec::with_capacity(rows.len() * outputs);
            let mut pointers = Vec::new();
            in_slices(rows.len(), |part| {
                scores.extend(score(&cut(&rows, part, &mut pointers)).map_err(to_python)?);
                Ok(())
            })?;
            Ok((scores, outputs))
        })
    }

    /// Input of the type that the model has, or that a first batch gives it.
    fn input<'py>(&self, x: &Bound<'py, PyAny>, form: Form) -> PyResult<AnyInput<'py>> {
        let fixed = self.shared.look(x.py(), |state| {
            Ok(match state.model.trained {
                Some(AnyLearner::F32(_)) => Some(Dtype::F32),
                Some(AnyLearner::F64(_)) => Some(Dtype::F64),
                None => None,
            })
        })?;
        let dtype = match fixed {
            Some(dtype) => dtype,
            None => convert::dtype_of(x)?,
        };
        convert::input(x, form, dtype)
    }
}

fn all_probabilities<T: Native>(scores: &[T], outputs: usize) -> Vec<T> {
    let mut all = Vec::with_capacity(scores.len() * 2usize.div_ceil(outputs));
    scores.chunks_exact(outputs).for_each(|f| probabilities(f, &mut all));
    all
}

/// Some rows of a batch that has been checked, as one of their own; the row pointers of sparse ones go into a buffer.
fn cut<'a, T: Native>(
    rows: &'a Rows<'_, T>,
    part: Range<usize>,
    pointers: &'a mut Vec<usize>,
) -> Rows<'a, T> {
    match rows {
        Rows::Dense(x) => Rows::Dense(x.slice_axis(Axis(0), part.into())),
        Rows::Sparse { indptr, indices, values, columns } => {
            let entries = indptr[part.start]..indptr[part.end];
            pointers.clear();
            pointers.extend(indptr[part.start..=part.end].iter().map(|at| at - entries.start));
            let (indices, values) = (&indices[entries.clone()], &values[entries]);
            Rows::Sparse { indptr: pointers, indices, values, columns: *columns }
        }
    }
}
