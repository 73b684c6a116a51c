//! Counters: exact as floats, and never more than a model file may hold. The largest weight of a row.

/// The most that is counted: 2^53, beyond which floats leave out integers.
pub(crate) const MAX_COUNT: u64 = 1 << 53;

/// The largest weight of a row.
pub(crate) const MAX_WEIGHT: f64 = 1e9;

/// Counts one more, up to [`MAX_COUNT`].
#[inline(always)]
pub(crate) fn saturating_inc(count: &mut u64) {
    *count = (*count + 1).min(MAX_COUNT);
}
