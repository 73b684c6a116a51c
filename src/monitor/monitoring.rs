//! All monitoring of a learner.

use super::{Averaging, Counts, Feedback, Monitor, Observation, OnlineMonitor, Progressive};
use crate::float::Real;
use crate::rng::Rng;
use crate::rules::AnyRule;
use crate::store::{KernelExpansion, OnEdit, ScoreBuffers};

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
