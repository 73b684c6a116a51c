//! The insertion order of support vectors.

use crate::ops::ActiveMask;
use crate::slot::Slot;
use std::collections::VecDeque;

/// The live slots in insertion order. Invariant: `ring` holds each live slot once and `inserted` grows along it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct InsertionOrder {
    ring: VecDeque<Slot>,
    /// The insertion number of each slot; unspecified if the slot is not live.
    pub(super) inserted: Vec<u64>,
    /// One bit per slot: whether it is live.
    pub(super) live: Vec<u16>,
    pub(super) next: u64,
}

impl InsertionOrder {
    pub(crate) fn grow(&mut self, slots: usize) {
        self.inserted.resize(slots, 0);
        self.live.resize(slots.div_ceil(16), 0);
    }

    pub(crate) fn len(&self) -> usize {
        self.ring.len()
    }

    /// The live slots, from oldest to newest.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = Slot> + ExactSizeIterator + '_ {
        self.ring.iter().copied()
    }

    /// The `index`-th oldest slot.
    pub(crate) fn nth_oldest(&self, index: usize) -> Option<Slot> {
        self.ring.get(index).copied()
    }

    /// Whether `a` was inserted before `b`.
    #[inline(always)]
    pub(crate) fn older(&self, a: Slot, b: Slot) -> bool {
        self.inserted[a.index()] < self.inserted[b.index()]
    }

    #[inline(always)]
    pub(crate) fn is_live(&self, slot: Slot) -> bool {
        self.live[slot.index() / 16] >> (slot.index() % 16) & 1 == 1
    }

    /// A mask of the live slots for the operations, over the first `used` SIMD vectors.
    #[inline]
    pub(crate) fn live(&self, used: usize) -> ActiveMask<'_> {
        ActiveMask { bits: &self.live, inserted: &self.inserted, oldest: self.ring.front().copied(), used }
    }

    pub(crate) fn push(&mut self, slot: Slot) {
        self.inserted[slot.index()] = self.next;
        self.next += 1;
        self.live[slot.index() / 16] |= 1 << (slot.index() % 16);
        self.ring.push_back(slot);
    }

    pub(crate) fn remove(&mut self, slot: Slot) {
        self.live[slot.index() / 16] &= !(1 << (slot.index() % 16));
        // Most removals are of the newest or the oldest slot.
        if self.ring.back() == Some(&slot) {
            self.ring.pop_back();
            return;
        }
        if self.ring.front() == Some(&slot) {
            self.ring.pop_front();
            return;
        }
        let index = self
            .ring
            .binary_search_by_key(&self.inserted[slot.index()], |s| self.inserted[s.index()])
            .expect("a live slot is in the ring, which is sorted by insertion");
        self.ring.remove(index);
    }
}
