//! The searches for a merge partner as operations of a SIMD level.

use super::newest;
use super::search::{self, Candidates, PartnerSearch};
use super::shortlist::Partner;
use crate::float::Real;
use crate::kernel::MergeableKernel;
use crate::ops::simd::{Processor, Simd};
use crate::ops::{SimdBuffer, SimdImpl};
use crate::slot::Slot;

/// Searches for the partner whose merger changes the model least. Ties go to the oldest. None if no weight degradation
/// is finite, after overflow.
pub(crate) trait MergeOps<T: Real> {
    /// The best partner of `m`, whose vector and coefficients are in `search`. No partner has a smaller weight than
    /// `m`.
    fn partner(
        &self,
        search: &mut PartnerSearch<T>,
        among: Candidates<'_, T>,
        kernel: MergeableKernel,
        m: Slot,
    ) -> Option<Partner>;

    /// The best partner of the newest support vector `m` with the kernel row `k`; partners may have smaller weights.
    /// The returned `h` is the share of the vector with the smaller weight.
    fn partner_of_newest(
        &self,
        search: &mut PartnerSearch<T>,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        m: Slot,
    ) -> Option<Partner>;
}

impl<T: Real, P: Processor + Simd<T>> MergeOps<T> for SimdImpl<P> {
    fn partner(
        &self,
        search: &mut PartnerSearch<T>,
        among: Candidates<'_, T>,
        kernel: MergeableKernel,
        m: Slot,
    ) -> Option<Partner> {
        search::partner(self.0, search, among, kernel, m)
    }

    fn partner_of_newest(
        &self,
        search: &mut PartnerSearch<T>,
        among: Candidates<'_, T>,
        k: &SimdBuffer<T>,
        m: Slot,
    ) -> Option<Partner> {
        newest::partner_of_newest(self.0, search, among, k, m)
    }
}
