//! Budget maintenance joint with the passive-aggressive step (Wang and Vucetic 2010, section 3).
//!
//! The step and the removal of a vector r are one problem: minimise `1/2 |w - w_t|^2 + C penalty(H(w))` where w gives
//! up `alpha_r phi_r` and only the vectors of a set S may take something. By Proposition 1 the step is `tau v phi_t`,
//! the same for every old r, and S takes the projection of `alpha_r phi_r` on its span. So r is the old one of the
//! least `|alpha_r|^2 rho_r`, `rho_r` the squared residual of `phi_r` on the span of S: the newcomer alone (BPA-S), the
//! newcomer and the nearest of r (BPA-NN), or all others (BPA-P).
//!
//! The newcomer t itself may be the one that leaves (Eq. 7): S then takes the step along the projection of `phi_t`.

mod nearest;
mod projecting;
mod simple;

pub(crate) use nearest::BpaNearest;
pub(crate) use projecting::BpaProjecting;
pub(crate) use simple::BpaSimple;

use super::MaintenanceContext;
use crate::float::Real;
use crate::rules::{MarginLoss, PassiveAggressive};

/// The two ends of the joint problem that do not depend on r: the step itself, and the newcomer giving way.
struct Step {
    rule: PassiveAggressive,
    violation: MarginLoss,
    k_tt: f64,
}

impl Step {
    /// Of the example that has just been inserted.
    #[inline(always)]
    fn of<T: Real>(rule: PassiveAggressive, context: &MaintenanceContext<'_, T>, k_tt: f64) -> Self {
        let violation = rule.margin_loss(context.example, context.f);
        let (violation, _) = violation.expect("an example without a loss is not inserted");
        Self { rule, violation, k_tt }
    }

    /// Whether the newcomer shall leave, its projection on those who may take the step having the squared length `s`,
    /// rather than an old one whose removal costs `|Delta|^2 = cost`. On a tie the old one leaves.
    #[inline(always)]
    fn discards_new<T: Real>(&self, s: f64, cost: f64) -> bool {
        let newcomer = self.rule.objective(self.violation, s);
        let old = 0.5 * cost + self.rule.objective(self.violation, self.k_tt);
        old > newcomer + newcomer * T::TIE_RTOL.to_f64()
    }

    /// The length of the step along the newcomer's projection.
    #[inline(always)]
    fn along(&self, s: f64) -> f64 {
        self.rule.step(self.violation, s)
    }

    /// `|Delta|^2` when the step goes along the projection: `|tau v phi_t - tau' v P phi_t|^2`.
    #[inline(always)]
    fn change(&self, s: f64) -> f64 {
        let tau = self.rule.step(self.violation, self.k_tt);
        let along = self.rule.step(self.violation, s);
        self.violation.v_sq_norm * (tau * tau * self.k_tt - 2.0 * tau * along * s + along * along * s)
    }
}
