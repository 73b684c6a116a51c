//! What can be known of a model.

use super::predict::Predictor;
use super::{Averaging, Counts, Learner, OnlineMonitor};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::label::Task;
use crate::metric::Metric;
use crate::params::CheckedSpec;
use crate::store::KernelExpansion;

impl<T: Real> Learner<T> {
    /// What the model has seen.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Abrupt changes of the stream that were found; 0 where none are looked for.
    #[must_use]
    pub fn n_drifts(&self) -> u64 {
        self.serving.as_ref().map_or(0, OnlineMonitor::alarms)
    }

    /// Features of a row; where columns are folded, those that they are folded into.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.store.features()
    }

    /// Columns of a row. Where they are folded, rows may have any number of them: this is that of the widest batch that
    /// was learned, or more if the model was told so.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.hashing.as_ref().map_or(self.store.features(), |hashing| hashing.columns)
    }

    /// Whether memory has room for another model like this one.
    pub(crate) fn fits_again(&self) -> bool {
        self.spec.check_size::<T>(self.store.features(), self.task).is_ok()
    }

    /// Classes; for two of them the model has one output. 0 in regression.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.task.classes()
    }

    /// What is predicted.
    #[must_use]
    pub fn task(&self) -> Task {
        self.task
    }

    /// The learned metric A, `n_features` numbers to the row; of a diagonal one the diagonal alone. None where none is
    /// learned.
    #[must_use]
    pub fn metric(&self) -> Option<Vec<T>> {
        self.metric.as_ref().map(Metric::entries)
    }

    /// The linear part of the model that predicts: `n_outputs` rows of `n_features` numbers, and `n_outputs` constants.
    /// None where there is none.
    #[must_use]
    pub fn linear(&self) -> Option<(Vec<T>, Vec<T>)> {
        let Predictor { store, expansion } = self.served();
        let linear = expansion.linear()?;
        let scaled = |a: T| T::from_f64(a.to_f64() * store.scale());
        let outputs = 0..store.outputs();
        let entries = outputs.clone().flat_map(|output| (0..store.features()).map(move |j| (output, j)));
        let matrix = entries.map(|(output, j)| scaled(linear.get(output, j))).collect();
        Some((matrix, outputs.map(|output| scaled(linear.constant(output))).collect()))
    }

    /// Whether rows are scaled as another model scales them.
    pub(crate) fn scales_like(&self, other: &Self) -> bool {
        match (&self.scaling, &other.scaling) {
            (Some(own), Some(its)) => own.scales_like(its),
            (own, its) => own.is_none() && its.is_none(),
        }
    }

    /// Whether there is a linear part.
    pub(crate) fn has_linear(&self) -> bool {
        self.inclination.is_some()
    }

    /// Support vectors of the model that predicts.
    #[must_use]
    pub fn n_support(&self) -> usize {
        self.served_store().len()
    }

    /// The vectors of the model that predicts.
    fn served_store(&self) -> &KernelExpansion<T> {
        self.averaging.as_ref().and_then(Averaging::sampled).unwrap_or(&self.store)
    }

    /// Columns of coefficients and scores.
    #[must_use]
    pub fn n_outputs(&self) -> usize {
        self.store.outputs()
    }

    /// The kernel with its width in force.
    #[must_use]
    pub fn kernel(&self) -> AnyKernel {
        self.kernel
    }

    /// The parameters.
    #[must_use]
    pub fn spec(&self) -> &CheckedSpec {
        &self.spec
    }

    /// The mean gradient error `|Delta w_t| / eta_t` per budget maintenance (Wang, Crammer and Vucetic 2010, Theorem
    /// 1); 0 before the first.
    #[must_use]
    pub fn mean_weight_degradation(&self) -> f64 {
        if self.counts.maintenances == 0 {
            return 0.0;
        }
        self.counts.gradient_error / self.counts.maintenances as f64
    }

    /// Copies the support vectors, `n_support` rows of `n_features`, in insertion order.
    #[must_use]
    pub fn support_vectors(&self) -> Vec<T> {
        let (store, features) = (self.served_store(), self.store.features());
        let mut all = vec![T::ZERO; store.len() * features];
        if features > 0 {
            for (slot, x) in store.order().iter().zip(all.chunks_exact_mut(features)) {
                store.read(slot, x);
            }
        }
        all
    }

    /// Copies the coefficients, `n_outputs` rows of `n_support`, in insertion order, the scale included.
    #[must_use]
    pub fn dual_coef(&self) -> Vec<T> {
        let Predictor { store, expansion } = self.served();
        let outputs = 0..store.outputs();
        outputs
            .flat_map(|output| store.order().iter().map(move |slot| (slot, output)))
            .map(|(slot, output)| T::from_f64(expansion.get(slot, output).to_f64() * store.scale()))
            .collect()
    }
}
