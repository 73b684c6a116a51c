//! The insertion order of support vectors.

use crate::ops::ActiveMask;
use crate::slot::Slot;
use std::collections::VecDeque;

/// The live slots in insertion order. Invariant: `slots` holds each live slot once and `inserted` grows along it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct InsertionOrder {
    slots: VecDeque<Slot>,
    /// The insertion number of each slot; unspecified if the slot is not live.
    pub(super) inserted: Vec<u64>,
    /// One bit per slot: whether it is live.
    pub(super) live: Vec<u16>,
    pub(super) next: u64,
}

impl InsertionOrder {
    pub(crate) fn grow(&mut self, n_slots: usize) {
        self.inserted.resize(n_slots, 0);
        self.live.resize(n_slots.div_ceil(16), 0);
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The live slots, from oldest to newest.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = Slot> + ExactSizeIterator + '_ {
        self.slots.iter().copied()
    }

    /// The `index`-th oldest slot.
    pub(crate) fn nth_oldest(&self, index: usize) -> Option<Slot> {
        self.slots.get(index).copied()
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
        ActiveMask { bits: &self.live, inserted: &self.inserted, oldest: self.slots.front().copied(), used }
    }

    pub(crate) fn push(&mut self, slot: Slot) {
        self.inserted[slot.index()] = self.next;
        self.next += 1;
        self.live[slot.index() / 16] |= 1 << (slot.index() % 16);
        self.slots.push_back(slot);
    }

    pub(crate) fn remove(&mut self, slot: Slot) {
        self.live[slot.index() / 16] &= !(1 << (slot.index() % 16));
        // Most removals are of the newest or the oldest slot.
        if self.slots.back() == Some(&slot) {
            self.slots.pop_back();
            return;
        }
        if self.slots.front() == Some(&slot) {
            self.slots.pop_front();
            return;
        }
        let index = self
            .slots
            .binary_search_by_key(&self.inserted[slot.index()], |s| self.inserted[s.index()])
            .expect("a live slot is in the list, which is sorted by insertion");
        self.slots.remove(index);
    }
}
