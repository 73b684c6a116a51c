//! Means of past expansions, and copies of an expansion.

use super::means::Means;
use super::{Coefficients, KernelExpansion};
use crate::float::Real;
use crate::ops::SimdBuffer;

impl<T: Real> KernelExpansion<T> {
    /// Adds `n` means of past expansions to an empty expansion; call it after
    /// [`KernelExpansion::add_linear_term`].
    pub(crate) fn keep_means(&mut self, n: usize) {
        debug_assert!(self.support.high == 0, "the means would not contain stored support vectors");
        self.means = Some(Means::new(self.outputs(), n));
        if let Some(linear) = self.support.coefficients.linear_mut() {
            *linear = linear.with_means(n);
        }
    }

    /// Adds the present expansion to each mean, with one weight per mean.
    #[inline(always)]
    pub(crate) fn accumulate_means(&mut self, shares: &[f64]) {
        let Self { support, means, .. } = self;
        if let Some(means) = means {
            means.observe(support, shares);
        }
    }

    /// Writes the scores of a row by the first mean to `f`, with the scale but without the unit. `last` are the kernel
    /// row, the linear values and the unscaled scores of the last expansion.
    #[inline(always)]
    pub(crate) fn first_mean_scores(&self, last: (&SimdBuffer<T>, &SimdBuffer<T>, &[T]), f: &mut [T]) {
        if let Some(means) = &self.means {
            means.scores(&self.support, last, f);
        }
    }

    /// Restarts all means from the last expansion.
    pub(crate) fn restart_means(&mut self) {
        let Self { support, means, .. } = self;
        if let Some(means) = means {
            means.restart(support);
        }
    }

    /// Makes the second mean the first, and drops the first.
    pub(crate) fn advance_means(&mut self) {
        let Self { support, means, .. } = self;
        if let Some(means) = means {
            means.advance(support);
        }
    }

    /// The unscaled coefficients of a mean.
    pub(crate) fn mean(&self, number: usize) -> Coefficients<T> {
        let means = self.means.as_ref().expect("an averaged expansion keeps means");
        let mut mean = self.coefficients().clone();
        means.write(number, &self.support, &mut mean);
        mean
    }

    /// Copies the support set of another expansion of equal shape, without its means.
    pub(crate) fn copy_model(&mut self, expansion: &Self) {
        debug_assert!(self.means.is_none(), "means would not follow the copy");
        self.support.clone_from(&expansion.support);
        self.buffers.by_slot.grow(expansion.n_simd());
    }
}
