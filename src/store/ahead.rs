//! Rows that are about to be learned or scored, with what their features add up to against every support vector:
//! computed together, because a store that outgrows the first cache is then read once for many rows.

use super::{Coefficients, KernelExpansion, Slot};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::{BLOCK_ROWS, Ops, PackedRows, SimdBuffer, SupportView};
use crate::row::Row;

/// The bytes of support vectors from which on rows are looked at together.
pub(crate) const LARGE: usize = 32 << 10;

/// The rows of a block that are still to come. A change of one support vector changes one sum of each; where all
/// change, nothing is left.
#[derive(Debug, Default)]
pub(crate) struct KernelBlock<T: Real> {
    block: PackedRows<T>,
    /// By row, and slot.
    sums: Vec<SimdBuffer<T>>,
    /// The next row, and the end of the rows that there are.
    next: usize,
    end: usize,
    column: SimdBuffer<T>,
}

/// A copy of a model looks for itself.
impl<T: Real> Clone for KernelBlock<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Real> KernelBlock<T> {
    /// Rows from number `next` on, as many as `rows` has numbers for.
    fn precompute(
        &mut self,
        (ops, kernel, stored): (Ops<T>, AnyKernel, SupportView<'_, T>),
        next: usize,
        features: usize,
        rows: &[T],
    ) {
        self.sums.resize_with(BLOCK_ROWS, SimdBuffer::default);
        self.sums.iter_mut().for_each(|sums| sums.grow(stored.panels.n_simd));
        self.block.write(next, features, rows, stored.expands_squares(kernel));
        (self.next, self.end) = (next, next + rows.len() / features);
        ops.accumulate_block(kernel, stored, &self.block, (self.next, self.end), &mut self.sums);
    }

    /// Whether the next row is there.
    #[inline(always)]
    fn has_next(&self) -> bool {
        self.next < self.end
    }

    /// The sums of the next row.
    #[inline(always)]
    fn take(&mut self, sums: &mut SimdBuffer<T>) {
        debug_assert!(self.has_next(), "who asks has asked whether there is one");
        std::mem::swap(sums, &mut self.sums[self.next]);
        self.next += 1;
    }

    /// A slot holds another vector, of this norm.
    #[inline]
    pub(super) fn renew(&mut self, ops: Ops<T>, kernel: AnyKernel, slot: Slot, (x, norm): (Row<'_, T>, T)) {
        if !self.has_next() {
            return;
        }
        let Row::Dense(x) = x else { return self.forget() };
        self.column.grow(BLOCK_ROWS / T::LANES);
        ops.accumulate_column(kernel, (x, norm), &self.block, self.next, &mut self.column);
        for row in self.next..self.end {
            self.sums[row].set(slot.index(), self.column.get(row));
        }
    }

    /// There are so many vectors of lanes now.
    pub(super) fn grow(&mut self, vectors: usize) {
        self.sums.iter_mut().for_each(|sums| sums.grow(vectors));
    }

    /// Every slot holds another vector.
    pub(super) fn forget(&mut self) {
        self.end = self.next;
    }
}

impl<T: Real> KernelExpansion<T> {
    /// Whether so many rows are better looked at together.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.used() * self.features() * size_of::<T>() * T::LANES > LARGE
    }

    /// Looks at rows that are to be learned, `features` numbers each, the first of them number `next` of its block.
    pub(crate) fn precompute_block(&mut self, kernel: AnyKernel, next: usize, rows: &[T]) {
        let mut ahead = std::mem::take(&mut self.support.ahead);
        ahead.precompute((self.ops(), kernel, self.support.stored()), next, self.features(), rows);
        self.support.ahead = ahead;
    }

    /// Whether the next row has been looked at, with the support vectors of now.
    #[inline(always)]
    pub(crate) fn has_precomputed(&self) -> bool {
        self.support.ahead.has_next()
    }

    /// As [`KernelExpansion::scores`] for the next row that has been looked at, which has this norm.
    #[inline]
    pub(crate) fn scores_from_block(
        &mut self,
        kernel: AnyKernel,
        norm: T,
        k: &mut SimdBuffer<T>,
        f: &mut [T],
    ) {
        self.support.ahead.take(k);
        self.support.ops.finish_scores(
            kernel,
            self.support.stored(),
            self.expansion().coefficients(),
            norm,
            k,
            f,
        );
    }

    /// Looks at the rows of a block that are only to be scored.
    pub(crate) fn precompute(&self, kernel: AnyKernel, rows: &[T], ahead: &mut KernelBlock<T>) {
        ahead.precompute((self.ops(), kernel, self.support.stored()), 0, self.features(), rows);
    }

    /// As [`KernelExpansion::scores_by`] for the next row that has been looked at, which has this norm.
    #[inline]
    pub(crate) fn scores_from(
        &self,
        kernel: AnyKernel,
        expansion: &Coefficients<T>,
        ahead: &mut KernelBlock<T>,
        norm: T,
        k: &mut SimdBuffer<T>,
        f: &mut [T],
    ) {
        ahead.take(k);
        self.ops().finish_scores(kernel, self.support.stored(), expansion.coefficients(), norm, k, f);
    }
}
