//! Operations for metric learning: kernel slopes, weighted differences, and transformations of all support vectors.

use super::{KernelExpansion, OnEdit, Slot, SupportSet};
use crate::float::Real;
use crate::kernel::MergeableKernel;
use crate::ops::{MarginContrast, SimdBuffer};

impl<T: Real> KernelExpansion<T> {
    /// Writes `w_j = b_j (-kappa'(D_j)) / gamma` of a kernel row into `slopes`, where b are the coefficients of a
    /// margin, and `-|w_j| gamma D_j` into `costs`.
    pub(crate) fn slopes(
        &self,
        kernel: MergeableKernel,
        k: &SimdBuffer<T>,
        margin: MarginContrast<T>,
        slopes: &mut SimdBuffer<T>,
        costs: &mut SimdBuffer<T>,
    ) {
        slopes.grow(self.n_simd());
        costs.grow(self.n_simd());
        let alpha = (self.coefficients().view(), margin);
        self.support.ops.kernel_slopes(kernel, k, alpha, self.n_simd_used(), slopes, costs);
    }

    /// `sum_j w_j (z_i - s_ji)^2` for every feature i.
    pub(crate) fn squares(&self, w: &SimdBuffer<T>, z: &[T], out: &mut [T]) {
        self.support.ops.weighted_sq_differences(self.support.panels.view(), w, z, self.n_simd_used(), out);
    }

    /// The support vector with the smallest cost, and the cost.
    pub(crate) fn argmin(&self, costs: &SimdBuffer<T>) -> Option<(Slot, T)> {
        self.support.ops.argmin(costs, self.support.live(), T::ZERO)
    }

    /// Multiplies each feature of every support vector by its factor.
    pub(crate) fn stretch(&mut self, factors: &[T], derived_state: &mut impl OnEdit<T>) {
        let support = &mut self.support;
        support.ops.scale_features(support.panels.view_mut(), factors, &mut support.row_stats);
        support.kernel_block.discard();
        derived_state.refresh(support);
    }

    /// `s_j <- s_j + E s_j` over the first features of every support vector; E is given row by row.
    pub(crate) fn transform(&mut self, e: &[T], derived_state: &mut impl OnEdit<T>) {
        let Self { support, buffers, .. } = self;
        let SupportSet { ops, panels, row_stats, nonzero, order, .. } = support;
        ops.transform_features(panels.view_mut(), e, row_stats, &mut buffers.column);
        order.iter().for_each(|slot| nonzero.forget(slot));
        support.kernel_block.discard();
        derived_state.refresh(support);
    }
}
