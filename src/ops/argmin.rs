//! The support vector of the least cost, ties to the oldest.

use super::buffer::SimdBuffer;
use super::simd::{M, Simd, V};
use super::simd_impl::operations;
use crate::float::{Mask, Real, Vector};
use crate::slot::Slot;

/// Which slots are live, and which is older.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActiveMask<'a> {
    /// One bit per slot: whether it is live.
    pub(crate) bits: &'a [u16],
    /// The insertion number of each slot.
    pub(crate) inserted: &'a [u64],
    pub(crate) oldest: Option<Slot>,
    /// Vectors of lanes in use.
    pub(crate) used: usize,
}

impl ActiveMask<'_> {
    /// Bits of the live lanes in a vector of `lanes` lanes (8 or 16).
    #[inline(always)]
    pub(super) fn of_vector(&self, i_simd: usize, lanes: usize) -> u64 {
        let first = i_simd * lanes;
        let bits = self.bits[first / 16] >> (first % 16);
        u64::from(bits) & ((1 << lanes) - 1)
    }

    #[inline(always)]
    pub(super) fn older(&self, a: Slot, b: Slot) -> bool {
        self.inserted[a.index()] < self.inserted[b.index()]
    }
}

operations! {
    /// Searches over all slots.
    pub(crate) trait ArgMinOps<T: Real> {
        /// The live slot of the least cost, and that cost: the oldest among those within the relative
        /// distance `tie` of it. None where no cost is finite.
        fn argmin(s: P, costs: &SimdBuffer<T>, live: ActiveMask<'_>, tie: T) -> Option<(Slot, T)> {
            argmin(s, costs, live, tie)
        }
    }
}

#[inline(always)]
pub(super) fn argmin<T: Real, S: Simd<T>>(
    s: S,
    costs: &SimdBuffer<T>,
    live: ActiveMask<'_>,
    tie: T,
) -> Option<(Slot, T)> {
    let infinity = V::splat(s, T::INFINITY);
    let vectors = costs.as_slice()[..live.used].iter().enumerate();
    let mut least = infinity;
    for (i_simd, lanes) in vectors.clone() {
        let is_live = M::<T, S>::from_bits(s, live.of_vector(i_simd, T::LANES));
        least = least.min(is_live.select(lanes.load(s), infinity));
    }
    let least = least.reduce_min();
    let bound = least + if least < T::ZERO { -least } else { least } * tie;
    if !bound.is_finite() {
        return None;
    }
    let oldest = live.oldest?;
    if costs.get(oldest.index()) <= bound {
        return Some((oldest, costs.get(oldest.index())));
    }
    let mut best: Option<Slot> = None;
    let within = V::splat(s, bound);
    for (i_simd, lanes) in vectors {
        let mut ties = lanes.load(s).le(within).bits();
        if ties == 0 {
            continue;
        }
        ties &= live.of_vector(i_simd, T::LANES);
        while ties != 0 {
            let slot = Slot((i_simd * T::LANES) as u32 + ties.trailing_zeros());
            if best.is_none_or(|best| live.older(slot, best)) {
                best = Some(slot);
            }
            ties &= ties - 1;
        }
    }
    best.map(|slot| (slot, costs.get(slot.index())))
}
