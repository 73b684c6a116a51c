//! Parameters, labels and learner of one model, and how a batch from Python is learned by it.

use crate::copying;
use crate::error::to_python;
use crate::labels::Labels;
use crate::native::{Native, other_type, with_learner};
use crate::pace::in_slices;
use budgetrs::learner::LearnInParts;
use budgetrs::model::Model;
use budgetrs::{Classes, Error, Learner, Result, Rows, Targets, Task};
use pyo3::prelude::*;
use std::borrow::Cow;

/// What a binding keeps of a model.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) model: Model,
    /// A scaling that waits for the first batch: means and deviations.
    pub(crate) scaling: Option<(Vec<f64>, Vec<f64>)>,
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
}

/// Targets as the core takes them.
enum EncodedTargets<'a> {
    Classes(Vec<u32>),
    Values(&'a [f64]),
}

impl EncodedTargets<'_> {
    fn targets(&self) -> Targets<'_> {
        match self {
            Self::Classes(classes) => Targets::Classes(classes),
            Self::Values(values) => Targets::Values(values),
        }
    }
}

impl Snapshot {
    /// Whether a model file can hold all of it.
    pub(crate) fn check_saveable(&self) -> Result<()> {
        match self.scaling {
            Some(_) => Err(Error::State("a scaling waits for the first batch; learn before saving".into())),
            None => Ok(()),
        }
    }

    /// Refuses what [`Snapshot::learn`] would refuse.
    pub(crate) fn check<T: Native>(&self, rows: &Rows<'_, T>, batch: &Batch) -> Result<()> {
        let (targets, known) = encode(self.model.classes.as_ref(), rows, batch)?;
        let check = |learner: &Learner<T>| learner.check(rows, targets.targets(), batch.weights.as_deref());
        match &self.model.trained {
            Some(learner) => check(T::of(learner).ok_or_else(other_type)?),
            None => check(&self.first(rows, known.as_deref())?),
        }
    }

    /// Whether rows are to be learned in a copy of the model.
    pub(crate) fn learns_in_copy<T: Native>(&self, rows: &Rows<'_, T>) -> bool {
        let entries = match rows {
            Rows::Dense(x) => x.len(),
            Rows::Sparse { values, .. } => values.len(),
        };
        let (vectors, bytes) = match &self.model.trained {
            Some(learner) => with_learner!(learner, learner => (learner.n_support(), learner.memory())),
            None => (0, 0),
        };
        copying::pays(rows.len(), entries, vectors, bytes)
    }

    /// Learns a batch. One that is refused changes nothing; Ctrl-C leaves the rows learned so far. A first batch fixes the
    /// classes, the width and the type.
    pub(crate) fn learn<T: Native>(&mut self, rows: &Rows<'_, T>, batch: &Batch) -> PyResult<()> {
        let (targets, known) = encode(self.model.classes.as_ref(), rows, batch).map_err(to_python)?;
        let (targets, weights) = (targets.targets(), batch.weights.as_deref());
        if let Some(learner) = &mut self.model.trained {
            let learner = T::of_mut(learner).ok_or_else(|| to_python(other_type()))?;
            let parts = learner.learn_in_parts(rows, targets, weights).map_err(to_python)?;
            return learn_slices(parts, batch.order.as_deref())?;
        }
        let known = known.map(Cow::into_owned);
        let mut learner = self.first(rows, known.as_ref()).map_err(to_python)?;
        let parts = learner.learn_in_parts(rows, targets, weights).map_err(to_python)?;
        let learned = learn_slices(parts, batch.order.as_deref())?;
        self.model.trained = Some(T::wrap(learner));
        self.model.classes = known;
        self.scaling = None;
        learned
    }

    /// The learner that a first batch makes.
    fn first<T: Native>(&self, rows: &Rows<'_, T>, known: Option<&Classes>) -> Result<Learner<T>> {
        let task = match known {
            Some(known) => {
                Model::check_classes(known)?;
                Task::Classes(known.len())
            }
            None => Task::Regression,
        };
        let mut learner: Learner<T> = self.model.spec.build(rows.columns(), task)?;
        if let Some((mean, deviation)) = &self.scaling {
            learner.set_scaling(mean, deviation)?;
        }
        Ok(learner)
    }
}

/// The targets of a batch as the core takes them, and the classes that they belong to.
fn encode<'a, T: Native>(
    known: Option<&'a Classes>,
    rows: &Rows<'_, T>,
    batch: &'a Batch,
) -> Result<(EncodedTargets<'a>, Option<Cow<'a, Classes>>)> {
    if rows.is_empty() {
        let got = format!("0 sample(s) (shape ({}, {}))", rows.len(), rows.columns());
        return Err(Error::shape("X", "a minimum of 1 row", got));
    }
    Ok(match &batch.targets {
        BatchTargets::Labels(labels) => {
            let (known, classes) = labels.encode(known)?;
            (EncodedTargets::Classes(classes), Some(known))
        }
        BatchTargets::Values(values) => (EncodedTargets::Values(values), None),
    })
}

/// Learns a batch, unless its order is refused; then whether it came to its end.
fn learn_slices<'a, T: Native>(
    mut parts: LearnInParts<'a, '_, T>,
    order: Option<&'a [usize]>,
) -> PyResult<PyResult<()>> {
    if let Some(order) = order {
        parts = parts.in_order(order).map_err(to_python)?;
    }
    Ok(in_slices(parts.remaining(), |slice| {
        parts.learn(slice.len());
        Ok(())
    }))
}
