//! Models that begin like one that has learned.

use super::{AnyLearner, Model, with_learner};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use crate::learner::Learner;

impl Model {
    /// Has the learner of the first rows begin with gamma, scaling, metric and columns of a model that has learned;
    /// they stay as they are. So models that begin like one model have one kernel, and [`Model::combine`] takes them.
    ///
    /// # Errors
    /// When this model has learned or has a scaling, the other has not learned, or the two differ in kernel, gamma,
    /// scale, missing, metric, `hash_features` or, with that, seed.
    pub fn begin_like(&mut self, other: &Self) -> Result<()> {
        if self.trained.is_some() || self.scaling.is_some() {
            let reason = "a model begins like another before its first row, and without a scaling of its own";
            return Err(Error::State(reason.into()));
        }
        self.like = Some(Box::new(match &other.trained {
            None => return Err(Error::parameter("like", "a model that has learned", "one that has not")),
            Some(AnyLearner::F32(learner)) => AnyLearner::F32(self.without_rows(learner)?),
            Some(AnyLearner::F64(learner)) => AnyLearner::F64(self.without_rows(learner)?),
        }));
        self.columns.clone_from(&other.columns);
        Ok(())
    }

    /// A learner of these parameters that begins like another.
    fn without_rows<T: Real>(&self, other: &Learner<T>) -> Result<Learner<T>> {
        let numbers = self.spec.spec().loss.is_regression();
        let task = if numbers { Task::Regression } else { Task::Classes(2) };
        let mut learner = self.spec.build(other.n_columns(), task)?;
        learner.share_preprocessing_of(other)?;
        Ok(learner)
    }

    /// Has room for the features of columns and words that are new, in what is learned and in what it begins like;
    /// gamma follows from the number of features unless it is kept.
    ///
    /// # Errors
    /// As [`Learner::widen`].
    pub fn widen(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
        for learner in self.trained.iter_mut().chain(self.like.as_deref_mut()) {
            // Rows that are folded may have been wider.
            let now = with_learner!(&*learner, learner => learner.n_columns());
            with_learner!(learner, learner => learner.widen(features.max(now), keep_gamma))?;
        }
        Ok(())
    }
}
