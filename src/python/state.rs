//! Parameters, labels and learner of one model, and how a batch from Python is learned by it.

use super::error::to_python;
use super::labels::Labels;
use super::native::{Native, other_type};
use super::pace::in_slices;
use crate::classes::Classes;
use crate::error::Error;
use crate::label::Task;
use crate::learner::{Learner, Rows, Targets};
use crate::model::Model;
use pyo3::prelude::*;
use std::borrow::Cow;

/// What a binding keeps of a model.
#[derive(Clone)]
pub(super) struct State {
    pub(super) model: Model,
    /// A scaling that waits for the first batch: means and deviations.
    pub(super) scaling: Option<(Vec<f64>, Vec<f64>)>,
}

/// What is to be learned of the rows.
pub(super) enum Answers {
    Labels(Labels),
    Values(Vec<f64>),
}

/// What comes with the rows of a batch.
pub(super) struct Batch {
    pub(super) answers: Answers,
    pub(super) weights: Option<Vec<f64>>,
}

/// A batch that has been found legal.
pub(super) struct Prepared<'a, T: Native> {
    targets: Encoded<'a>,
    /// Of a first batch: the learner that it makes, and its labels.
    first: Option<(Learner<T>, Option<Classes>)>,
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
    pub(super) fn check_settled(&self) -> crate::Result<()> {
        match self.scaling {
            Some(_) => Err(Error::State("a scaling waits for the first batch; learn before saving".into())),
            None => Ok(()),
        }
    }

    /// Validates a batch whole.
    pub(super) fn prepare<'a, T: Native>(
        &self,
        rows: &Rows<'_, T>,
        batch: &'a Batch,
    ) -> crate::Result<Prepared<'a, T>> {
        if rows.is_empty() {
            let got = format!("0 sample(s) (shape ({}, {}))", rows.len(), rows.columns());
            return Err(Error::shape("X", "a minimum of 1 row", got));
        }
        let (known, targets) = match &batch.answers {
            Answers::Labels(labels) => {
                let (known, classes) = labels.encode(self.model.classes.as_ref())?;
                (Some(known), Encoded::Classes(classes))
            }
            Answers::Values(values) => (None, Encoded::Values(values)),
        };
        let check = |learner: &Learner<T>| learner.check(rows, targets.targets(), batch.weights.as_deref());
        if let Some(learner) = &self.model.trained {
            check(T::of(learner).ok_or_else(other_type)?)?;
            return Ok(Prepared { targets, first: None });
        }
        let task = match &known {
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
        check(&learner)?;
        Ok(Prepared { targets, first: Some((learner, known.map(Cow::into_owned))) })
    }

    /// Learns what [`State::prepare`] has passed; a first batch fixes the classes, the width and the type.
    pub(super) fn learn<T: Native>(
        &mut self,
        rows: &Rows<'_, T>,
        prepared: Prepared<'_, T>,
        weights: Option<&[f64]>,
    ) -> PyResult<()> {
        if let Some((learner, known)) = prepared.first {
            self.model.trained = Some(T::wrap(learner));
            self.model.classes = known;
            self.scaling = None;
        }
        let Some(learner) = self.model.trained.as_mut().and_then(T::of_mut) else {
            return Err(to_python(other_type()));
        };
        let targets = prepared.targets.targets();
        in_slices(rows.len(), |part| {
            learner.learn_checked(rows, targets, weights, part.start, part.end);
            Ok(())
        })
    }
}
