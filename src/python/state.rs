//! Parameters, labels and learner of one model, and how a batch from Python is learned by it.

use super::error::to_python;
use crate::classes::{Classes, RawLabels};
use crate::error::Error;
use crate::float::Real;
use crate::learner::{Learner, Rows, Targets};
use crate::model::{AnyLearner, Model};
use pyo3::prelude::*;

/// Rows between two looks for Ctrl-C, about, at the least work that a row can be.
const SLICE: usize = 1 << 14;

/// What a binding keeps of a model.
#[derive(Clone)]
pub(super) struct State {
    pub(super) model: Model,
    /// A scaling that waits for the first batch: means and deviations.
    pub(super) scaling: Option<(Vec<f64>, Vec<f64>)>,
}

/// What comes with the rows of a batch.
pub(super) struct Batch {
    pub(super) classes: Option<RawLabels>,
    pub(super) y: RawLabels,
    pub(super) weights: Option<Vec<f64>>,
    /// A single row, from which no classes can be inferred.
    pub(super) single: bool,
}

pub(super) fn other_type() -> Error {
    Error::State("another call has fixed another float type for this model".into())
}

impl State {
    /// Validates a batch whole and gives its classes by index; the first one fixes the classes, the width and the type.
    pub(super) fn prepare<T: Native>(
        &mut self,
        rows: &Rows<'_, T>,
        batch: &Batch,
    ) -> crate::Result<Vec<u32>> {
        if rows.is_empty() {
            let got = format!("0 sample(s) (shape ({}, {}))", rows.len(), rows.columns());
            return Err(Error::shape("X", "a minimum of 1 row", got));
        }
        let given = batch.classes.as_ref().map(Classes::of).transpose()?;
        let known = match (&self.model.classes, given) {
            (Some(known), Some(given)) if *known != given => {
                return Err(Error::parameter(
                    "classes",
                    format!("the same as in the first call, {known}"),
                    given,
                ));
            }
            (Some(known), _) => known.clone(),
            (None, Some(given)) => given,
            (None, None) if batch.single => {
                return Err(Error::State("classes must be given before or with the first single row".into()));
            }
            (None, None) => Classes::of(&batch.y)?,
        };
        let targets = known.encode(&batch.y)?;
        let weights = batch.weights.as_deref();
        if let Some(learner) = &self.model.trained {
            T::of(learner).ok_or_else(other_type)?.check(rows, Targets::Classes(&targets), weights)?;
            return Ok(targets);
        }
        let mut learner: Learner<T> = self.model.spec.build(rows.columns(), known.len())?;
        if let Some((mean, deviation)) = &self.scaling {
            learner.set_scaling(mean, deviation)?;
        }
        learner.check(rows, Targets::Classes(&targets), weights)?;
        self.model.trained = Some(T::wrap(learner));
        self.model.classes = Some(known);
        self.scaling = None;
        Ok(targets)
    }

    /// Learns what [`State::prepare`] has passed.
    pub(super) fn learn<T: Native>(
        &mut self,
        rows: &Rows<'_, T>,
        targets: &[u32],
        weights: Option<&[f64]>,
    ) -> PyResult<()> {
        let Some(learner) = self.model.trained.as_mut().and_then(T::of_mut) else {
            return Err(to_python(other_type()));
        };
        let mut from = 0;
        while from < rows.len() {
            let to = (from + SLICE).min(rows.len());
            learner.learn_checked(rows, Targets::Classes(targets), weights, from, to);
            from = to;
            if from < rows.len() {
                #[expect(
                    clippy::redundant_closure_for_method_calls,
                    reason = "the method alone lives for one lifetime only"
                )]
                Python::attach(|py| py.check_signals())?;
            }
        }
        Ok(())
    }
}

/// The float types that arrays come in.
pub(super) trait Native: Real + numpy::Element {
    /// The learner, if it is of this type.
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>>;
    /// The same, to change it.
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>>;
    fn wrap(learner: Learner<Self>) -> AnyLearner;
}

impl Native for f32 {
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F32(learner) = learner { Some(learner) } else { None }
    }
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F32(learner)
    }
}

impl Native for f64 {
    fn of(learner: &AnyLearner) -> Option<&Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn of_mut(learner: &mut AnyLearner) -> Option<&mut Learner<Self>> {
        if let AnyLearner::F64(learner) = learner { Some(learner) } else { None }
    }
    fn wrap(learner: Learner<Self>) -> AnyLearner {
        AnyLearner::F64(learner)
    }
}
