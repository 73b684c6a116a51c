//! Averages of past models, and copies of one model.

use super::means::Means;
use super::{Coefficients, KernelExpansion};
use crate::float::Real;
use crate::ops::SimdBuffer;

impl<T: Real> KernelExpansion<T> {
    /// Lets an empty model keep `means` averages of past models; after [`KernelExpansion::add_linear_term`].
    pub(crate) fn keep_means(&mut self, means: usize) {
        debug_assert!(self.support.high == 0, "support vectors that are stored already would be left out");
        self.means = Some(Means::new(self.outputs(), means));
        if let Some(linear) = self.support.expansion.linear_mut() {
            *linear = linear.with_means(means);
        }
    }

    /// Averages the present model into each mean, with one weight per mean.
    #[inline(always)]
    pub(crate) fn accumulate_means(&mut self, shares: &[f64]) {
        let Self { support, means, .. } = self;
        if let Some(means) = means {
            means.observe(support, shares);
        }
    }

    /// The scores of a row by an averaged model, the scale included, from its kernel row, its linear values and its
    /// scores by the last model.
    #[inline(always)]
    pub(crate) fn mean_scores(
        &self,
        number: usize,
        last: (&SimdBuffer<T>, &SimdBuffer<T>, &[T]),
        f: &mut [T],
    ) {
        let means = self.means.as_ref().expect("a model that is averaged keeps means");
        means.scores(number, &self.support, last, f);
    }

    /// Restarts all means from the last model.
    pub(crate) fn restart_means(&mut self) {
        let Self { support, means, .. } = self;
        if let Some(means) = means {
            means.restart(support);
        }
    }

    /// Makes the second mean the first; the first is dropped.
    pub(crate) fn advance_means(&mut self) {
        let Self { support, means, .. } = self;
        if let Some(means) = means {
            means.advance(support);
        }
    }

    /// The coefficients of a mean, without the scale.
    pub(crate) fn mean(&self, number: usize) -> Coefficients<T> {
        let means = self.means.as_ref().expect("a model that is averaged keeps means");
        let mut mean = self.expansion().clone();
        means.write(number, &self.support, &mut mean);
        mean
    }

    /// Becomes a copy of another model of the same shape, without its averages.
    pub(crate) fn copy_model(&mut self, of: &Self) {
        debug_assert!(self.means.is_none(), "averages would not follow");
        self.support.clone_from(&of.support);
        self.scratch.by_slot.grow(of.vectors());
    }
}
