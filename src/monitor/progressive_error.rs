//! Progressive validation: each row is predicted before it is learned.

use super::{Counts, Monitor};
use crate::batch::Example;
use crate::expansion::{KernelExpansion, OnEdit, Scored};
use crate::float::Real;
use crate::rng::Rng;
use crate::rules::AnyRule;

/// Monitoring of the progressive error only.
pub(crate) struct ProgressiveError;

impl<T: Real> Monitor<T> for ProgressiveError {
    #[inline(always)]
    fn begin_row(&mut self, _: &mut Example, _: &mut KernelExpansion<T>, _: &mut Rng) {}

    #[inline(always)]
    fn observe(
        &mut self,
        scored: &mut Scored<'_, T>,
        expansion: &mut KernelExpansion<T>,
        _: &mut AnyRule,
        _: &mut impl OnEdit<T>,
        counts: &mut Counts,
    ) {
        let Scored { example, f, .. } = scored;
        if example.repeated {
            counts.observe_repeated();
        } else {
            counts.observe(example.label, f, expansion.scale());
        }
        example.effective_n = example.t as f64;
    }

    #[inline(always)]
    fn end_row(&mut self, _: u64, _: &mut KernelExpansion<T>) {}
}
