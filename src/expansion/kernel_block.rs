//! Precomputed kernel sums of a block of rows. A support set that exceeds the first-level cache is read once per block
//! instead of once per row.

use super::Slot;
use super::base_row::BaseRow;
use crate::batch::Row;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::{BLOCK_ROWS, Differences, Ops, PackedRows, SimdBuffer, SupportView};

/// A block with at most one difference from the base row per this many values is computed from its
/// differences alone.
const MIN_FEATURES_PER_DIFFERENCE: usize = 3;

/// The remaining rows of a block, with their sums over features for every support vector. If a support vector changes,
/// one sum of each row is computed again; if all support vectors change, the block is discarded.
#[derive(Debug, Default)]
pub(crate) struct KernelBlock<T: Real> {
    rows: PackedRows<T>,
    /// The differences of the rows from the base row, if there is one.
    differences: Differences<T>,
    /// One buffer per row, indexed by slot.
    sums: Vec<SimdBuffer<T>>,
    /// The index of the next row in the block.
    next: usize,
    /// The index after the last row.
    end: usize,
    column: SimdBuffer<T>,
}

/// A clone is empty: the block is a cache.
impl<T: Real> Clone for KernelBlock<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Real> KernelBlock<T> {
    /// Computes the sums of rows, by their differences from the base row if it is set; the first row has the
    /// index `next` in its block.
    pub(super) fn compute(
        &mut self,
        (ops, kernel, stored): (Ops<T>, AnyKernel, SupportView<'_, T>),
        base: &BaseRow<T>,
        next: usize,
        features: usize,
        rows: &[T],
    ) {
        self.sums.resize_with(BLOCK_ROWS, SimdBuffer::default);
        self.sums.iter_mut().for_each(|sums| sums.grow(stored.panels.n_simd));
        (self.next, self.end) = (next, next + rows.len() / features);
        if !base.is_set() {
            self.rows.write(next, features, rows, stored.expands_squares(kernel));
            return ops.accumulate_block(kernel, stored, &self.rows, (next, self.end), &mut self.sums);
        }
        self.differences.start(BLOCK_ROWS, features);
        rows.chunks_exact(features).for_each(|z| self.differences.push(z, base.with_norm()));
        self.rows.write_differences(next, features, &self.differences);
        let stored = base.stored(stored);
        // Both ways give equal bits: a difference of zero adds nothing.
        if self.differences.n_entries() * MIN_FEATURES_PER_DIFFERENCE <= rows.len() {
            ops.accumulate_differences(stored, &self.differences, &mut self.sums[next..]);
        } else {
            ops.accumulate_block(kernel, stored, &self.rows, (next, self.end), &mut self.sums);
        }
    }

    /// Whether the block holds the next row.
    #[inline(always)]
    pub(super) fn has_next(&self) -> bool {
        self.next < self.end
    }

    /// Moves the sums of the next row into `sums`.
    #[inline(always)]
    pub(super) fn take(&mut self, sums: &mut SimdBuffer<T>) {
        debug_assert!(self.has_next(), "callers check that the block has a next row");
        std::mem::swap(sums, &mut self.sums[self.next]);
        self.next += 1;
    }

    /// Computes the sums of a slot whose vector has changed.
    #[inline]
    pub(super) fn replace(
        &mut self,
        ops: Ops<T>,
        kernel: AnyKernel,
        slot: Slot,
        (x, row_stat): (Row<'_, T>, T),
    ) {
        if !self.has_next() {
            return;
        }
        let Row::Dense(x) = x else { return self.discard() };
        self.column.grow(BLOCK_ROWS / T::LANES);
        ops.accumulate_column(kernel, (x, row_stat), &self.rows, self.next, &mut self.column);
        for row in self.next..self.end {
            self.sums[row].set(slot.index(), self.column.get(row));
        }
    }

    /// Makes room for `n_simd` SIMD vectors of slots.
    pub(super) fn grow(&mut self, n_simd: usize) {
        self.sums.iter_mut().for_each(|sums| sums.grow(n_simd));
    }

    /// Discards the block, because all support vectors have changed.
    pub(super) fn discard(&mut self) {
        self.end = self.next;
    }
}
