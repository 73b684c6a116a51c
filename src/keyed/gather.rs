//! The rows of a batch grouped by key, the targets of a key, and its predictions in the batch.

use crate::batch::{RowBuffer, Rows};
use crate::classes::{Classes, Labels};
use crate::float::Real;
use crate::model::{Batch, RawTargets};
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

/// The targets of the rows of one key.
pub(super) enum KeyTargets {
    Labels(Labels),
    Values(Vec<f64>),
}

impl KeyTargets {
    /// Gathers the targets of these rows.
    pub(super) fn gather(batch: &Batch<'_>, rows: &[usize]) -> Self {
        match batch.targets {
            RawTargets::Labels { y, .. } => Self::Labels(match y {
                Labels::Bool(y) => Labels::Bool(gather(y, rows)),
                Labels::Int(y) => Labels::Int(gather(y, rows)),
                Labels::Float(y) => Labels::Float(gather(y, rows)),
                Labels::Text(y) => Labels::Text(gather(y, rows)),
            }),
            RawTargets::Values(y) => Self::Values(gather(y, rows)),
        }
    }

    pub(super) fn batch<'a>(&'a self, weights: Option<&'a [f64]>) -> Batch<'a> {
        let batch = match self {
            Self::Labels(y) => Batch::labels(y),
            Self::Values(y) => Batch::values(y),
        };
        Batch { weights, ..batch }
    }
}

/// The entries of an array at these rows.
pub(super) fn gather<A: Clone>(array: &[A], rows: &[usize]) -> Vec<A> {
    rows.iter().map(|row| array[*row].clone()).collect()
}

/// The labels of class indices.
pub(super) fn labels_of(classes: &Classes, indices: &[u32]) -> Labels {
    let rows: Vec<usize> = indices.iter().map(|class| *class as usize).collect();
    match classes {
        Classes::Bool => Labels::Bool(gather(&[0, 1], &rows)),
        Classes::Int(labels) => Labels::Int(gather(labels, &rows)),
        Classes::Float(labels) => Labels::Float(gather(labels, &rows)),
        Classes::Text(labels) => Labels::Text(gather(labels, &rows)),
    }
}

/// Writes the labels of a key to its rows. The labels of all keys have one type.
pub(super) fn scatter(all: &mut Labels, rows: &[usize], labels: Labels) {
    fn write<A>(all: &mut [A], rows: &[usize], labels: Vec<A>) {
        for (row, label) in rows.iter().zip(labels) {
            all[*row] = label;
        }
    }
    match (all, labels) {
        (Labels::Bool(all), Labels::Bool(labels)) | (Labels::Int(all), Labels::Int(labels)) => {
            write(all, rows, labels);
        }
        (Labels::Float(all), Labels::Float(labels)) => write(all, rows, labels),
        (Labels::Text(all), Labels::Text(labels)) => write(all, rows, labels),
        _ => debug_assert!(false, "the labels of all keys are of one kind"),
    }
}
