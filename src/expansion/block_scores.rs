//! Kernel rows and scores of the rows of a block.

use super::{Coefficients, KernelBlock, KernelExpansion};
use crate::float::Real;
use crate::ops::SimdBuffer;

/// Bytes of support vectors above which rows are computed in blocks.
pub(crate) const BLOCK_MIN_BYTES: usize = 16 << 10;

impl<T: Real> KernelExpansion<T> {
    /// Whether the support set is so large that computing rows in blocks is faster.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.n_simd_used() * self.features() * size_of::<T>() * T::LANES > BLOCK_MIN_BYTES
    }

    /// Computes the sums of rows to be learned, `features` values per row; the first row has the index `next` in its
    /// block.
    pub(crate) fn precompute_kernel_block(&mut self, next: usize, rows: &[T]) {
        let mut kernel_block = std::mem::take(&mut self.support.kernel_block);
        let support = (self.ops(), self.kernel(), self.support.stored());
        kernel_block.compute(support, &self.support.base, next, self.features(), rows);
        self.support.kernel_block = kernel_block;
    }

    /// Whether the sums of the next row are precomputed and valid for the present support vectors.
    #[inline(always)]
    pub(crate) fn has_precomputed(&self) -> bool {
        self.support.kernel_block.has_next()
    }

    /// The kernel row and the scores of the next row of the model's own kernel block.
    #[inline]
    pub(super) fn scores_from_own_block(&mut self, row_stat: T, k: &mut SimdBuffer<T>, f: &mut [T]) {
        self.support.kernel_block.take(k);
        let (kernel, stored) = (self.kernel(), self.support.stored());
        self.support.ops.finish_scores(kernel, stored, self.coefficients().view(), row_stat, k, f);
    }

    /// Computes the sums of rows for prediction, into a kernel block outside the model.
    pub(crate) fn fill_kernel_block(&self, rows: &[T], kernel_block: &mut KernelBlock<T>) {
        let support = (self.ops(), self.kernel(), self.support.stored());
        kernel_block.compute(support, &self.support.base, 0, self.features(), rows);
    }

    /// The kernel row of the next row of `kernel_block`, and the scores with these `coefficients`.
    #[inline]
    pub(crate) fn scores_from_block(
        &self,
        coefficients: &Coefficients<T>,
        kernel_block: &mut KernelBlock<T>,
        row_stat: T,
        k: &mut SimdBuffer<T>,
        f: &mut [T],
    ) {
        kernel_block.take(k);
        let (kernel, stored) = (self.kernel(), self.support.stored());
        self.ops().finish_scores(kernel, stored, coefficients.view(), row_stat, k, f);
    }
}
