//! The mean of many models, and copies of one.

use super::followers::Means;
use super::{Coefficients, KernelExpansion};
use crate::float::Real;
use crate::ops::SimdBuffer;

impl<T: Real> KernelExpansion<T> {
    /// From now on keeps so many means of many models, while it is empty; after [`KernelExpansion::keep_linear`].
    pub(crate) fn keep_means(&mut self, means: usize) {
        debug_assert!(self.support.high == 0, "what is there already would be left out");
        self.followers.means = Some(Means::new(self.outputs(), means));
        if let Some(linear) = self.support.expansion.linear_mut() {
            *linear = linear.with_means(means);
        }
    }

    /// The model of now has these shares of the means, one to the mean.
    #[inline(always)]
    pub(crate) fn count(&mut self, shares: &[f64]) {
        let Self { support, followers, .. } = self;
        if let Some(means) = &mut followers.means {
            means.count(support, shares);
        }
    }

    /// The scores of a row by a mean, the scale included, from its kernel row, its values by the linear part and its
    /// scores by the last model.
    #[inline(always)]
    pub(crate) fn mean_scores(
        &self,
        number: usize,
        last: (&SimdBuffer<T>, &SimdBuffer<T>, &[T]),
        f: &mut [T],
    ) {
        let means = self.followers.means.as_ref().expect("the learner that asks has asked to keep them");
        means.scores(number, &self.support, last, f);
    }

    /// All means become the last model.
    pub(crate) fn restart_means(&mut self) {
        let Self { support, followers, .. } = self;
        if let Some(means) = &mut followers.means {
            means.restart(support);
        }
    }

    /// The second mean becomes the first, and what was the first is of no use any more.
    pub(crate) fn move_on(&mut self) {
        let Self { support, followers, .. } = self;
        if let Some(means) = &mut followers.means {
            means.move_on(support);
        }
    }

    /// The coefficients of a mean, without the scale.
    pub(crate) fn mean(&self, number: usize) -> Coefficients<T> {
        let means = self.followers.means.as_ref().expect("the learner that asks has asked to keep them");
        let mut mean = self.expansion().clone();
        means.write(number, &self.support, &mut mean);
        mean
    }

    /// Becomes a copy of another model of the same shape, without what that one keeps beside it.
    pub(crate) fn copy_model(&mut self, of: &Self) {
        debug_assert!(self.followers.are_none(), "followers would not hear of it");
        self.support.clone_from(&of.support);
        self.scratch.by_slot.grow(of.vectors());
    }
}
