//! Preprocessing given before the first row: means and standard deviations, or the preprocessing of another model.

use super::{AnyLearner, LearnerFloat, Model, of_type, with_learner};
use crate::batch::Task;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::params::CheckedSpec;
use crate::persist::Tensors;
use crate::trainer::Learner;

/// Preprocessing given before the first row, for the learner that the first rows create.
#[derive(Debug, Clone)]
pub enum GivenPreprocessing {
    /// Fixed means and standard deviations for scaling; see [`Model::set_scaling`].
    Scaling {
        /// The mean of each feature.
        mean: Vec<f64>,
        /// The standard deviation of each feature.
        deviation: Vec<f64>,
    },
    /// An untrained learner with the preprocessing of another model; see [`Model::share_preprocessing_of`].
    Shared(Box<AnyLearner>),
}

impl GivenPreprocessing {
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
                let scope = out.scope_mut("like");
                scope.set("dtype", learner.type_name());
                with_learner!(&**learner, learner => learner.save(scope));
            }
        }
    }

    /// Reads what [`GivenPreprocessing::save`] wrote for this model, if anything.
    pub(super) fn load(model: &Model, from: &Tensors) -> Result<Option<Self>> {
        if from.contains("like") {
            let scope = from.scope("like")?;
            let learner = Box::new(AnyLearner::load(&model.spec, scope.text("dtype")?, scope)?);
            let (frozen, rows) =
                with_learner!(&*learner, learner => (learner.is_frozen(), learner.counts().n_seen));
            if model.trained.is_some() || !frozen || rows > 0 {
                return Err(Error::Model("a model that begins like another has no rows".into()));
            }
            return Ok(Some(Self::Shared(learner)));
        }
        if !from.contains("scaling") {
            return Ok(None);
        }
        let scope = from.scope("scaling")?;
        let [features] = scope.shape("mean")?;
        model.given_scaling(scope.get("mean", &[features])?, scope.get("deviation", &[features])?).map(Some)
    }
}

impl Model {
    /// Sets fixed means and standard deviations for scaling, before the first row.
    ///
    /// # Errors
    /// If the model is trained; and as [`Learner::set_scaling`].
    pub fn set_scaling(&mut self, mean: Vec<f64>, deviation: Vec<f64>) -> Result<()> {
        if self.preprocessing.as_ref().is_some_and(|given| given.learner().is_some()) {
            return Err(Error::State("a model that begins like another takes no other scaling".into()));
        }
        self.preprocessing = Some(self.given_scaling(mean, deviation)?);
        Ok(())
    }

    fn given_scaling(&self, mean: Vec<f64>, deviation: Vec<f64>) -> Result<GivenPreprocessing> {
        if self.trained.is_some() {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        let (columns, given) = (mean.len(), GivenPreprocessing::Scaling { mean, deviation });
        // A trial learner checks the numbers.
        given.build::<f64>(&self.spec, columns, self.trial_task())?;
        Ok(given)
    }

    /// Copies gamma, scaling, metric and columns of a trained model, and freezes them. Models that share the
    /// preprocessing of one model have equal kernels, so that [`Model::combine`] can combine them.
    ///
    /// # Errors
    /// If this model is trained or has a scaling, the other is not trained, or the two differ in kernel, gamma, scale,
    /// missing, metric, `hash_features` or, with hashing, seed.
    pub fn share_preprocessing_of(&mut self, other: &Self) -> Result<()> {
        let has_scaling = self.preprocessing.as_ref().is_some_and(|given| given.learner().is_none());
        if self.trained.is_some() || has_scaling {
            let reason = "a model begins like another before its first row, and without a scaling of its own";
            return Err(Error::State(reason.into()));
        }
        let (spec, task) = (&self.spec, self.trial_task());
        let learner = match &other.trained {
            None => return Err(Error::parameter("like", "a model that has learned", "one that has not")),
            Some(AnyLearner::F32(other)) => AnyLearner::F32(with_preprocessing_of(spec, other, task)?),
            Some(AnyLearner::F64(other)) => AnyLearner::F64(with_preprocessing_of(spec, other, task)?),
        };
        self.preprocessing = Some(GivenPreprocessing::Shared(Box::new(learner)));
        self.columns.clone_from(&other.columns);
        Ok(())
    }

    /// The task of a learner that only checks or keeps preprocessing.
    fn trial_task(&self) -> Task {
        if self.spec.spec().loss.is_regression() { Task::Regression } else { Task::Classes(2) }
    }

    /// Adds features, for new columns or categories. Gamma is recomputed for the larger number of features unless
    /// `keep_gamma`.
    ///
    /// # Errors
    /// As [`Learner::widen`].
    pub fn widen(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
        let shared = match &mut self.preprocessing {
            Some(GivenPreprocessing::Shared(learner)) => Some(&mut **learner),
            _ => None,
        };
        for learner in self.trained.iter_mut().chain(shared) {
            // Earlier rows may have had more columns, if the learner accepts any number.
            let n_columns = with_learner!(&*learner, learner => learner.n_columns());
            with_learner!(learner, learner => learner.widen(features.max(n_columns), keep_gamma))?;
        }
        Ok(())
    }
}

/// An untrained learner that shares the preprocessing of another.
fn with_preprocessing_of<T: Real>(spec: &CheckedSpec, other: &Learner<T>, task: Task) -> Result<Learner<T>> {
    let mut learner = spec.build(other.n_columns(), task)?;
    learner.share_preprocessing_of(other)?;
    Ok(learner)
}
