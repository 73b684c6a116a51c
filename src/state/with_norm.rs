//! The state of a strategy together with the squared norm.

use super::Norm;
use crate::expansion::{Edit, OnEdit, Slot, SupportSet};
use crate::float::Real;

/// The state of a strategy, and the squared norm if the rule projects onto the ball; both follow every edit.
pub(crate) struct WithNorm<'a, T: Real, S: ?Sized>(pub(crate) &'a mut S, pub(crate) &'a mut Option<Norm<T>>);

impl<T: Real, S: OnEdit<T> + ?Sized> OnEdit<T> for WithNorm<'_, T, S> {
    #[inline(always)]
    fn before_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        self.0.before_edit(edit, support);
        self.1.before_edit(edit, support);
    }

    #[inline(always)]
    fn after_edit(&mut self, edit: &Edit<'_, T>, support: &SupportSet<T>) {
        self.0.after_edit(edit, support);
        let Some(norm) = self.1 else { return };
        if let Edit::Insert { slot, new } = edit
            && self.0.score(*slot, 0).is_some()
        {
            // The scores of the new vector were computed before another vector was removed for it. The margins have
            // its present scores, its own share included.
            let k_tt = support.coefficients.diags().get(slot.index()).to_f64();
            let f = |output: usize| {
                let score = self.0.score(*slot, output).map_or(0.0, T::to_f64);
                score - new.alpha[output].to_f64() * k_tt
            };
            norm.expect_insertion(new.alpha, k_tt, f);
        }
        norm.after_edit(edit, support);
    }

    fn reserve(&mut self, n_simd: usize) {
        self.0.reserve(n_simd);
        self.1.reserve(n_simd);
    }

    fn refresh(&mut self, support: &SupportSet<T>) {
        self.0.refresh(support);
        self.1.refresh(support);
    }

    fn score(&self, slot: Slot, output: usize) -> Option<T> {
        self.0.score(slot, output)
    }
}
