//! Models that share the preprocessing of a trained model.

use super::{AnyLearner, Model, with_learner};
use crate::batch::Task;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::trainer::Learner;

impl Model {
    /// Copies gamma, scaling, metric and columns of a trained model, and freezes them. Models that share the
    /// preprocessing of one model have equal kernels, so that [`Model::combine`] can combine them.
    ///
    /// # Errors
    /// If this model is trained or has a scaling, the other is not trained, or the two differ in kernel, gamma, scale,
    /// missing, metric, `hash_features` or, with hashing, seed.
    pub fn share_preprocessing_of(&mut self, other: &Self) -> Result<()> {
        if self.trained.is_some() || self.scaling.is_some() {
            let reason = "a model begins like another before its first row, and without a scaling of its own";
            return Err(Error::State(reason.into()));
        }
        self.preprocessing = Some(Box::new(match &other.trained {
            None => return Err(Error::parameter("like", "a model that has learned", "one that has not")),
            Some(AnyLearner::F32(learner)) => AnyLearner::F32(self.untrained_with_preprocessing_of(learner)?),
            Some(AnyLearner::F64(learner)) => AnyLearner::F64(self.untrained_with_preprocessing_of(learner)?),
        }));
        self.columns.clone_from(&other.columns);
        Ok(())
    }

    /// An untrained learner that shares the preprocessing of another.
    fn untrained_with_preprocessing_of<T: Real>(&self, other: &Learner<T>) -> Result<Learner<T>> {
        let regression = self.spec.spec().loss.is_regression();
        let task = if regression { Task::Regression } else { Task::Classes(2) };
        let mut learner = self.spec.build(other.n_columns(), task)?;
        learner.share_preprocessing_of(other)?;
        Ok(learner)
    }

    /// Adds features, for new columns or categories. Gamma is recomputed for the larger number of features unless
    /// `keep_gamma`.
    ///
    /// # Errors
    /// As [`Learner::widen`].
    pub fn widen(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
        for learner in self.trained.iter_mut().chain(self.preprocessing.as_deref_mut()) {
            // With feature hashing, earlier rows may have had more columns.
            let n_columns = with_learner!(&*learner, learner => learner.n_columns());
            with_learner!(learner, learner => learner.widen(features.max(n_columns), keep_gamma))?;
        }
        Ok(())
    }
}
