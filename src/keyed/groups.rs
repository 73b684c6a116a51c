//! The rows of a batch, grouped by key.

use crate::float::Real;
use crate::learner::{RowBuffer, Rows};
use std::ops::Range;

/// The rows of each slot, in their order.
pub(super) struct Groups {
    /// Numbers of rows, those of a group side by side.
    rows: Vec<usize>,
    groups: Vec<(u32, Range<usize>)>,
}

impl Groups {
    /// Of the slot of each row. Groups come in the order of the places of their slots: what is in memory goes first,
    /// before anything makes it leave, and a file is read from its beginning to its end.
    pub(super) fn of(slots: &[u32], place: impl Fn(u32) -> u64) -> Self {
        let mut rows: Vec<usize> = (0..slots.len()).collect();
        rows.sort_by_key(|row| slots[*row]);
        let mut groups: Vec<(u32, Range<usize>)> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            match groups.last_mut() {
                Some((slot, range)) if *slot == slots[*row] => range.end = at + 1,
                _ => groups.push((slots[*row], at..at + 1)),
            }
        }
        groups.sort_by_cached_key(|(slot, _)| place(*slot));
        Self { rows, groups }
    }

    /// The slots, each with the numbers of its rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[usize])> {
        self.groups.iter().map(|(slot, range)| (*slot, &self.rows[range.clone()]))
    }
}

/// The rows of one key: copies, which nobody else changes.
pub(super) struct Part<'a, T: Real> {
    /// Their numbers in the batch.
    pub(super) places: &'a [usize],
    gathered: RowBuffer<T>,
}

impl<'a, T: Real> Part<'a, T> {
    pub(super) fn of(rows: &Rows<'_, T>, places: &'a [usize]) -> Self {
        let mut gathered = RowBuffer::default();
        gathered.gather_rows(rows, places.iter().copied());
        Self { places, gathered }
    }

    pub(super) fn x(&self) -> Rows<'_, T> {
        self.gathered.rows()
    }
}
