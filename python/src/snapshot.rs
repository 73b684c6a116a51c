//! Parameters, labels and learner of one model, and how a batch from Python is learned by it.

use crate::copying;
use crate::error::to_python;
use crate::labels::{Encoded, Labels};
use crate::native::{Native, other_type, with_learner};
use crate::pace::in_slices;
use budgetrs::classes::Arrivals;
use budgetrs::columns::Columns;
use budgetrs::learner::Counts;
use budgetrs::model::{AnyLearner, Model};
use budgetrs::params::Gamma;
use budgetrs::{Classes, Error, Learner, Result, Rows, Targets, Task};
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

/// Targets as the core takes them.
enum EncodedTargets<'a> {
    Classes(Encoded),
    Values(&'a [f64]),
}

impl EncodedTargets<'_> {
    fn targets(&self) -> Targets<'_> {
        match self {
            Self::Classes(Encoded::Whole(_, classes)) => Targets::Classes(classes),
            Self::Classes(Encoded::Growing(arrivals)) => Targets::Classes(arrivals.indices()),
            Self::Values(values) => Targets::Values(values),
        }
    }

    /// The classes of a list that grows.
    fn growing(&self) -> Option<&Arrivals> {
        if let Self::Classes(Encoded::Growing(arrivals)) = self { Some(arrivals) } else { None }
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

    /// An error with the name of the column that it speaks of.
    pub(crate) fn named(&self, error: Error) -> Error {
        match &self.model.columns {
            Some(columns) => columns.named_in(error),
            None => error,
        }
    }

    /// Refuses what [`Snapshot::learn`] would refuse.
    pub(crate) fn check<T: Native>(
        &self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch,
    ) -> Result<()> {
        match self.for_columns(columns)? {
            Some(changed) => changed.check_rows(rows, batch).map_err(|error| changed.named(error)),
            None => self.check_rows(rows, batch).map_err(|error| self.named(error)),
        }
    }

    fn check_rows<T: Native>(&self, rows: &Rows<'_, T>, batch: &Batch) -> Result<()> {
        let targets = encode(&self.model, rows, batch)?;
        let check = |learner: &Learner<T>| match targets.growing() {
            Some(_) => learner.check_growing(rows, targets.targets(), batch.weights.as_deref()),
            None => learner.check(rows, targets.targets(), batch.weights.as_deref()),
        };
        match &self.model.trained {
            Some(learner) => check(T::of(learner).ok_or_else(other_type)?),
            None => check(&self.first(rows, &targets)?),
        }
    }

    /// The model with these columns, if it does not have them yet: before the first row, or with words that are new.
    /// None where it has them.
    fn for_columns(&self, columns: Option<&Arc<Columns>>) -> Result<Option<Self>> {
        let Some(columns) = columns.filter(|columns| !self.has(columns)) else { return Ok(None) };
        Model::check_columns(columns)?;
        let mut changed = self.clone();
        changed.model.columns = Some(Arc::clone(columns));
        // Gamma stays that of the features that there were.
        let keeps = changed.model.spec.spec().gamma == Gamma::Scale;
        changed.model.widen(columns.n_features(), keeps).map_err(|error| {
            let word = columns.feature_names().pop().unwrap_or_default();
            Error::State(format!("X has words that are new, {word:?} for one: {error}").into())
        })?;
        Ok(Some(changed))
    }

    /// Whether the model has these columns.
    pub(crate) fn has(&self, columns: &Arc<Columns>) -> bool {
        self.model.columns.as_ref().is_some_and(|known| Arc::ptr_eq(known, columns) || known == columns)
    }

    /// Whether rows that were arranged by these columns are rows of the model, perhaps with words that are new: not if
    /// another call has given it other columns since.
    pub(crate) fn goes_on_with(&self, columns: &Arc<Columns>) -> bool {
        match &self.model.columns {
            Some(known) => self.has(columns) || known.is_prefix_of(columns),
            None => self.model.trained.is_none(),
        }
    }

    /// Whether rows are to be learned in a copy of the model.
    pub(crate) fn learns_in_copy<T: Native>(&self, rows: &Rows<'_, T>) -> bool {
        let (vectors, bytes) = match &self.model.trained {
            Some(learner) => with_learner!(learner, learner => (learner.n_support(), learner.memory())),
            None => (0, 0),
        };
        copying::pays(rows.len(), numbers_of(rows), vectors, bytes)
    }

    /// Learns a batch. One that is refused changes nothing; Ctrl-C leaves the rows learned so far. A first batch fixes
    /// the width and the type, the columns if they have names, and the classes unless they come as they come.
    pub(crate) fn learn<T: Native>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch,
    ) -> PyResult<()> {
        let Some(mut changed) = self.for_columns(columns).map_err(to_python)? else {
            return self.learn_rows(rows, batch).map_err(|error| to_python(self.named(error)))?;
        };
        let ended = changed.learn_rows(rows, batch).map_err(|error| to_python(changed.named(error)))?;
        if changed.model.trained.is_some() {
            *self = changed;
        }
        ended
    }

    /// Learns a batch, unless it is refused. Returns whether it came to its end.
    fn learn_rows<T: Native>(&mut self, rows: &Rows<'_, T>, batch: &Batch) -> Result<PyResult<()>> {
        let targets = encode(&self.model, rows, batch)?;
        let Model { classes, trained, .. } = &mut self.model;
        if let Some(learner) = trained {
            let learner = T::of_mut(learner).ok_or_else(other_type)?;
            let (learned, ended) = learn_slices(learner, rows, &targets, batch)?;
            if let Some(arrivals) = targets.growing() {
                arrivals.settle(classes, learned);
            }
            return Ok(ended);
        }
        let mut learner = self.first(rows, &targets)?;
        let (learned, ended) = learn_slices(&mut learner, rows, &targets, batch)?;
        let Model { classes, grows, trained, .. } = &mut self.model;
        match targets {
            EncodedTargets::Classes(Encoded::Whole(Some(given), _)) => *classes = Some(given),
            EncodedTargets::Classes(Encoded::Growing(arrivals)) => {
                arrivals.settle(classes, learned);
                if classes.is_none() {
                    // No row had a weight: there is no class yet, and so no model.
                    return Ok(ended);
                }
                *grows = true;
            }
            EncodedTargets::Classes(Encoded::Whole(None, _)) | EncodedTargets::Values(_) => {}
        }
        *trained = Some(T::wrap(learner));
        (self.model.scaling, self.model.like) = (None, None);
        Ok(ended)
    }

    /// The learner that a first batch makes; of classes that come as they come it has two at first.
    fn first<T: Native>(&self, rows: &Rows<'_, T>, targets: &EncodedTargets<'_>) -> Result<Learner<T>> {
        let task = match targets {
            EncodedTargets::Classes(Encoded::Whole(Some(given), _)) => Task::Classes(given.len()),
            EncodedTargets::Classes(Encoded::Whole(None, _)) => Task::Classes(self.n_labels()),
            EncodedTargets::Classes(Encoded::Growing(_)) => Task::Classes(2),
            EncodedTargets::Values(_) => Task::Regression,
        };
        if let Some(like) = &self.model.like {
            let like = T::of(like).ok_or_else(other_type)?;
            let mut learner: Learner<T> = self.model.spec.build(like.n_columns(), task)?;
            learner.begin_like(like)?;
            return Ok(learner);
        }
        let mut learner: Learner<T> = self.model.spec.build(rows.columns(), task)?;
        if let Some((mean, deviation)) = &self.model.scaling {
            learner.set_scaling(mean, deviation)?;
        }
        Ok(learner)
    }
}

/// How many numbers there are to go through in rows.
pub(crate) fn numbers_of<T: Native>(rows: &Rows<'_, T>) -> usize {
    match rows {
        Rows::Dense(x) => x.len(),
        Rows::Sparse { values, .. } => values.len(),
    }
}

/// The targets of a batch as the core takes them.
fn encode<'a, T: Native>(model: &Model, rows: &Rows<'_, T>, batch: &'a Batch) -> Result<EncodedTargets<'a>> {
    if rows.is_empty() {
        let got = format!("0 sample(s) (shape ({}, {}))", rows.len(), rows.columns());
        return Err(Error::shape("X", "a minimum of 1 row", got));
    }
    Ok(match &batch.targets {
        BatchTargets::Labels(labels) => {
            let encoded = labels.encode(model, batch.weights.as_deref(), batch.order.as_deref())?;
            EncodedTargets::Classes(encoded)
        }
        BatchTargets::Values(values) => EncodedTargets::Values(values),
    })
}

/// Learns a batch, unless it is refused. Returns how many rows of it were learned, and whether it came to its end.
fn learn_slices<T: Native>(
    learner: &mut Learner<T>,
    rows: &Rows<'_, T>,
    targets: &EncodedTargets<'_>,
    batch: &Batch,
) -> Result<(usize, PyResult<()>)> {
    let (y, weights) = (targets.targets(), batch.weights.as_deref());
    let parts = match targets.growing() {
        Some(_) => learner.learn_growing(rows, y, weights),
        None => learner.learn_in_parts(rows, y, weights),
    };
    let mut parts = parts?;
    if let Some(order) = &batch.order {
        parts = parts.in_order(order)?;
    }
    let all = parts.remaining();
    let mut learn = |rows| {
        let ended = in_slices(rows, |slice| parts.learn_copies(slice.len()).map_err(to_python));
        ended.map(|()| parts.counts())
    };
    let ended = match &batch.milestone {
        None => learn(all).map(|_| ()),
        Some(milestone) => {
            let first = milestone.rows.min(all);
            learn(first).and_then(|counts| {
                milestone.counts.get_or_init(|| counts);
                learn(all - first).map(|_| ())
            })
        }
    };
    Ok((all - parts.remaining(), ended))
}
