//! The mean of many models, and copies of one.

use super::followers::Averages;
use super::{Expansion, Store};
use crate::float::Real;

impl<T: Real> Store<T> {
    /// From now on keeps the sums of the coefficients over many models, of one window or of two, while it is empty.
    pub(crate) fn keep_averages(&mut self, windows: usize) {
        debug_assert!(self.support.high == 0, "what is there already would be left out");
        self.followers.averages = Some(Averages::new(self.outputs(), windows));
    }

    /// The model of now is one of those that are averaged, with this weight.
    #[inline(always)]
    pub(crate) fn count(&mut self, weight: f64) {
        if let Some(averages) = &mut self.followers.averages {
            averages.count(weight * self.support.scale);
        }
    }

    /// The newer window of the average becomes the older one, and a new one starts.
    pub(crate) fn move_on(&mut self) {
        if let Some(averages) = &mut self.followers.averages {
            averages.move_on(&self.support.age, &self.support.expansion);
        }
    }

    /// The coefficients of the mean of the models of the first window, which weigh `weight` together, without the scale;
    /// what they weigh is left out.
    pub(crate) fn mean(&self, weight: f64) -> Expansion<T> {
        let averages =
            self.followers.averages.as_ref().expect("the learner that asks has asked to keep them");
        let mut mean = Expansion::new(self.outputs());
        mean.grow(self.vectors());
        let unit = 1.0 / (weight * self.scale());
        for slot in self.age().iter() {
            for output in 0..self.outputs() {
                let a = averages.sum(slot, output, self.expansion()) * unit;
                mean.set(slot, output, T::from_f64(a));
            }
        }
        mean
    }

    /// Becomes a copy of another model of the same shape, without what that one keeps beside it.
    pub(crate) fn copy_model(&mut self, of: &Self) {
        debug_assert!(self.followers.are_none(), "followers would not hear of it");
        self.support.clone_from(&of.support);
        self.scratch.by_slot.grow(of.vectors());
    }
}
