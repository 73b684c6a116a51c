//! Budget maintenance joint with the passive-aggressive step (Wang and Vucetic 2010, section 3).
//!
//! The step and the removal of a vector r are one problem: minimise `1/2 |w - w_t|^2 + C penalty(H(w))` over models w
//! without `alpha_r phi_r`, in which only the coefficients of a set S may change. By Proposition 1 the step is
//! `tau v phi_t` for every old r, and the term `alpha_r phi_r` is replaced by its projection on the span of S. So r is
//! the old vector with the smallest `|alpha_r|^2 rho_r`, where `rho_r` is the squared residual of `phi_r` on the span
//! of S: the new vector (BPA-S), the new vector and the nearest neighbours of r (BPA-NN), or all other vectors (BPA-P).
//!
//! If discarding the new vector t has the lower objective (Eq. 7), the step goes along the projection of `phi_t` on the
//! span of S instead.

mod nearest;
mod projecting;
mod simple;

pub(crate) use nearest::BpaNearest;
pub(crate) use projecting::BpaProjecting;
pub(crate) use simple::BpaSimple;

use crate::expansion::Scored;
use crate::float::Real;
use crate::rules::{MarginLoss, PassiveAggressive};

/// The passive-aggressive step of the joint problem, with and without the new vector.
struct JointStep {
    rule: PassiveAggressive,
    loss: MarginLoss,
    k_tt: f64,
}

impl JointStep {
    /// The step of the example that was inserted last.
    #[inline(always)]
    fn new<T: Real>(rule: PassiveAggressive, scored: &Scored<'_, T>, k_tt: f64) -> Self {
        let (loss, _) = rule.margin_loss(scored).expect("an example without a loss is not inserted");
        Self { rule, loss, k_tt }
    }

    /// Whether discarding the new vector, whose projection on the span of S has the squared norm `s`, has a lower
    /// objective than removing an old vector with `|Delta|^2 = cost`. Ties remove the old vector.
    #[inline(always)]
    fn discards_new<T: Real>(&self, s: f64, cost: f64) -> bool {
        let without_new = self.rule.objective(self.loss, s);
        let without_old = 0.5 * cost + self.rule.objective(self.loss, self.k_tt);
        without_old > without_new + without_new * T::TIE_RTOL.to_f64()
    }

    /// The step size along the projection of the new vector.
    #[inline(always)]
    fn tau_projected(&self, s: f64) -> f64 {
        self.rule.step(self.loss, s)
    }

    /// `|Delta|^2` of the step along the projection: `|tau v phi_t - tau' v P phi_t|^2`.
    #[inline(always)]
    fn sq_change(&self, s: f64) -> f64 {
        let tau = self.rule.step(self.loss, self.k_tt);
        let tau_projected = self.tau_projected(s);
        self.loss.v_sq_norm
            * (tau * tau * self.k_tt - 2.0 * tau * tau_projected * s + tau_projected * tau_projected * s)
    }
}
