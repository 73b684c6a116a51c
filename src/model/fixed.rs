//! Preprocessing given before the first row: means and standard deviations, or the preprocessing of another model.

use super::any_learner::{AnyLearner, with_learner};
use super::any_learner::{LearnerFloat, of_type};
use crate::batch::Task;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::learner::Learner;
use crate::params::CheckedSpec;
use crate::persist::Tensors;

/// Preprocessing given before the first row, for the learner that the first rows create.
#[derive(Debug, Clone)]
pub enum FixedPreprocessing {
    /// Fixed means and standard deviations for scaling; see [`Model::set_scaling`](super::Model::set_scaling).
    Scaling {
        /// The mean of each feature.
        mean: Vec<f64>,
        /// The standard deviation of each feature.
        deviation: Vec<f64>,
    },
    /// An untrained learner with the preprocessing of another model; see
    /// [`Model::share_preprocessing_of`](super::Model::share_preprocessing_of).
    Shared(Box<AnyLearner>),
}

impl FixedPreprocessing {
    /// The untrained learner with the preprocessing of another model.
    pub(super) fn learner(&self) -> Option<&AnyLearner> {
        match self {
            Self::Scaling { .. } => None,
            Self::Shared(learner) => Some(learner),
        }
    }

    /// A learner with this preprocessing, for rows of `columns` columns.
    pub(super) fn build<T: LearnerFloat>(
        &self,
        spec: &CheckedSpec,
        columns: usize,
        task: Task,
    ) -> Result<Learner<T>> {
        match self {
            Self::Scaling { mean, deviation } => {
                let mut learner: Learner<T> = spec.build(columns, task)?;
                learner.set_scaling(mean, deviation)?;
                Ok(learner)
            }
            Self::Shared(other) => with_preprocessing_of(spec, of_type(other)?, task),
        }
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        match self {
            Self::Scaling { mean, deviation } => {
                let scope = out.scope_mut("scaling");
                scope.put("mean", &[mean.len()], mean.iter().copied());
                scope.put("deviation", &[deviation.len()], deviation.iter().copied());
            }
            Self::Shared(learner) => {
                let scope = out.scope_mut("feature_space");
                scope.set("dtype", learner.type_name());
                with_learner!(&**learner, learner => learner.save(scope));
            }
        }
    }

    /// Reads what [`FixedPreprocessing::save`] wrote for a model of these parameters, if anything.
    pub(super) fn load(spec: &CheckedSpec, is_trained: bool, from: &Tensors) -> Result<Option<Self>> {
        if from.contains("feature_space") {
            let scope = from.scope("feature_space")?;
            let learner = Box::new(AnyLearner::load(spec, scope.text("dtype")?, scope)?);
            let (frozen, rows) =
                with_learner!(&*learner, learner => (learner.is_frozen(), learner.counts().n_seen));
            if is_trained || !frozen || rows > 0 {
                return Err(Error::Model("the model with a shared feature space has no rows".into()));
            }
            return Ok(Some(Self::Shared(learner)));
        }
        if !from.contains("scaling") {
            return Ok(None);
        }
        let scope = from.scope("scaling")?;
        let [features] = scope.shape("mean")?;
        let (mean, deviation) = (scope.get("mean", &[features])?, scope.get("deviation", &[features])?);
        Self::scaling(spec, is_trained, mean, deviation).map(Some)
    }

    /// A valid scaling for a model of these parameters.
    pub(super) fn scaling(
        spec: &CheckedSpec,
        is_trained: bool,
        mean: Vec<f64>,
        deviation: Vec<f64>,
    ) -> Result<Self> {
        if is_trained {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        let (columns, given) = (mean.len(), Self::Scaling { mean, deviation });
        // A trial learner checks the numbers.
        given.build::<f64>(spec, columns, trial_task(spec))?;
        Ok(given)
    }

    /// The preprocessing of a trained learner, for a model of these parameters.
    pub(super) fn shared(spec: &CheckedSpec, other: &AnyLearner) -> Result<Self> {
        let task = trial_task(spec);
        let learner = match other {
            AnyLearner::F32(other) => AnyLearner::F32(with_preprocessing_of(spec, other, task)?),
            AnyLearner::F64(other) => AnyLearner::F64(with_preprocessing_of(spec, other, task)?),
        };
        Ok(Self::Shared(Box::new(learner)))
    }
}

/// The task of a learner that only checks or keeps preprocessing.
fn trial_task(spec: &CheckedSpec) -> Task {
    if spec.spec().loss.is_regression() { Task::Regression } else { Task::Classes(2) }
}

/// An untrained learner that shares the preprocessing of another.
fn with_preprocessing_of<T: Real>(spec: &CheckedSpec, other: &Learner<T>, task: Task) -> Result<Learner<T>> {
    let mut learner = spec.build(other.n_columns(), task)?;
    learner.share_preprocessing_of(other)?;
    Ok(learner)
}
