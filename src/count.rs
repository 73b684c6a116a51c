//! Counters: exact as floats, and never more than a model file may hold.

/// The most that is counted: 2^53, beyond which floats leave out integers.
pub(crate) const MOST: u64 = 1 << 53;

/// Counts one more, up to [`MOST`].
#[inline(always)]
pub(crate) fn one_more(count: &mut u64) {
    *count = (*count + 1).min(MOST);
}
