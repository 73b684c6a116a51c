//! Distances in feature space, `k_ii + k_jj - 2 k_ij`: who is near whom.

use super::SimdImpl;
use super::argmin::{ActiveMask, least};
use super::buffer::SimdBuffer;
use super::removal::{NO_SLOT, NeighbourRank};
use super::simd::{Processor, Simd, V};
use crate::float::{Real, Vector};
use crate::slot::Slot;

/// One slot with its kernel row, and all others.
#[derive(Clone, Copy)]
pub(crate) struct NeighbourRow<'a, T: Real> {
    pub(crate) slot: Slot,
    pub(crate) k: &'a SimdBuffer<T>,
    /// `k_jj` of every slot.
    pub(crate) diags: &'a SimdBuffer<T>,
    pub(crate) live: ActiveMask<'a>,
}

/// Searches by the distance.
pub(crate) trait NeighbourOps<T: Real> {
    /// Finds the neighbours of a slot of every rank, among the live slots but itself and `but`; ties to the oldest.
    /// Returns the distance of the last. `distances` is scratch.
    fn find(
        &self,
        around: NeighbourRow<'_, T>,
        but: Option<Slot>,
        ranks: &mut [NeighbourRank<T>],
        distances: &mut SimdBuffer<T>,
    ) -> T;

    /// Appends the other slots whose distance is under their `reach`; their `distances` are set.
    fn closer(
        &self,
        around: NeighbourRow<'_, T>,
        reach: &SimdBuffer<T>,
        distances: &mut SimdBuffer<T>,
        closer: &mut Vec<Slot>,
    );

    /// Appends the slots in the first `used` vectors of lanes that have `slot` as their neighbour of a rank.
    fn having(&self, rank: &NeighbourRank<T>, slot: Slot, used: usize, having: &mut Vec<Slot>);

    /// Minus the correlations with a slot that has the kernel row `k`: `-|k_j| / sqrt(k_jj)`.
    fn correlations(&self, k: &SimdBuffer<T>, diags: &SimdBuffer<T>, used: usize, costs: &mut SimdBuffer<T>);
}

#[inline(always)]
fn distance<T: Real, S: Simd<T>>(s: S, own: T, k: V<T, S>, diags: V<T, S>) -> V<T, S> {
    k.mul_add(V::splat(s, T::from_f64(-2.0)), diags + V::splat(s, own))
}

impl<T: Real, P: Processor + Simd<T>> NeighbourOps<T> for SimdImpl<P> {
    fn find(
        &self,
        around: NeighbourRow<'_, T>,
        but: Option<Slot>,
        ranks: &mut [NeighbourRank<T>],
        distances: &mut SimdBuffer<T>,
    ) -> T {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let NeighbourRow { slot, k, diags, live } = around;
                let (i, own) = (slot.index(), diags.get(slot.index()));
                let others = k.as_slice().iter().zip(diags.as_slice());
                for (distances, (k, diags)) in distances.as_mut_slice()[..live.used].iter_mut().zip(others) {
                    distances.store(distance(s, own, k.load(s), diags.load(s)));
                }
                for other in [Some(slot), but].into_iter().flatten() {
                    distances.set(other.index(), T::INFINITY);
                }
                let mut reach = T::INFINITY;
                for rank in ranks {
                    let found = least(s, distances, live, T::ZERO);
                    let (who, distance, k, diag) = match found {
                        Some((who, distance)) => {
                            (who.0, distance, k.get(who.index()), diags.get(who.index()))
                        }
                        None => (NO_SLOT, T::INFINITY, T::ZERO, T::ZERO),
                    };
                    rank.who[i] = who;
                    rank.distances.set(i, distance);
                    rank.k.set(i, k);
                    rank.diags.set(i, diag);
                    reach = distance;
                    if let Some((who, _)) = found {
                        distances.set(who.index(), T::INFINITY);
                    }
                }
                reach
            },
        )
    }

    fn closer(
        &self,
        around: NeighbourRow<'_, T>,
        reach: &SimdBuffer<T>,
        distances: &mut SimdBuffer<T>,
        closer: &mut Vec<Slot>,
    ) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let NeighbourRow { slot, k, diags, live } = around;
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
                            closer.push(other);
                        }
                    }
                }
            },
        );
    }

    fn having(&self, rank: &NeighbourRank<T>, slot: Slot, used: usize, having: &mut Vec<Slot>) {
        self.0.run(
            #[inline(always)]
            || {
                let vectors = rank.who[..used * T::LANES].chunks_exact(T::LANES).enumerate();
                for (i_simd, who) in vectors.filter(|(_, who)| contains(who, slot)) {
                    let lanes = who.iter().enumerate().filter(|(_, who)| **who == slot.0);
                    having.extend(lanes.map(|(lane, _)| Slot((i_simd * T::LANES + lane) as u32)));
                }
            },
        );
    }

    fn correlations(&self, k: &SimdBuffer<T>, diags: &SimdBuffer<T>, used: usize, costs: &mut SimdBuffer<T>) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let pairs = k.as_slice().iter().zip(diags.as_slice());
                for (cost, (k, diag)) in costs.as_mut_slice()[..used].iter_mut().zip(pairs) {
                    cost.store(-(k.load(s).abs() / diag.load(s).sqrt()));
                }
            },
        );
    }
}

/// Whether a slot is among these. It looks at all of them, which is one comparison of a whole vector.
#[inline(always)]
fn contains(who: &[u32], slot: Slot) -> bool {
    who.iter().fold(0, |found, who| found | u32::from(*who == slot.0)) != 0
}
