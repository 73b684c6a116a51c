//! Parameters, labels and learner of one model, and how a batch from Python is learned by it.

use crate::copy_on_write;
use crate::error::to_python;
use crate::float_type::{NumpyFloat, with_learner};
use crate::labels::Labels;
use crate::signals::in_slices;
use budgetrs::columns::Columns;
use budgetrs::learner::{Counts, LearnSession};
use budgetrs::model::{self, AnyLearner, Model, RawTargets};
use budgetrs::{Classes, Result, Rows};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};

/// What a binding keeps of a model.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) model: Model,
}

/// What is to be learned of the rows.
pub(crate) enum BatchTargets {
    Labels(Labels),
    Values(Vec<f64>),
}

/// The targets, weights and order of the rows of a batch.
pub(crate) struct Batch {
    pub(crate) targets: BatchTargets,
    pub(crate) weights: Option<Vec<f64>>,
    /// Numbers of rows, where they are to be learned in another order.
    pub(crate) order: Option<Vec<usize>>,
    pub(crate) milestone: Option<Milestone>,
}

/// What has been counted when some rows of a batch have been learned.
pub(crate) struct Milestone {
    pub(crate) rows: usize,
    pub(crate) counts: OnceLock<Counts>,
}

impl Batch {
    /// As the core takes it.
    fn given(&self) -> model::Batch<'_> {
        let targets = match &self.targets {
            BatchTargets::Labels(labels) => {
                RawTargets::Labels { y: &labels.y, classes: labels.classes.as_ref() }
            }
            BatchTargets::Values(values) => RawTargets::Values(values),
        };
        model::Batch { targets, weights: self.weights.as_deref(), order: self.order.as_deref() }
    }
}

impl Snapshot {
    /// What has been learned.
    pub(crate) fn trained(&self) -> PyResult<&AnyLearner> {
        let missing = || PyAttributeError::new_err("this model has not learned anything yet");
        self.model.trained.as_ref().ok_or_else(missing)
    }

    /// Labels of classes; of a list that grows there may be one.
    pub(crate) fn n_labels(&self) -> usize {
        self.model.classes.as_ref().map_or(0, Classes::len)
    }

    /// Refuses what [`Snapshot::learn`] would refuse.
    pub(crate) fn check<T: NumpyFloat>(
        &self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch,
    ) -> Result<()> {
        self.model.check_batch(rows, columns, &batch.given())
    }

    /// Whether rows are to be learned in a copy of the model.
    pub(crate) fn learns_in_copy<T: NumpyFloat>(&self, rows: &Rows<'_, T>) -> bool {
        let (vectors, bytes) = match &self.model.trained {
            Some(learner) => with_learner!(learner, learner => (learner.n_support(), learner.memory())),
            None => (0, 0),
        };
        copy_on_write::should_copy(rows.len(), numbers_of(rows), vectors, bytes)
    }

    /// Learns a batch. One that is refused changes nothing; Ctrl-C leaves the rows learned so far.
    pub(crate) fn learn<T: NumpyFloat>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch,
    ) -> PyResult<()> {
        let learn = |parts: &mut LearnSession<'_, '_, T>| learn_slices(parts, batch.milestone.as_ref());
        self.model.learn_with(rows, columns, &batch.given(), learn).map_err(to_python)?
    }
}

/// How many numbers there are to go through in rows.
pub(crate) fn numbers_of<T: NumpyFloat>(rows: &Rows<'_, T>) -> usize {
    match rows {
        Rows::Dense(x) => x.len(),
        Rows::Sparse { values, .. } => values.len(),
    }
}

/// Learns what remains of a batch, and notes its counts at the milestone. Returns whether it came to its end.
fn learn_slices<T: NumpyFloat>(
    parts: &mut LearnSession<'_, '_, T>,
    milestone: Option<&Milestone>,
) -> PyResult<()> {
    let all = parts.remaining();
    let mut learn = |rows| {
        let ended = in_slices(rows, |slice| parts.learn_copies(slice.len()).map_err(to_python));
        ended.map(|()| parts.counts())
    };
    match milestone {
        None => learn(all).map(|_| ()),
        Some(milestone) => {
            let first = milestone.rows.min(all);
            learn(first).and_then(|counts| {
                milestone.counts.get_or_init(|| counts);
                learn(all - first).map(|_| ())
            })
        }
    }
}
