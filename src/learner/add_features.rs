//! Adding features to a model.

use super::Learner;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::parameter::ParameterType;
use crate::params::Gamma;

impl<T: Real> Learner<T> {
    /// Sets the categorical column of each feature, None for other features. In models with
    /// `scaling = "online"` the features of a column of many categories get a smaller weight. Without effect
    /// for other models and with `hash_features`.
    pub(crate) fn set_categories(&mut self, columns: &[Option<u32>]) {
        if columns.len() == self.expansion.features() {
            self.input.set_categories(columns);
        }
    }

    /// Increases the number of features to `features`; the new features are zero in every row so far. The model is
    /// bit-identical to a model with this number of features from the start.
    ///
    /// The exceptions are metric and linear term, whose steps depend on the present number of features, and gamma with
    /// `gamma = "scale"`, which is final with the features from which it was computed. With `keep_gamma` gamma does not
    /// change even if it depends on the number of features; use it to predict rows with unknown features.
    ///
    /// With `hash_features` rows may have any number of columns, so only [`Learner::n_columns`] changes.
    ///
    /// # Errors
    /// If `features` is less than the number of features of the model, or the model would not fit into memory. Without
    /// `keep_gamma`, after the first row, also if gamma depends on the number of features: with "auto", and with
    /// "scale" before row 1024.
    pub fn add_features(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
        if features < self.n_columns() {
            let expected = format!("at least {}", self.n_columns());
            return Err(Error::parameter("n_features", expected, features));
        }
        if self.input.set_columns(features) {
            return Ok(());
        }
        self.spec.check_size::<T>(features, self.progress.task)?;
        if self.progress.counts.n_seen == 0 && !self.input.is_frozen() {
            self.set_kernel(self.spec.kernel(features));
        } else if features > self.expansion.features() && !keep_gamma && !self.input.is_frozen() {
            self.check_gamma_ignores_n_features()?;
        }
        self.all_components_mut().into_iter().for_each(|component| component.add_features(features));
        Ok(())
    }

    /// Checks that gamma does not depend on the number of features any more.
    fn check_gamma_ignores_n_features(&self) -> Result<()> {
        let given = self.spec.spec().gamma;
        let ignores_n_features = match given {
            Gamma::Value(_) | Gamma::Standardized => true,
            Gamma::Scale => self.input.has_final_gamma(),
            Gamma::Auto => false,
        };
        if ignores_n_features || self.expansion.kernel().gamma().is_none() {
            return Ok(());
        }
        let expected =
            "a number, \"standardized\", or \"scale\" after row 1024, to add features after the first row";
        let got = format!("{} after row {}", given.to_value(), self.progress.counts.n_seen);
        Err(Error::parameter("gamma", expected, got))
    }
}
