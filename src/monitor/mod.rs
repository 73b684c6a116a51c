//! Monitoring of each row before and after it is learned: progressive error, drift, calibration, and model averaging.

mod adwin;
mod averaging;
mod calibration;
mod drift;
mod online;
mod progressive;

use adwin::Adwin;
pub(crate) use averaging::Averaging;
pub(crate) use calibration::Calibration;
use drift::Drift;
pub(crate) use online::OnlineMonitor;
pub use progressive::Counts;

use crate::batch::Label;
use crate::float::Real;
use crate::rng::Rng;
use crate::rules::AnyRule;
use crate::store::{KernelExpansion, OnEdit, Query, ScoreBuffers};

/// A row that has been scored and is about to be learned.
#[derive(Clone, Copy)]
pub(crate) struct Observation<'a, T: Real> {
    /// The number of the row, from 1 on.
    pub(crate) t: u64,
    pub(crate) label: Label,
    pub(crate) query: &'a Query<'a, T>,
    /// `k(x, x)`, the linear kernel of the linear term included.
    pub(crate) k_tt: T,
}

/// The result of an observation, for the rule that learns the row.
pub(crate) struct Feedback<T: Real> {
    /// The effective number of rows, the present one included.
    pub(crate) effective_n: f64,
    /// Whether there is gradual drift.
    pub(crate) drifting: bool,
    /// `k(x, x)`: the start of the linear term may have changed it.
    pub(crate) k_tt: T,
}

/// Observes each row before and after it is learned. The plain loop compiles with [`Progressive`].
pub(crate) trait Monitor<T: Real> {
    /// The effective number of rows after `n_seen` rows, for the statistics of the input; 0 if the model does not
    /// forget.
    fn effective_n(&self, n_seen: u64) -> f64;

    /// Adds the model before row `t` to the averages.
    fn begin(&mut self, t: u64, model: &mut KernelExpansion<T>, rng: &mut Rng);

    /// Observes the prediction of a row before the row is learned. Drift may reset the model.
    fn before(
        &mut self,
        row: Observation<'_, T>,
        scores: &mut ScoreBuffers<T>,
        model: &mut KernelExpansion<T>,
        rule: &mut AnyRule,
        on: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) -> Feedback<T>;

    /// Follows the learning of row `t`, whether the row changed the model or not.
    fn after(&mut self, t: u64, model: &mut KernelExpansion<T>);
}

/// Monitoring of the progressive error only.
pub(crate) struct Progressive;

impl<T: Real> Monitor<T> for Progressive {
    #[inline(always)]
    fn effective_n(&self, _: u64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn begin(&mut self, _: u64, _: &mut KernelExpansion<T>, _: &mut Rng) {}

    #[inline(always)]
    fn before(
        &mut self,
        row: Observation<'_, T>,
        scores: &mut ScoreBuffers<T>,
        model: &mut KernelExpansion<T>,
        _: &mut AnyRule,
        _: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) -> Feedback<T> {
        counts.observe(row.label, &scores.f, model.scale());
        Feedback { effective_n: row.t as f64, drifting: false, k_tt: row.k_tt }
    }

    #[inline(always)]
    fn after(&mut self, _: u64, _: &mut KernelExpansion<T>) {}
}

/// Model averaging, and the online monitor of `online-kernel`; both are optional.
#[derive(Debug, Clone)]
pub(crate) struct Monitoring<T: Real> {
    pub(crate) averaging: Option<Averaging<T>>,
    pub(crate) online: Option<OnlineMonitor<T>>,
}

impl<T: Real> Monitoring<T> {
    /// Whether only the progressive error is observed.
    pub(crate) fn is_plain(&self) -> bool {
        self.averaging.is_none() && self.online.is_none()
    }

    /// The number of the averaged model used for prediction; None if it is the last model.
    pub(crate) fn predicting_mean(&self) -> Option<usize> {
        self.online.as_ref().map_or(Some(0), OnlineMonitor::predicting_mean)
    }
}

impl<T: Real> Monitor<T> for Monitoring<T> {
    #[inline(always)]
    fn effective_n(&self, n_seen: u64) -> f64 {
        self.online.as_ref().map_or(0.0, |online| online.effective_n(n_seen))
    }

    #[inline(always)]
    fn begin(&mut self, t: u64, model: &mut KernelExpansion<T>, rng: &mut Rng) {
        if let Some(averaging) = &mut self.averaging {
            averaging.observe(t, model, rng);
        }
    }

    #[inline(always)]
    fn before(
        &mut self,
        row: Observation<'_, T>,
        scores: &mut ScoreBuffers<T>,
        model: &mut KernelExpansion<T>,
        rule: &mut AnyRule,
        on: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) -> Feedback<T> {
        match &mut self.online {
            None => Progressive.before(row, scores, model, rule, on, counts),
            Some(online) => online.before(row, scores, model, rule, on, counts),
        }
    }

    #[inline(always)]
    fn after(&mut self, t: u64, model: &mut KernelExpansion<T>) {
        if let Some(averaging) = &mut self.averaging {
            let effective_n = self.online.as_ref().map_or(t as f64, |online| online.effective_n(t));
            averaging.advance(t, effective_n, model);
        }
    }
}
