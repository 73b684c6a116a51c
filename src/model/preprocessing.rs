//! Setting the preprocessing of a model before its first row, and appending features.

use super::{FixedPreprocessing, Model, with_learner};
use crate::error::{Error, Result};

impl Model {
    /// Sets fixed means and standard deviations for scaling, before the first row.
    ///
    /// # Errors
    /// If the model is trained; and as [`Learner::set_scaling`](crate::learner::Learner::set_scaling).
    pub fn set_scaling(&mut self, mean: Vec<f64>, deviation: Vec<f64>) -> Result<()> {
        if self.preprocessing.as_ref().is_some_and(|given| given.learner().is_some()) {
            return Err(Error::State(
                "a model with feature_space shares its scaling, so set_scaling is not possible".into(),
            ));
        }
        let is_trained = self.trained.is_some();
        self.preprocessing = Some(FixedPreprocessing::scaling(&self.spec, is_trained, mean, deviation)?);
        Ok(())
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
            let reason = "a model takes the feature space of another before its first row, and without a separate scaling";
            return Err(Error::State(reason.into()));
        }
        let Some(learner) = &other.trained else {
            return Err(Error::parameter(
                "feature_space",
                "a model that has learned rows",
                "a model without rows",
            ));
        };
        self.preprocessing = Some(FixedPreprocessing::shared(&self.spec, learner)?);
        self.columns.clone_from(&other.columns);
        Ok(())
    }

    /// Adds features, for new columns or categories. Gamma is recomputed for the larger number of features unless
    /// `keep_gamma`.
    ///
    /// # Errors
    /// As [`Learner::add_features`](crate::learner::Learner::add_features).
    pub fn add_features(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
        let shared = match &mut self.preprocessing {
            Some(FixedPreprocessing::Shared(learner)) => Some(&mut **learner),
            _ => None,
        };
        for learner in self.trained.iter_mut().chain(shared) {
            // Earlier rows may have had more columns, if the learner accepts any number.
            let n_columns = with_learner!(&*learner, learner => learner.n_columns());
            with_learner!(learner, learner => learner.add_features(features.max(n_columns), keep_gamma))?;
            if let Some(columns) = &self.columns {
                let categories = columns.categorical_columns();
                with_learner!(learner, learner => learner.set_categories(&categories));
            }
        }
        Ok(())
    }
}
