//! A block of rows that are about to be learned or scored: the sums over their features against every support vector,
//! computed together, because a support set that exceeds the first cache is then read once for many rows.

use super::{Coefficients, KernelExpansion, Slot};
use crate::batch::Row;
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::{BLOCK_ROWS, Ops, PackedRows, SimdBuffer, SupportView};

/// Bytes of support vectors above which rows are computed in blocks.
pub(crate) const BLOCK_MIN_BYTES: usize = 32 << 10;

/// The remaining rows of a block, with their sums. A changed support vector changes one sum of each row; if all support
/// vectors change, the block is discarded.
#[derive(Debug, Default)]
pub(crate) struct KernelBlock<T: Real> {
    rows: PackedRows<T>,
    /// One buffer per row, indexed by slot.
    sums: Vec<SimdBuffer<T>>,
    /// The next row, and the end of the block.
    next: usize,
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
    /// Computes the sums of rows, the first of them number `next` of its block.
    fn compute(
        &mut self,
        (ops, kernel, stored): (Ops<T>, AnyKernel, SupportView<'_, T>),
        next: usize,
        features: usize,
        rows: &[T],
    ) {
        self.sums.resize_with(BLOCK_ROWS, SimdBuffer::default);
        self.sums.iter_mut().for_each(|sums| sums.grow(stored.panels.n_simd));
        self.rows.write(next, features, rows, stored.expands_squares(kernel));
        (self.next, self.end) = (next, next + rows.len() / features);
        ops.accumulate_block(kernel, stored, &self.rows, (self.next, self.end), &mut self.sums);
    }

    /// Whether the block holds the next row.
    #[inline(always)]
    fn has_next(&self) -> bool {
        self.next < self.end
    }

    /// Moves the sums of the next row into `sums`.
    #[inline(always)]
    fn take(&mut self, sums: &mut SimdBuffer<T>) {
        debug_assert!(self.has_next(), "callers check has_precomputed first");
        std::mem::swap(sums, &mut self.sums[self.next]);
        self.next += 1;
    }

    /// Computes the sums of a slot anew, which holds another vector.
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

    /// Makes room for `vectors` SIMD vectors of slots.
    pub(super) fn grow(&mut self, vectors: usize) {
        self.sums.iter_mut().for_each(|sums| sums.grow(vectors));
    }

    /// Discards the block: every slot holds another vector.
    pub(super) fn discard(&mut self) {
        self.end = self.next;
    }
}

impl<T: Real> KernelExpansion<T> {
    /// Whether the support set is so large that computing rows in blocks is faster.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.used() * self.features() * size_of::<T>() * T::LANES > BLOCK_MIN_BYTES
    }

    /// Computes the sums of rows that are to be learned, `features` values each, the first of them number `next` of its
    /// block.
    pub(crate) fn precompute_block(&mut self, next: usize, rows: &[T]) {
        let mut block = std::mem::take(&mut self.support.block);
        block.compute((self.ops(), self.kernel(), self.support.stored()), next, self.features(), rows);
        self.support.block = block;
    }

    /// Whether the sums of the next row are computed, with the present support vectors.
    #[inline(always)]
    pub(crate) fn has_precomputed(&self) -> bool {
        self.support.block.has_next()
    }

    /// The kernel row and the scores of the next row of the block.
    #[inline]
    pub(super) fn scores_from_block(&mut self, row_stat: T, k: &mut SimdBuffer<T>, f: &mut [T]) {
        self.support.block.take(k);
        let (kernel, stored) = (self.kernel(), self.support.stored());
        self.support.ops.finish_scores(kernel, stored, self.expansion().coefficients(), row_stat, k, f);
    }

    /// Computes the sums of rows that are only scored, into a block outside the model.
    pub(crate) fn precompute(&self, rows: &[T], block: &mut KernelBlock<T>) {
        block.compute((self.ops(), self.kernel(), self.support.stored()), 0, self.features(), rows);
    }

    /// The kernel row of the next row of `block`, and its scores with the coefficients `expansion`.
    #[inline]
    pub(crate) fn scores_from(
        &self,
        expansion: &Coefficients<T>,
        block: &mut KernelBlock<T>,
        row_stat: T,
        k: &mut SimdBuffer<T>,
        f: &mut [T],
    ) {
        block.take(k);
        let (kernel, stored) = (self.kernel(), self.support.stored());
        self.ops().finish_scores(kernel, stored, expansion.coefficients(), row_stat, k, f);
    }
}
