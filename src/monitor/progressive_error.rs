//! Progressive validation: each row is predicted before it is learned.

use super::Counts;
use crate::expansion::{KernelExpansion, Scored};
use crate::float::Real;

/// Counts a scored row and its prediction error, before the row is learned.
#[inline(always)]
pub(crate) fn observe_error<T: Real>(
    Scored { example, f, .. }: &mut Scored<'_, T>,
    expansion: &KernelExpansion<T>,
    counts: &mut Counts,
) {
    if example.repeated {
        counts.observe_repeated();
    } else {
        counts.observe(example.label, f, expansion.factor());
    }
    example.effective_n = example.t as f64;
}
