//! Kernel rows, scores and the searches among support vectors.

use super::{
    Coefficients, KernelBlock, KernelExpansion, KernelRow, LinearInput, NewSupportVector, OnEdit, Slot,
};
use crate::batch::{Example, Label, Row};
use crate::float::Real;
use crate::kernel::{AnyKernel, MergeableKernel};
use crate::ops::merge::{Candidates, Partner, PartnerSearch};
use crate::ops::removal::RemovalCandidates;
use crate::ops::{Differences, SimdBuffer};

/// Bytes of support vectors above which rows are computed in blocks.
pub(crate) const BLOCK_MIN_BYTES: usize = 16 << 10;

/// A support vector j with `k_j^2 > MIN_SHARE k(x, x) k_jj` may be the row x itself: k above 0.71 where `k(x, x)`
/// is 1.
const MIN_SHARE: f64 = 0.5;

/// A transformed row: the input `x` of the linear term, and the input `z` of the kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a, T: Real> {
    pub(crate) x: LinearInput<'a, T>,
    pub(crate) z: Row<'a, T>,
    /// The row statistic of `z` (`|z|^2` or `|z|_1`) as far as scores depend on it: 0 for kernels of differences.
    pub(crate) row_stat: T,
}

impl<'a, T: Real> Query<'a, T> {
    #[inline(always)]
    pub(crate) fn new(kernel: AnyKernel, x: LinearInput<'a, T>, z: Row<'a, T>) -> Self {
        Self { x, z, row_stat: kernel.query_stat(z) }
    }

    /// The row statistic that is stored with a support vector. Kernels of differences need none to score a row, so
    /// `row_stat` is 0, but squared distances between support vectors are expanded with the stored one.
    #[inline(always)]
    pub(crate) fn stored_stat(&self, kernel: AnyKernel) -> T {
        if kernel.translation_invariant() { kernel.row_stat(self.z) } else { self.row_stat }
    }
}

impl<'a, T: Real> Query<'a, T> {
    /// The row as a new support vector with the coefficients `alpha`.
    #[inline(always)]
    pub(crate) fn new_support_vector<'n>(
        &self,
        kernel: AnyKernel,
        label: Label,
        alpha: &'n [T],
        (f, k): (&'n [T], &'n SimdBuffer<T>),
    ) -> NewSupportVector<'n, T>
    where
        'a: 'n,
    {
        let row_stat = self.stored_stat(kernel);
        NewSupportVector { z: self.z, row_stat, label, alpha, f, k }
    }
}

/// The kernel row and the unscaled scores of one row; buffers, never saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowScores<T: Real> {
    /// The kernel row by slot.
    pub(crate) k: SimdBuffer<T>,
    /// The unscaled scores, one per output.
    pub(crate) f: Vec<T>,
    /// `V x` of the linear term, then of the residual of each mean: one lane per output of each.
    pub(crate) linear_values: SimdBuffer<T>,
    /// The differences of the row from the base row, if there is one.
    pub(crate) differences: Differences<T>,
}

/// An example with its row and its scores.
#[derive(Debug)]
pub(crate) struct Scored<'a, T: Real> {
    pub(crate) example: Example,
    pub(crate) query: Query<'a, T>,
    /// The unscaled scores before the row is learned, one per output.
    pub(crate) f: &'a mut [T],
    /// The kernel row by slot; after an insertion, with the kernel's own `k(x, x)` at the new slot.
    pub(crate) k: &'a mut SimdBuffer<T>,
    /// As [`RowScores::linear_values`].
    pub(crate) linear_values: &'a SimdBuffer<T>,
    /// `k(x, x)`: the squared norm of the row in the space in which the rule makes its step. With a linear term it
    /// includes the linear kernel. The value that is stored with a support vector (`Coefficients::diags`) is the
    /// kernel's own and does not.
    pub(crate) k_tt: T,
    /// The unit of scores and coefficients: a power of two.
    pub(crate) unit: f64,
}

#[cfg(test)]
impl<T: Real> RowScores<T> {
    /// Fills the buffers with numbers that nobody may read.
    pub(crate) fn poison(&mut self) {
        [&mut self.k, &mut self.linear_values].into_iter().for_each(SimdBuffer::poison);
        self.f.fill(T::from_f64(7e3));
    }
}

impl<T: Real> KernelExpansion<T> {
    /// Computes the kernel row and the unscaled scores of a row to be learned. `from_block` says that the row is the
    /// next row of the precomputed block.
    #[inline(always)]
    pub(crate) fn score<'a>(
        &mut self,
        example: Example,
        query: Query<'a, T>,
        from_block: bool,
        buffers: &'a mut RowScores<T>,
    ) -> Scored<'a, T> {
        let RowScores { k, f, linear_values, differences } = buffers;
        if from_block {
            self.scores_from_own_block(query.row_stat, k, f);
        } else {
            self.scores_by(self.coefficients(), (query.z, query.row_stat), (k, differences), f);
        }
        let mut k_tt = self.kernel().diag(query.row_stat);
        if let (Some(step), Some(linear)) = (&mut self.linear_step, self.support.coefficients.linear()) {
            linear.values(self.support.ops, query.x, linear_values);
            linear.add_to(linear_values, f);
            k_tt += T::from_f64(step.squared_norm(query.x));
        }
        Scored { example, query, f, k, linear_values, k_tt, unit: self.unit() }
    }

    /// Inserts a scored row, and completes its kernel row with the kernel's own `k(x, x)` at the new slot.
    #[inline(always)]
    pub(crate) fn insert_scored(
        &mut self,
        scored: &mut Scored<'_, T>,
        alpha: &[T],
        derived_state: &mut impl OnEdit<T>,
    ) {
        let Scored { example, query, f, k, .. } = scored;
        let kernel = self.kernel();
        let slot = self.insert(query.new_support_vector(kernel, example.label, alpha, (f, k)), derived_state);
        k.grow(self.n_simd());
        k.set(slot.index(), kernel.diag(query.row_stat));
    }

    /// The kernel row of `x` into `k`, and the unscaled scores `f_c = sum_j alpha_jc k_j` into `f`.
    pub(crate) fn scores(&self, x: (Row<'_, T>, T), k: &mut SimdBuffer<T>, f: &mut [T]) {
        self.support.ops.scores(self.kernel(), self.support.stored(), self.coefficients().view(), x, k, f);
    }

    /// The kernel row of a transformed row into `k`, and the scores with these `coefficients` into `f`;
    /// `differences` is a buffer.
    #[inline(always)]
    pub(crate) fn scores_by(
        &self,
        coefficients: &Coefficients<T>,
        (z, row_stat): (Row<'_, T>, T),
        (k, differences): (&mut SimdBuffer<T>, &mut Differences<T>),
        f: &mut [T],
    ) {
        let (ops, kernel, stored) = (self.support.ops, self.kernel(), self.support.stored());
        let alpha = coefficients.view();
        match z {
            Row::Dense(z) if self.support.base.is_set() => {
                self.support.base.accumulate(ops, stored, (z, differences), k);
                ops.finish_scores(kernel, stored, alpha, row_stat, k, f);
            }
            z => ops.scores(kernel, stored, alpha, (z, row_stat), k, f),
        }
    }

    /// [`KernelExpansion::scores_by`] of a row that is given by its differences from the base row.
    #[inline(always)]
    pub(crate) fn scores_by_differences(
        &self,
        coefficients: &Coefficients<T>,
        differences: &Differences<T>,
        k: &mut SimdBuffer<T>,
        f: &mut [T],
    ) {
        let (ops, kernel, stored) = (self.support.ops, self.kernel(), self.support.stored());
        let by_differences = self.support.base.stored(stored);
        ops.accumulate_differences(by_differences, differences, std::slice::from_mut(k));
        // Kernels of the distance read no row statistic of the row.
        ops.finish_scores(kernel, stored, coefficients.view(), T::ZERO, k, f);
    }

    /// Removes the contribution of the most similar support vector from the unscaled scores `f` of a row, if it is so
    /// similar that the row may have become this support vector.
    pub(crate) fn leave_nearest_out(&self, (k, diag): KernelRow<'_, T>, f: &mut [f64]) {
        let value = |slot: Slot| k.get(slot.index());
        let nearest = self.order().iter().reduce(|a, b| if value(b) > value(a) { b } else { a });
        let Some(slot) = nearest else { return };
        let (k, diag) = (value(slot).to_f64(), diag.to_f64());
        if k * k > MIN_SHARE * diag * self.coefficients().diags().get(slot.index()).to_f64() {
            for (output, f) in f.iter_mut().enumerate() {
                *f -= k * self.coefficients().get(slot, output).to_f64();
            }
        }
    }

    /// The kernel row of `x` into `k`.
    pub(crate) fn kernel_row(&self, x: (Row<'_, T>, T), k: &mut SimdBuffer<T>) {
        self.support.ops.kernel_row(self.kernel(), self.support.stored(), x, k);
    }

    /// `argmin_j |alpha_j|^2 k_jj`; the oldest within the tie tolerance.
    pub(crate) fn smallest(&self) -> Slot {
        let found = self.support.ops.argmin(self.coefficients().weights(), self.support.live(), T::TIE_RTOL);
        found.map_or_else(|| self.nth_oldest(0), |(slot, _)| slot)
    }

    /// The largest absolute value of an unscaled coefficient.
    pub(crate) fn largest(&self) -> T {
        self.support.ops.max_abs(self.coefficients().view(), self.n_simd_used())
    }

    /// The best partner to merge `seed` with; None if all degradations are NaN, after overflow.
    pub(crate) fn partner(
        &self,
        search: &mut PartnerSearch<T>,
        kernel: MergeableKernel,
        seed: Slot,
    ) -> Option<Partner> {
        let candidates = self.candidates(search, seed);
        self.support.ops.partner(search, candidates, kernel, seed)
    }

    /// The best partner to merge the newest support vector `seed` with, which has the kernel row `k`.
    pub(crate) fn partner_of_newest(
        &self,
        search: &mut PartnerSearch<T>,
        k: &SimdBuffer<T>,
        seed: Slot,
    ) -> Option<Partner> {
        let candidates = self.candidates(search, seed);
        self.support.ops.partner_of_newest(search, candidates, k, seed)
    }

    /// Starts the search for a partner of `seed`, and returns the candidates.
    fn candidates(&self, search: &mut PartnerSearch<T>, seed: Slot) -> Candidates<'_, T> {
        let (x_seed, a_seed) = search.start(self.features(), self.outputs(), self.n_simd());
        self.read(seed, x_seed);
        self.coefficients().read(seed, a_seed);
        Candidates {
            stored: self.support.stored(),
            alpha: self.coefficients().view(),
            weights: self.coefficients().weights(),
            live: self.support.live(),
        }
    }

    /// The support vectors that may be removed after the insertion of `new_slot`, whose kernel row is `k`.
    pub(crate) fn removal_candidates<'a>(
        &'a self,
        new_slot: Slot,
        k: &'a SimdBuffer<T>,
        k_tt: T,
    ) -> RemovalCandidates<'a, T> {
        RemovalCandidates {
            new_slot,
            k,
            k_tt,
            diags: self.coefficients().diags(),
            weights: self.coefficients().weights(),
            live: self.support.live(),
        }
    }

    /// The old support vector whose projection on the new vector t, in `new_slot`, changes the expansion least, and the
    /// squared change: `argmin_r |alpha_r|^2 (k_rr - k_rt^2/k_tt)`.
    pub(crate) fn cheapest_given_new(&mut self, new_slot: Slot, k: &SimdBuffer<T>, k_tt: T) -> (Slot, f64) {
        let mut costs = std::mem::take(&mut self.buffers.by_slot);
        let found =
            self.support.ops.cheapest_given_new(self.removal_candidates(new_slot, k, k_tt), &mut costs);
        self.buffers.by_slot = costs;
        found.map_or_else(|| (self.nth_oldest(0), 0.0), |(slot, cost)| (slot, cost.to_f64()))
    }
}

/// Rows in blocks.
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

    /// The kernel row and the scores of the next row of the expansion's own kernel block.
    #[inline]
    pub(super) fn scores_from_own_block(&mut self, row_stat: T, k: &mut SimdBuffer<T>, f: &mut [T]) {
        self.support.kernel_block.take(k);
        let (kernel, stored) = (self.kernel(), self.support.stored());
        self.support.ops.finish_scores(kernel, stored, self.coefficients().view(), row_stat, k, f);
    }

    /// Computes the sums of rows for prediction, into a kernel block outside the expansion.
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
