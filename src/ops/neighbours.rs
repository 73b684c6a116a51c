//! Nearest neighbours by the squared distance in feature space, `k_ii + k_jj - 2 k_ij`.

use super::argmin::{ActiveMask, argmin};
use super::buffer::SimdBuffer;
use super::removal::{NO_SLOT, NeighbourRank};
use super::simd::{Simd, V};
use super::simd_impl::operations;
use crate::float::{Real, Vector};
use crate::slot::Slot;

/// A slot with its kernel row, and the slots to search.
#[derive(Clone, Copy)]
pub(crate) struct NeighbourRow<'a, T: Real> {
    pub(crate) slot: Slot,
    pub(crate) k: &'a SimdBuffer<T>,
    /// `k_jj` of every slot.
    pub(crate) diags: &'a SimdBuffer<T>,
    pub(crate) live: ActiveMask<'a>,
}

operations! {
    /// Searches by distance.
    pub(crate) trait NeighbourOps<T: Real> {
        /// Writes the nearest neighbours of `query.slot` into `ranks`, nearest first, ties to the oldest;
        /// neither the slot itself nor `excluded` is a neighbour. Returns the distance of the last rank.
        /// `distances` is a buffer.
        fn find_neighbours(
            s: P,
            query: NeighbourRow<'_, T>,
            excluded: Option<Slot>,
            ranks: &mut [NeighbourRank<T>],
            distances: &mut SimdBuffer<T>,
        ) -> T {
            let NeighbourRow { slot, k, diags, live } = query;
            let (i, own) = (slot.index(), diags.get(slot.index()));
            let others = k.as_slice().iter().zip(diags.as_slice());
            for (distances, (k, diags)) in distances.as_mut_slice()[..live.used].iter_mut().zip(others) {
                distances.store(distance(s, own, k.load(s), diags.load(s)));
            }
            for other in [Some(slot), excluded].into_iter().flatten() {
                distances.set(other.index(), T::INFINITY);
            }
            let mut reach = T::INFINITY;
            for rank in ranks {
                let found = argmin(s, distances, live, T::ZERO);
                let (neighbour, distance, k, diag) = match found {
                    Some((slot, distance)) => {
                        (slot.0, distance, k.get(slot.index()), diags.get(slot.index()))
                    }
                    None => (NO_SLOT, T::INFINITY, T::ZERO, T::ZERO),
                };
                rank.slots[i] = neighbour;
                rank.distances.set(i, distance);
                rank.k.set(i, k);
                rank.diags.set(i, diag);
                reach = distance;
                if let Some((slot, _)) = found {
                    distances.set(slot.index(), T::INFINITY);
                }
            }
            reach
        }

        /// Appends the other slots whose distance to `query.slot` is below their `reach`, and writes their
        /// `distances`.
        fn find_closer(
            s: P,
            query: NeighbourRow<'_, T>,
            reach: &SimdBuffer<T>,
            distances: &mut SimdBuffer<T>,
            found: &mut Vec<Slot>,
        ) {
            let NeighbourRow { slot, k, diags, live } = query;
            let own = diags.get(slot.index());
            for i_simd in 0..live.used {
                let all = distance(s, own, k.load(s, i_simd), diags.load(s, i_simd));
                let mut bits = all.lt(reach.load(s, i_simd)).bits();
                if bits == 0 {
                    continue;
                }
                distances.store(i_simd, all);
                while bits != 0 {
                    let other = Slot((i_simd * T::LANES) as u32 + bits.trailing_zeros());
                    bits &= bits - 1;
                    if other != slot {
                        found.push(other);
                    }
                }
            }
        }

        /// Appends the slots (of the first `used` SIMD vectors) whose neighbour of a rank is `slot`.
        fn find_with_neighbour(
            s: P,
            rank: &NeighbourRank<T>,
            slot: Slot,
            used: usize,
            found: &mut Vec<Slot>,
        ) {
            let by_simd = rank.slots[..used * T::LANES].chunks_exact(T::LANES).enumerate();
            for (i_simd, neighbours) in by_simd.filter(|(_, neighbours)| contains(neighbours, slot)) {
                let lanes = neighbours.iter().enumerate().filter(|(_, other)| **other == slot.0);
                found.extend(lanes.map(|(lane, _)| Slot((i_simd * T::LANES + lane) as u32)));
            }
        }

        /// `-|k_j| / sqrt(k_jj)`: negated correlations with the vector of the kernel row `k`, except for its
        /// own norm.
        fn negated_correlations(
            s: P,
            k: &SimdBuffer<T>,
            diags: &SimdBuffer<T>,
            used: usize,
            costs: &mut SimdBuffer<T>,
        ) {
            let pairs = k.as_slice().iter().zip(diags.as_slice());
            for (cost, (k, diag)) in costs.as_mut_slice()[..used].iter_mut().zip(pairs) {
                cost.store(-(k.load(s).abs() / diag.load(s).sqrt()));
            }
        }
    }
}

#[inline(always)]
fn distance<T: Real, S: Simd<T>>(s: S, own: T, k: V<T, S>, diags: V<T, S>) -> V<T, S> {
    k.mul_add(V::splat(s, T::from_f64(-2.0)), diags + V::splat(s, own))
}

/// True if a slot is in the list. Without early exit, so that it compiles to vector comparisons.
#[inline(always)]
fn contains(slots: &[u32], slot: Slot) -> bool {
    slots.iter().fold(0, |found, other| found | u32::from(*other == slot.0)) != 0
}
