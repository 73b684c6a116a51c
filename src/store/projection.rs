//! What projections ask of the store: by the factor of the Gram matrix.

use super::{KernelExpansion, Slot};
use crate::float::Real;
use crate::kernel::AnyKernel;

impl<T: Real> KernelExpansion<T> {
    /// The oldest support vector that the factor could not take.
    pub(crate) fn waiting(&self) -> Option<Slot> {
        self.followers.gram.as_ref().and_then(|gram| gram.waiting.first().copied())
    }

    /// `argmin |alpha_p|^2 / A_pp` over all but one, ties to the oldest, and that cost: what its projection on all
    /// others changes.
    pub(crate) fn cheapest(&self, but: Option<Slot>) -> (Slot, f64) {
        let gram = self.followers.gram.as_ref().expect("the strategy that asks has asked to keep it");
        let candidates = gram.diag().filter(|(slot, _)| Some(*slot) != but);
        let costs = candidates.map(|(slot, a_pp)| (slot, self.squared_alpha(slot) / a_pp));
        let least = costs.clone().fold(f64::INFINITY, |least, (_, cost)| least.min(cost));
        let bound = least + least * T::TIE_RTOL.to_f64();
        // A cost that is not a number, of a factor that was not made here, is as good as any.
        let ties = costs.filter(|(_, cost)| *cost <= bound || cost.is_nan());
        let oldest = ties.reduce(|a, b| if self.support.age.older(b.0, a.0) { b } else { a });
        oldest.expect("a store over budget has members")
    }

    /// `k_tt` of the slot inserted last, and the squared length of its projection on the members of the factor.
    pub(crate) fn projected(&self) -> (f64, f64) {
        let gram = self.followers.gram.as_ref().expect("the strategy that asks has asked to keep it");
        let (diag, delta) = gram.last();
        (diag, (diag - delta).max(0.0))
    }

    /// `|alpha_j|^2`
    pub(crate) fn squared_alpha(&self, slot: Slot) -> f64 {
        self.support.squared_alpha(slot)
    }

    /// Projects `p` on all others that the factor knows and drops it: `alpha_S += alpha_p d`. Returns `|alpha_p|^2`
    /// times the squared residual of `phi_p`, which is what the model loses.
    pub(crate) fn project(&mut self, kernel: AnyKernel, p: Slot) -> f64 {
        let mut gram = self.followers.gram.take().expect("the strategy that projects has asked to keep it");
        let squares = self.squared_alpha(p);
        let residual = gram.project(kernel, p, &self.support);
        // The factor has forgotten p already, so it is not told again.
        let lost = self.hand_over(kernel, p, gram.shares(), residual * squares, -residual * squares);
        self.followers.gram = Some(gram);
        lost
    }
}
