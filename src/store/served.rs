//! The mean of many models, and copies of one.

use super::{Expansion, Store};
use crate::float::Real;

impl<T: Real> Store<T> {
    /// The model of now is one of those that are averaged.
    #[inline(always)]
    pub(crate) fn count(&mut self) {
        if let Some(averages) = &mut self.averages {
            averages.count(self.scale);
        }
    }

    /// The newer window of the average becomes the older one, and a new one starts.
    pub(crate) fn move_on(&mut self) {
        if let Some(averages) = &mut self.averages {
            averages.move_on(&self.age, &self.expansion);
        }
    }

    /// The coefficients of the mean of the `models` models of the older window, without the scale.
    pub(crate) fn mean(&self, models: u64) -> Expansion<T> {
        let averages = self.averages.as_ref().expect("the learner that asks has asked to keep them");
        let mut mean = self.expansion.clone();
        let mut row = vec![T::ZERO; self.outputs()];
        let unit = 1.0 / (models.max(1) as f64 * self.scale);
        for slot in self.age.iter() {
            for (output, a) in row.iter_mut().enumerate() {
                *a = T::from_f64(averages.sum(slot, output, &self.expansion) * unit);
            }
            mean.write(slot, &row, self.expansion.diags().get(slot.index()));
        }
        mean
    }

    /// Becomes a copy of another model of the same shape, without what that one keeps beside it.
    pub(crate) fn copy_model(&mut self, of: &Self) {
        self.panels.clone_from(&of.panels);
        self.norms.clone_from(&of.norms);
        self.expansion.clone_from(&of.expansion);
        self.labels.clone_from(&of.labels);
        self.age.clone_from(&of.age);
        self.free.clone_from(&of.free);
        self.high = of.high;
        self.scale = of.scale;
        self.scratch.k.grow(of.vectors());
        self.scratch.by_slot.grow(of.vectors());
    }
}
