//! Preprocessing that is set before the first row: given scaling, or a frozen copy of another model's preprocessing.

use super::Learner;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;

impl<T: Real> Learner<T> {
    /// Sets the kernel of an empty model and of its sampled models.
    pub(super) fn set_kernel(&mut self, kernel: AnyKernel) {
        self.expansion.set_kernel(kernel);
        self.monitors.set_kernel(kernel);
    }

    /// Standardises every row by given statistics: `(x - mean) / deviation`, where a deviation of 0 counts as 1. Rows
    /// are not shifted for translation-invariant kernels, so that sparse rows stay sparse. With `hash_features` the
    /// hashed rows are standardised.
    ///
    /// # Errors
    /// If rows have been learned, the model has `scaling = "online"` or the feature space of another model,
    /// or a length or a value is invalid.
    pub fn set_scaling(&mut self, mean: &[f64], deviation: &[f64]) -> Result<()> {
        if self.progress.counts.n_seen > 0 {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        if self.input.is_frozen() {
            return Err(Error::State(
                "a model with feature_space shares its scaling, so set_scaling is not possible".into(),
            ));
        }
        let shifted = !self.expansion.kernel().translation_invariant();
        self.input.set_scaling((mean, deviation), self.expansion.features(), shifted)
    }

    /// Copies gamma, scaler and metric of another model before the first row, and freezes them. Models that share their
    /// feature space can be combined.
    ///
    /// # Errors
    /// If rows have been learned, the model has a given scaling, or kernel, scaling, metric, hashing or number of
    /// columns of the two models differ.
    pub fn share_preprocessing_of(&mut self, other: &Self) -> Result<()> {
        if self.progress.counts.n_seen > 0 {
            return Err(Error::State("feature_space must be set before the first row is learned".into()));
        }
        if self.input.has_given_scaling() {
            let reason = "feature_space cannot be combined with set_scaling";
            return Err(Error::State(reason.into()));
        }
        let (a, b) = (self.spec.spec(), other.spec.spec());
        let equal = [
            ("kernel", a.kernel == b.kernel && a.kernel_parameters == b.kernel_parameters),
            ("gamma", a.gamma == b.gamma),
            ("scaling", a.scaling == b.scaling),
            ("missing", a.missing == b.missing),
            ("metric_learning", a.metric_learning == b.metric_learning),
            ("hash_features", a.hash_features == b.hash_features),
            ("seed", a.hash_features.is_none() || a.seed == b.seed),
        ];
        if let Some((name, _)) = equal.into_iter().find(|(_, equal)| !equal) {
            let got = format!("a model with a different {name}");
            return Err(Error::parameter("feature_space", format!("a model with the same {name}"), got));
        }
        if self.n_columns() != other.n_columns() {
            let expected = format!("{} columns, as the model in feature_space", other.n_columns());
            return Err(Error::shape("X", expected, self.n_columns()));
        }
        self.set_kernel(other.expansion.kernel());
        self.input.freeze_copy_of(&other.input);
        Ok(())
    }
}
