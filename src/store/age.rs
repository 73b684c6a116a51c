//! Birth order: which support vector is older, and which is the oldest.

use super::Slot;
use crate::float::{Real, splat};
use crate::ops::Lanes;
use fearless_simd::{Select, Simd, SimdBase, SimdMask};
use std::collections::VecDeque;

/// Live slots in order of birth. Invariant: `ring` holds each live slot once and `birth` grows along it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Age {
    ring: VecDeque<Slot>,
    /// The birth number of each slot; meaningless where the slot is not live.
    pub(super) birth: Vec<u64>,
    /// One bit per slot: whether it is live.
    pub(super) live: Vec<u16>,
    pub(super) next: u64,
}

impl Age {
    pub(crate) fn grow(&mut self, slots: usize) {
        self.birth.resize(slots, 0);
        self.live.resize(slots.div_ceil(16), 0);
    }

    pub(crate) fn len(&self) -> usize {
        self.ring.len()
    }

    /// Live slots, the oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = Slot> + ExactSizeIterator + '_ {
        self.ring.iter().copied()
    }

    /// The `index`-th oldest.
    pub(crate) fn nth(&self, index: usize) -> Option<Slot> {
        self.ring.get(index).copied()
    }

    #[inline(always)]
    pub(crate) fn older(&self, a: Slot, b: Slot) -> bool {
        self.birth[a.index()] < self.birth[b.index()]
    }

    #[inline(always)]
    pub(crate) fn is_live(&self, slot: Slot) -> bool {
        self.live[slot.index() / 16] >> (slot.index() % 16) & 1 == 1
    }

    /// Bits of the live lanes in vector `vector` of `lanes` lanes (8 or 16).
    #[inline(always)]
    pub(crate) fn live_bits(&self, vector: usize, lanes: usize) -> u64 {
        let first = vector * lanes;
        let bits = self.live[first / 16] >> (first % 16);
        u64::from(bits) & ((1 << lanes) - 1)
    }

    pub(crate) fn push(&mut self, slot: Slot) {
        self.birth[slot.index()] = self.next;
        self.next += 1;
        self.live[slot.index() / 16] |= 1 << (slot.index() % 16);
        self.ring.push_back(slot);
    }

    pub(crate) fn remove(&mut self, slot: Slot) {
        self.live[slot.index() / 16] &= !(1 << (slot.index() % 16));
        // The youngest leaves most often.
        if self.ring.back() == Some(&slot) {
            self.ring.pop_back();
            return;
        }
        let place = self
            .ring
            .binary_search_by_key(&self.birth[slot.index()], |s| self.birth[s.index()])
            .expect("a live slot is in the ring, which is sorted by birth");
        self.ring.remove(place);
    }

    /// The live slot of the least cost, and that cost: the oldest among those within the relative distance `tie` of it.
    /// None where no cost is finite.
    #[inline(always)]
    pub(crate) fn least<T: Real, S: Simd>(
        &self,
        s: S,
        costs: &Lanes<T>,
        used: usize,
        tie: T,
    ) -> Option<(Slot, T)> {
        let infinity = splat::<T, S>(s, T::INFINITY);
        let live =
            |vector: usize| <T::V<S> as SimdBase<S>>::Mask::from_bitmask(s, self.live_bits(vector, T::LANES));
        let costs_of = costs.lines()[..used].iter().map(|line| line.load(s)).enumerate();
        let mut least = infinity;
        for (vector, costs) in costs_of.clone() {
            least = least.min(live(vector).select(costs, infinity));
        }
        let least = least.reduce_min();
        let bound = least + if least < T::ZERO { -least } else { least } * tie;
        if !bound.is_finite() {
            return None;
        }
        let oldest = self.nth(0)?;
        if costs.get(oldest.index()) <= bound {
            return Some((oldest, costs.get(oldest.index())));
        }
        let mut best: Option<Slot> = None;
        let within = splat::<T, S>(s, bound);
        for (vector, costs) in costs_of {
            let mut ties = costs.simd_le(within).to_bitmask();
            if ties == 0 {
                continue;
            }
            ties &= self.live_bits(vector, T::LANES);
            while ties != 0 {
                let slot = Slot((vector * T::LANES) as u32 + ties.trailing_zeros());
                if best.is_none_or(|b| self.older(slot, b)) {
                    best = Some(slot);
                }
                ties &= ties - 1;
            }
        }
        best.map(|slot| (slot, costs.get(slot.index())))
    }
}
