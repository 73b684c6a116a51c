//! Inspection of a model: size, counters, support vectors and coefficients.

use super::{Baselines, Counts, Learner};
use crate::batch::Task;
use crate::expansion::{KernelExpansion, Predictor};
use crate::float::Real;
use crate::input::{RunningScaler, Scaler};
use crate::kernel::AnyKernel;
use crate::ops::moments::EXCESS_WEIGHT;
use crate::params::CheckedSpec;

impl<T: Real> Learner<T> {
    /// The counters of learned rows, errors and maintenance.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.progress.counts
    }

    /// The errors of the baselines of the progressive error.
    #[must_use]
    pub fn baselines(&self) -> &Baselines {
        &self.progress.baselines
    }

    /// The counters for changes, for tests of invalid model files.
    #[cfg(test)]
    pub(crate) fn counts_mut(&mut self) -> &mut Counts {
        &mut self.progress.counts
    }

    /// The number of abrupt drifts detected; 0 without drift detection.
    #[must_use]
    pub fn n_drifts(&self) -> u64 {
        self.monitors.n_drifts()
    }

    /// The numbers of the rows, from 1 on, at which the last abrupt drifts were detected, at most 16, the newest last.
    #[must_use]
    pub fn drift_rows(&self) -> &[u64] {
        self.monitors.drift_rows()
    }

    /// The number of times that the online scaling of a feature started anew, for all features together: because many
    /// successive values were unusual, for example after a change of unit. 0 without online scaling.
    #[must_use]
    pub fn n_restarts(&self) -> u64 {
        self.input.row_transform().running().map_or(0, RunningScaler::n_restarts)
    }

    /// The features with one value that repeats far outside the range of the other values, these values, and
    /// the number of rows that have them at least. Online scaling treats such a value, for example -999, as
    /// missing. Empty without online scaling.
    #[must_use]
    pub fn repeated_outliers(&self) -> Vec<(usize, f64, u32)> {
        self.input.row_transform().scaler.as_ref().map_or(Vec::new(), Scaler::repeated_outliers)
    }

    /// The share of the targets' variance that recent predictions left unexplained, each of a row about to be
    /// learned; None except in regression with `online-kernel`.
    pub(crate) fn unexplained_variance(&self) -> Option<f64> {
        self.rule.unexplained_variance()
    }

    /// The number of features of a row; with `hash_features` the number of hashed features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.expansion.features()
    }

    /// The number of columns of a row. With `hash_features` rows may have any number of columns: this is the largest
    /// number learned or set by [`Learner::add_features`].
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.input.n_columns(self.expansion.features())
    }

    /// Whether rows may have any number of columns.
    pub(crate) fn accepts_any_columns(&self) -> bool {
        self.input.accepts_any_columns()
    }

    /// Whether gamma, scaler and metric were copied from another model.
    pub(crate) fn is_frozen(&self) -> bool {
        self.input.is_frozen()
    }

    /// The number of classes seen so far (open class set), or of all classes (closed set).
    pub(crate) fn n_seen_classes(&self) -> usize {
        self.progress.n_seen_classes
    }

    /// Sets the number of classes seen so far.
    pub(crate) fn set_n_seen_classes(&mut self, classes: usize) {
        self.progress.n_seen_classes = classes;
    }

    /// Whether a copy of this model fits into memory.
    pub(crate) fn copy_fits_into_memory(&self) -> bool {
        self.spec.check_size::<T>(self.expansion.features(), self.progress.task).is_ok()
    }

    /// The number of classes; 0 in regression. A model of two classes has one output.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.progress.task.classes()
    }

    /// The prediction task.
    #[must_use]
    pub fn task(&self) -> Task {
        self.progress.task
    }

    /// The learned metric A, `n_features` entries per row, or only the diagonal of a diagonal metric. None without
    /// metric learning.
    #[must_use]
    pub fn components(&self) -> Option<Vec<T>> {
        self.input.metric_entries()
    }

    /// The linear term of the model used for prediction: `n_outputs` rows of `n_features` entries, and `n_outputs`
    /// constants. None without a linear term.
    #[must_use]
    pub fn linear(&self) -> Option<(Vec<T>, Vec<T>)> {
        let Predictor { expansion, coefficients, .. } = self.predictor();
        let Some(linear) = coefficients.linear() else {
            // The vote of recent rows has no linear term.
            let (outputs, features) = (expansion.outputs(), expansion.features());
            let zeros = || (vec![T::ZERO; outputs * features], vec![T::ZERO; outputs]);
            return self.expansion.has_linear().then(zeros);
        };
        let scaled = |a: T| T::from_f64(a.to_f64() * expansion.factor());
        let outputs = 0..expansion.outputs();
        let entries = outputs.clone().flat_map(|output| (0..expansion.features()).map(move |j| (output, j)));
        let matrix = entries.map(|(output, j)| scaled(linear.get(output, j))).collect();
        Some((matrix, outputs.map(|output| scaled(linear.constant(output))).collect()))
    }

    /// The linear term beyond the clip of standardisation, which regression with `online-kernel` has: `n_outputs` rows
    /// of `n_features` slopes for the values from 3 to 40 standard deviations from the mean. None without it.
    #[must_use]
    pub fn linear_tail(&self) -> Option<Vec<T>> {
        let Predictor { expansion, coefficients, .. } = self.predictor();
        let excess = coefficients.linear()?.excess()?;
        let slope = |a: T| T::from_f64(EXCESS_WEIGHT * a.to_f64() * expansion.factor());
        let outputs = 0..expansion.outputs();
        let entries = outputs.flat_map(|output| (0..expansion.features()).map(move |j| (output, j)));
        Some(entries.map(|(output, j)| slope(excess.get(output, j))).collect())
    }

    /// What makes the feature space of another model a different one, if anything.
    pub(crate) fn feature_space_difference(&self, other: &Self) -> Option<&'static str> {
        let (a, b) = (&self.expansion, &other.expansion);
        let other_kernel = (a.kernel() != b.kernel()).then_some("kernel and gamma");
        let other_linear = (a.has_linear() != b.has_linear()).then_some("linear term");
        self.input.difference(&other.input).or(other_kernel).or(other_linear)
    }

    /// The number of support vectors of the model used for prediction.
    #[must_use]
    pub fn n_support(&self) -> usize {
        self.predicting_model().len()
    }

    /// The model with the support vectors used for prediction.
    fn predicting_model(&self) -> &KernelExpansion<T> {
        self.predictor().expansion
    }

    /// The number of outputs: the columns of coefficients and scores.
    #[must_use]
    pub fn n_outputs(&self) -> usize {
        self.expansion.outputs()
    }

    /// The kernel with its present gamma.
    #[must_use]
    pub fn kernel(&self) -> AnyKernel {
        self.expansion.kernel()
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
        if self.progress.counts.maintenances == 0 {
            return 0.0;
        }
        self.progress.counts.gradient_error / self.progress.counts.maintenances as f64
    }

    /// Copies the support vectors, `n_support` rows of `n_features`, in insertion order.
    #[must_use]
    pub fn support_vectors(&self) -> Vec<T> {
        let (expansion, features) = (self.predicting_model(), self.expansion.features());
        let mut all = vec![T::ZERO; expansion.len() * features];
        if features > 0 {
            for (slot, x) in expansion.order().iter().zip(all.chunks_exact_mut(features)) {
                expansion.read(slot, x);
            }
        }
        all
    }

    /// Copies the coefficients, `n_outputs` rows of `n_support`, in insertion order, the scale included.
    #[must_use]
    pub fn dual_coef(&self) -> Vec<T> {
        let Predictor { expansion, coefficients, .. } = self.predictor();
        let outputs = 0..expansion.outputs();
        outputs
            .flat_map(|output| expansion.order().iter().map(move |slot| (slot, output)))
            .map(|(slot, output)| T::from_f64(coefficients.get(slot, output).to_f64() * expansion.factor()))
            .collect()
    }
}
