//! Progressive validation: each row is predicted before it is learned.

use super::{Counts, Feedback, Monitor, Observation};
use crate::float::Real;
use crate::rng::Rng;
use crate::rules::AnyRule;
use crate::store::{KernelExpansion, OnEdit, RowScores};

/// Monitoring of the progressive error only.
pub(crate) struct Progressive;

impl<T: Real> Monitor<T> for Progressive {
    #[inline(always)]
    fn effective_n_before(&self, _: u64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn begin_row(&mut self, _: u64, _: &mut KernelExpansion<T>, _: &mut Rng) {}

    #[inline(always)]
    fn observe(
        &mut self,
        row: Observation<'_, T>,
        scores: &mut RowScores<T>,
        model: &mut KernelExpansion<T>,
        _: &mut AnyRule,
        _: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) -> Feedback<T> {
        if row.repeated {
            counts.observe_repeated();
        } else {
            counts.observe(row.label, &scores.f, model.scale());
        }
        Feedback { effective_n: row.t as f64, drifting: false, k_tt: row.k_tt }
    }

    #[inline(always)]
    fn end_row(&mut self, _: u64, _: &mut KernelExpansion<T>) {}
}
