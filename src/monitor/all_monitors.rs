//! All monitoring of a learner.

use super::{Averaging, Counts, OnlineMonitor, Probabilities, Thresholds, observe_error};
use crate::added_outputs::AddedOutputs;
use crate::batch::{Example, Task};
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::expansion::{Coefficients, KernelExpansion, OnEdit, Predictor, Scored};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::params::CheckedSpec;
use crate::persist::Tensors;
use crate::rng::Rng;
use crate::rules::AnyRule;
use std::sync::OnceLock;

/// Model averaging, and the online monitor of `online-kernel`; both are optional.
#[derive(Debug, Clone)]
pub(crate) struct AllMonitors<T: Real> {
    averaging: Option<Averaging<T>>,
    online: Option<OnlineMonitor<T>>,
    /// Cache of averaged or corrected coefficients for prediction, until the next row is learned.
    prediction_coefficients: OnceLock<Coefficients<T>>,
}

impl<T: Real> AllMonitors<T> {
    /// The monitoring of checked parameters. Sampled models start as copies of `empty`, a model without a linear term.
    pub(crate) fn new(spec: &CheckedSpec, empty: &KernelExpansion<T>, task: Task) -> Self {
        let online = OnlineMonitor::new(spec, task, empty);
        Self { averaging: Averaging::new(spec, empty), online, prediction_coefficients: OnceLock::new() }
    }

    /// The number of means that the model accumulates.
    pub(crate) fn means(&self) -> usize {
        self.averaging.as_ref().map_or(0, Averaging::means)
    }

    /// Whether only the progressive error is observed, so that the plain loop can leave monitoring out.
    pub(crate) fn is_plain(&self) -> bool {
        let Self { averaging, online, .. } = self;
        averaging.is_none() && online.is_none()
    }

    /// The model used for prediction: the vote of recent rows if it saves errors, otherwise [`AllMonitors::learned`].
    pub(crate) fn predictor<'a>(&'a self, last: &'a KernelExpansion<T>) -> Predictor<'a, T> {
        let vote = self.probabilities().and_then(Probabilities::vote);
        vote.map_or_else(|| self.learned(last), |vote| Predictor::new(vote.expansion()))
    }

    /// The learned model: the last model, a sampled model, or the last model with averaged coefficients, and
    /// the correction of its scores.
    pub(crate) fn learned<'a>(&'a self, last: &'a KernelExpansion<T>) -> Predictor<'a, T> {
        let averaging = self.averaging.as_ref();
        let expansion = averaging.and_then(Averaging::sampled).unwrap_or(last);
        let is_mean = averaging.is_some_and(Averaging::has_mean)
            && self.online.as_ref().is_none_or(OnlineMonitor::predicts_with_mean);
        let correction = self.probabilities().and_then(Probabilities::correction);
        if !is_mean && correction.is_none() {
            return Predictor::new(expansion);
        }
        let coefficients = self.prediction_coefficients.get_or_init(|| {
            let mut coefficients = if is_mean { last.mean(0) } else { expansion.coefficients().clone() };
            if let Some(correction) = correction {
                coefficients.add_linear(correction.term(), expansion.factor());
            }
            coefficients
        });
        Predictor { coefficients, ..Predictor::new(expansion) }
    }

    /// The effective number of rows before row `t`; 0 without an online monitor.
    #[inline(always)]
    pub(crate) fn effective_n_before(&self, t: u64) -> f64 {
        self.online.as_ref().map_or(0.0, |online| online.effective_n(t - 1))
    }

    /// Sets the kernel of the sampled models and of the vote of recent rows.
    pub(crate) fn set_kernel(&mut self, kernel: AnyKernel) {
        if let Some(averaging) = &mut self.averaging {
            averaging.set_kernel(kernel);
        }
        if let Some(online) = &mut self.online {
            online.set_kernel(kernel);
        }
    }

    /// The number of abrupt drifts so far; 0 without drift detection.
    pub(crate) fn n_drifts(&self) -> u64 {
        self.online.as_ref().map_or(0, OnlineMonitor::n_drifts)
    }

    /// The numbers of the rows of the last drifts, at most 16, the newest last.
    pub(crate) fn drift_rows(&self) -> &[u64] {
        self.online.as_ref().map_or(&[], OnlineMonitor::drift_rows)
    }

    /// Probabilities and prediction sets; None without an online monitor and in regression.
    pub(crate) fn probabilities(&self) -> Option<&Probabilities<T>> {
        self.online.as_ref().and_then(OnlineMonitor::probabilities)
    }

    /// The number of slots of the window of recent rows.
    pub(crate) fn recent_slots(&self) -> usize {
        self.probabilities().map_or(0, Probabilities::recent_slots)
    }

    /// The half widths of prediction intervals in units of the expected error.
    pub(crate) fn intervals(&self) -> Option<&Thresholds> {
        self.online.as_ref().and_then(OnlineMonitor::intervals)
    }

    /// Replaces the half widths of prediction intervals, if there are any.
    pub(crate) fn set_half_widths(&mut self, half_widths: &[f64]) -> Result<()> {
        self.online.as_mut().map_or(Ok(()), |online| online.set_half_widths(half_widths))
    }

    /// Continues the monitors `main` after `n_seen` rows; `expansion` is the combination of `parts`, whose shares sum
    /// to 1.
    pub(crate) fn combine<'a>(
        &mut self,
        main: &Self,
        parts: impl Iterator<Item = (&'a Self, f64)>,
        expansion: &KernelExpansion<T>,
        n_seen: u64,
    ) {
        self.prediction_coefficients.take();
        self.online.clone_from(&main.online);
        if let Some(averaging) = &mut self.averaging {
            averaging.start_from(n_seen, expansion);
        }
        if let Some(online) = &mut self.online {
            let parts: Vec<_> =
                parts.filter_map(|(part, share)| Some((part.online.as_ref()?, share))).collect();
            online.combine(&parts);
        }
    }
}

impl<T: Real> Component<T> for AllMonitors<T> {
    fn add_features(&mut self, features: usize) {
        self.prediction_coefficients.take();
        self.averaging.add_features(features);
        self.online.add_features(features);
    }

    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        self.prediction_coefficients.take();
        self.averaging.add_outputs(added, task);
        self.online.add_outputs(added, task);
    }

    fn save(&self, out: &mut Tensors) {
        self.averaging.save(out);
        self.online.save(out);
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        self.averaging.load(from, head)?;
        self.online.load(from, head)
    }
}

impl<T: Real> AllMonitors<T> {
    /// Starts a row: suffix averaging and sampling include the model before the row. The example gets the effective
    /// number of rows before it.
    #[inline(always)]
    pub(crate) fn begin_row(
        &mut self,
        example: &mut Example,
        expansion: &mut KernelExpansion<T>,
        rng: &mut Rng,
    ) {
        self.prediction_coefficients.take();
        example.effective_n_before = self.effective_n_before(example.t);
        if let Some(averaging) = &mut self.averaging {
            averaging.begin_row(example.t, expansion, rng);
        }
    }

    /// Counts a scored row and its prediction error, and updates calibration and drift detection, before the row is
    /// learned. An abrupt drift restarts the means, and may set all coefficients to zero.
    /// `online-kernel` regression with a linear term starts from its first target. The example gets the effective number of rows.
    #[inline(always)]
    pub(crate) fn observe(
        &mut self,
        scored: &mut Scored<'_, T>,
        expansion: &mut KernelExpansion<T>,
        rule: &mut AnyRule,
        derived_state: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) {
        match &mut self.online {
            None => observe_error(scored, expansion, counts),
            Some(online) => online.observe(scored, expansion, rule, derived_state, counts),
        }
    }

    /// Ends row `t`, whether the row changed the model or not: windows of suffix averaging and sampling may start, and
    /// polynomial-decay averaging includes the model after the row.
    #[inline(always)]
    pub(crate) fn end_row(&mut self, t: u64, expansion: &mut KernelExpansion<T>) {
        if let Some(averaging) = &mut self.averaging {
            let effective_n = self.online.as_ref().map_or(t as f64, |online| online.effective_n(t));
            averaging.end_row(t, effective_n, expansion);
        }
    }
}
