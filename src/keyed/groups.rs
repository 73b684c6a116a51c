//! [`Groups`]: the rows of a batch, grouped by key.

use crate::batch::{RowBuffer, Rows};
use crate::float::Real;
use std::ops::Range;

/// The rows of each slot, in the order of the batch.
pub(super) struct Groups {
    /// Row indices, sorted by slot.
    rows: Vec<usize>,
    /// Each slot with the range of its row indices in `rows`.
    groups: Vec<(u32, Range<usize>)>,
}

impl Groups {
    /// Groups rows by slot. `run_order` sorts the groups: models in memory first, before they are spilled, then models
    /// in files by offset, so that files are read sequentially.
    pub(super) fn by_slot(slots: &[u32], run_order: impl Fn(u32) -> u64) -> Self {
        let mut rows: Vec<usize> = (0..slots.len()).collect();
        rows.sort_by_key(|row| slots[*row]);
        let mut groups: Vec<(u32, Range<usize>)> = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            match groups.last_mut() {
                Some((slot, range)) if *slot == slots[*row] => range.end = i + 1,
                _ => groups.push((slots[*row], i..i + 1)),
            }
        }
        groups.sort_by_cached_key(|(slot, _)| run_order(*slot));
        Self { rows, groups }
    }

    /// Each slot with its row indices.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[usize])> {
        self.groups.iter().map(|(slot, range)| (*slot, &self.rows[range.clone()]))
    }
}

/// The rows of one key, copied from the batch.
pub(super) struct KeyRows<'a, T: Real> {
    /// Indices of the rows in the batch.
    pub(super) indices: &'a [usize],
    buffer: RowBuffer<T>,
}

impl<'a, T: Real> KeyRows<'a, T> {
    pub(super) fn copy(batch: &Rows<'_, T>, indices: &'a [usize]) -> Self {
        let mut buffer = RowBuffer::default();
        buffer.copy_rows(batch, indices.iter().copied());
        Self { indices, buffer }
    }

    pub(super) fn rows(&self) -> Rows<'_, T> {
        self.buffer.rows()
    }
}
