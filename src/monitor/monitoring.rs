//! All monitoring of a learner.

use super::{
    Averaging, Calibration, Counts, Feedback, Monitor, Observation, OnlineMonitor, PredictionSets,
    Progressive, Thresholds,
};
use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::component::{Component, Loading, optional, optional_mut};
use crate::error::Result;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::params::CheckedSpec;
use crate::persist::Tensors;
use crate::rng::Rng;
use crate::rules::AnyRule;
use crate::store::{KernelExpansion, OnEdit, Predictor, RowScores};

/// Model averaging, and the online monitor of `online-kernel`; both are optional.
#[derive(Debug, Clone)]
pub(crate) struct Monitoring<T: Real> {
    averaging: Option<Averaging<T>>,
    online: Option<OnlineMonitor<T>>,
}

impl<T: Real> Monitoring<T> {
    /// The monitoring of checked parameters. Sampled models start as copies of `empty`, a model without a linear term.
    pub(crate) fn new(spec: &CheckedSpec, empty: &KernelExpansion<T>, task: Task) -> Self {
        Self { averaging: Averaging::new(spec, empty), online: OnlineMonitor::new(spec, task) }
    }

    /// The number of means that the model accumulates.
    pub(crate) fn means(&self) -> usize {
        self.averaging.as_ref().map_or(0, Averaging::means)
    }

    /// Whether only the progressive error is observed, so that the plain loop can leave monitoring out.
    pub(crate) fn is_plain(&self) -> bool {
        let Self { averaging, online } = self;
        averaging.is_none() && online.is_none()
    }

    /// The model used for prediction: the last model, a sampled model, or the last model with averaged coefficients.
    pub(crate) fn predictor<'a>(&'a self, last: &'a KernelExpansion<T>) -> Predictor<'a, T> {
        let Some(averaging) = &self.averaging else { return Predictor::new(last) };
        if let Some(sampled) = averaging.sampled() {
            return Predictor::new(sampled);
        }
        if self.online.as_ref().is_none_or(OnlineMonitor::predicts_with_mean) {
            Predictor { coefficients: averaging.mean(last), ..Predictor::new(last) }
        } else {
            Predictor::new(last)
        }
    }

    /// Sets the kernel of the sampled models.
    pub(crate) fn set_kernel(&mut self, kernel: AnyKernel) {
        if let Some(averaging) = &mut self.averaging {
            averaging.set_kernel(kernel);
        }
    }

    /// The number of abrupt drifts so far; 0 without drift detection.
    pub(crate) fn n_drifts(&self) -> u64 {
        self.online.as_ref().map_or(0, OnlineMonitor::n_drifts)
    }

    /// The thresholds of prediction sets.
    pub(crate) fn sets(&self) -> Option<&PredictionSets> {
        self.online.as_ref().and_then(OnlineMonitor::sets)
    }

    /// The half widths of prediction intervals in units of the expected error.
    pub(crate) fn intervals(&self) -> Option<&Thresholds> {
        self.online.as_ref().and_then(OnlineMonitor::intervals)
    }

    /// Replaces the half widths of prediction intervals, if there are any.
    pub(crate) fn set_half_widths(&mut self, half_widths: &[f64]) -> Result<()> {
        self.online.as_mut().map_or(Ok(()), |online| online.set_half_widths(half_widths))
    }

    /// The calibration of probabilities.
    pub(crate) fn calibration(&self) -> Option<&Calibration> {
        self.online.as_ref().and_then(OnlineMonitor::calibration)
    }

    /// Continues the monitoring `main` after `n_seen` rows with the combination `model` of `parts`: each with its
    /// share, and whether it has two classes in the other order. The shares sum to 1.
    pub(crate) fn combine<'a>(
        &mut self,
        main: &Self,
        parts: impl Iterator<Item = (&'a Self, f64, bool)>,
        model: &KernelExpansion<T>,
        n_seen: u64,
    ) {
        self.online.clone_from(&main.online);
        let parts: Vec<_> = parts.collect();
        if let Some(averaging) = &mut self.averaging {
            averaging.start_from(n_seen, model);
        }
        if let Some(online) = &mut self.online {
            let monitors = parts.iter().filter_map(|(part, share, _)| Some((part.online.as_ref()?, *share)));
            online.average_thresholds(monitors);
            let parts = parts.into_iter().filter_map(|(part, share, swapped)| {
                let calibration = part.calibration()?;
                Some((if swapped { calibration.with_swapped_classes() } else { calibration.clone() }, share))
            });
            online.set_calibration(Calibration::mean(parts));
        }
    }

    /// The parts with state, in the order in which files are read.
    fn parts(&self) -> impl Iterator<Item = &dyn Component<T>> {
        let Self { averaging, online } = self;
        [optional(averaging.as_ref()), optional(online.as_ref())].into_iter().flatten()
    }

    /// The parts with state for changes, in the order of [`Monitoring::parts`].
    fn parts_mut(&mut self) -> impl Iterator<Item = &mut dyn Component<T>> {
        let Self { averaging, online } = self;
        [optional_mut(averaging), optional_mut(online)].into_iter().flatten()
    }
}

impl<T: Real> Component<T> for Monitoring<T> {
    fn add_features(&mut self, features: usize) {
        self.parts_mut().for_each(|part| part.add_features(features));
    }

    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        self.parts_mut().for_each(|part| part.add_outputs(added, task));
    }

    fn save(&self, out: &mut Tensors) {
        self.parts().for_each(|part| part.save(out));
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        self.parts_mut().try_for_each(|part| part.load(from, head))
    }
}

impl<T: Real> Monitor<T> for Monitoring<T> {
    #[inline(always)]
    fn effective_n_before(&self, t: u64) -> f64 {
        self.online.as_ref().map_or(0.0, |online| online.effective_n(t - 1))
    }

    #[inline(always)]
    fn begin_row(&mut self, t: u64, model: &mut KernelExpansion<T>, rng: &mut Rng) {
        if let Some(averaging) = &mut self.averaging {
            averaging.begin_row(t, model, rng);
        }
    }

    #[inline(always)]
    fn observe(
        &mut self,
        row: Observation<'_, T>,
        scores: &mut RowScores<T>,
        model: &mut KernelExpansion<T>,
        rule: &mut AnyRule,
        derived_state: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) -> Feedback<T> {
        match &mut self.online {
            None => Progressive.observe(row, scores, model, rule, derived_state, counts),
            Some(online) => online.observe(row, scores, model, rule, derived_state, counts),
        }
    }

    #[inline(always)]
    fn end_row(&mut self, t: u64, model: &mut KernelExpansion<T>) {
        if let Some(averaging) = &mut self.averaging {
            let effective_n = self.online.as_ref().map_or(t as f64, |online| online.effective_n(t));
            averaging.end_row(t, effective_n, model);
        }
    }
}
