//! The check of all values at once.

use crate::float::Real;

/// Whether all squares are at most `bound`; false for NaN and infinity.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "a branch per value would prevent vectorisation")]
pub(crate) fn all_bounded<T: Real>(values: impl Iterator<Item = T>, bound: T) -> bool {
    values.fold(true, |ok, x| ok & (x * x <= bound))
}
