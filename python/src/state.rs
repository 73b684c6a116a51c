//! Parameters, labels and learner of one model, and how a batch from Python is learned by it.

use crate::error::to_python;
use crate::labels::Labels;
use crate::native::{Native, other_type};
use crate::pace::in_slices;
use budgetrs::learner::LearnInParts;
use budgetrs::model::Model;
use budgetrs::{Classes, Error, Learner, Result, Rows, Targets, Task};
use pyo3::prelude::*;
use std::borrow::Cow;

/// What a binding keeps of a model.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) model: Model,
    /// A scaling that waits for the first batch: means and deviations.
    pub(crate) scaling: Option<(Vec<f64>, Vec<f64>)>,
}

/// What is to be learned of the rows.
pub(crate) enum Answers {
    Labels(Labels),
    Values(Vec<f64>),
}

/// What comes with the rows of a batch.
pub(crate) struct Batch {
    pub(crate) answers: Answers,
    pub(crate) weights: Option<Vec<f64>>,
}

/// Answers as the core takes them.
enum Encoded<'a> {
    Classes(Vec<u32>),
    Values(&'a [f64]),
}

impl Encoded<'_> {
    fn targets(&self) -> Targets<'_> {
        match self {
            Self::Classes(classes) => Targets::Classes(classes),
            Self::Values(values) => Targets::Values(values),
        }
    }
}

impl State {
    /// Whether a model file can hold all of it.
    pub(crate) fn check_settled(&self) -> Result<()> {
        match self.scaling {
            Some(_) => Err(Error::State("a scaling waits for the first batch; learn before saving".into())),
            None => Ok(()),
        }
    }

    /// Refuses what [`State::learn`] would refuse.
    pub(crate) fn check<T: Native>(&self, rows: &Rows<'_, T>, batch: &Batch) -> Result<()> {
        let (targets, known) = encode(self.model.classes.as_ref(), rows, batch)?;
        let check = |learner: &Learner<T>| learner.check(rows, targets.targets(), batch.weights.as_deref());
        match &self.model.trained {
            Some(learner) => check(T::of(learner).ok_or_else(other_type)?),
            None => check(&self.first(rows, known.as_deref())?),
        }
    }

    /// Learns a batch. One that is refused changes nothing; Ctrl-C leaves the rows learned so far. A first batch fixes the
    /// classes, the width and the type.
    pub(crate) fn learn<T: Native>(&mut self, rows: &Rows<'_, T>, batch: &Batch) -> PyResult<()> {
        let (targets, known) = encode(self.model.classes.as_ref(), rows, batch).map_err(to_python)?;
        let (targets, weights) = (targets.targets(), batch.weights.as_deref());
        if let Some(learner) = &mut self.model.trained {
            let learner = T::of_mut(learner).ok_or_else(|| to_python(other_type()))?;
            return learn_slices(learner.learn_in_parts(rows, targets, weights).map_err(to_python)?);
        }
        let known = known.map(Cow::into_owned);
        let mut learner = self.first(rows, known.as_ref()).map_err(to_python)?;
        let learned = learn_slices(learner.learn_in_parts(rows, targets, weights).map_err(to_python)?);
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
) -> Result<(Encoded<'a>, Option<Cow<'a, Classes>>)> {
    if rows.is_empty() {
        let got = format!("0 sample(s) (shape ({}, {}))", rows.len(), rows.columns());
        return Err(Error::shape("X", "a minimum of 1 row", got));
    }
    Ok(match &batch.answers {
        Answers::Labels(labels) => {
            let (known, classes) = labels.encode(known)?;
            (Encoded::Classes(classes), Some(known))
        }
        Answers::Values(values) => (Encoded::Values(values), None),
    })
}

fn learn_slices<T: Native>(mut parts: LearnInParts<'_, '_, T>) -> PyResult<()> {
    in_slices(parts.remaining(), |slice| {
        parts.learn(slice.len());
        Ok(())
    })
}
