//! What is set before the first row, and features that are appended later.

use super::Learner;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::kernel::AnyKernel;

impl<T: Real> Learner<T> {
    /// Sets the kernel of an empty model, and of the sampled models that may predict instead of it.
    pub(super) fn set_kernel(&mut self, kernel: AnyKernel) {
        self.model.set_kernel(kernel);
        self.monitoring.set_kernel(kernel);
    }

    /// Standardises every row before the kernel sees it: `(x - mean) / deviation`, a deviation of 0 counting as 1. Kernels
    /// of differences of rows need no shift, and do without it, so that sparse rows stay sparse. With `hash_features` the
    /// hashed rows are standardised.
    ///
    /// # Errors
    /// When rows have been learned, the model standardises rows by itself, or a length or a value is invalid.
    pub fn set_scaling(&mut self, mean: &[f64], deviation: &[f64]) -> Result<()> {
        if self.progress.counts.n_seen > 0 {
            return Err(Error::State("the scaling must be set before the first row is learned".into()));
        }
        let shifted = !self.model.kernel().translation_invariant();
        self.input.set_scaling((mean, deviation), self.model.features(), shifted)
    }

    /// Copies gamma, scaler and metric of a model that has learned, before the first row, and freezes them. Models with
    /// one feature space have one kernel, and can be combined.
    ///
    /// # Errors
    /// When rows have been learned, or kernel, scaling, metric, hash or number of columns of the two differ.
    pub fn share_preprocessing_of(&mut self, other: &Self) -> Result<()> {
        if self.progress.counts.n_seen > 0 {
            return Err(Error::State("a model can begin like another before its first row only".into()));
        }
        let (own, its) = (self.spec.spec(), other.spec.spec());
        let same = [
            ("kernel", own.kernel == its.kernel && own.kernel_parameters == its.kernel_parameters),
            ("gamma", own.gamma == its.gamma),
            ("scale", own.scale == its.scale),
            ("missing", own.missing == its.missing),
            ("metric", own.metric == its.metric),
            ("hash_features", own.hash_features == its.hash_features),
            ("seed", own.hash_features.is_none() || own.seed == its.seed),
        ];
        if let Some((name, _)) = same.into_iter().find(|(_, same)| !same) {
            let got = format!("one of another {name}");
            return Err(Error::parameter("like", format!("a model of the same {name}"), got));
        }
        if self.n_columns() != other.n_columns() {
            let expected = format!("{} columns, as the model has that it begins like", other.n_columns());
            return Err(Error::shape("X", expected, self.n_columns()));
        }
        self.set_kernel(other.model.kernel());
        self.input.freeze_copy_of(&other.input);
        Ok(())
    }

    /// Appends features that are zero in every row so far: bit-identical to a model that knew the number of features in
    /// advance.
    ///
    /// A metric and a linear term are the exception: their steps depend on the present number of features. So does
    /// gamma with `gamma = "scale"`, which is frozen with the features from which it was computed. `keep_gamma` leaves
    /// gamma as it is even if it still follows from the number of features: to predict rows with unknown features.
    ///
    /// With `hash_features` rows may have any number of columns, so only [`Learner::n_columns`] changes.
    ///
    /// # Errors
    /// When `features` is less than the model has, or more than fit into memory; without `keep_gamma`, once a row is
    /// learned, also when gamma follows from the number of features: with "auto", and with "scale" before row 1024.
    pub fn widen(&mut self, features: usize, keep_gamma: bool) -> Result<()> {
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
        } else if features > self.model.features() && !keep_gamma && !self.input.is_frozen() {
            self.check_gamma_stays()?;
        }
        self.components_mut().into_iter().for_each(|component| component.widen(features));
        Ok(())
    }
}
