//! Projectron and Projectron++ (Orabona, Keshet and Caputo 2009), for many classes with one shared basis.

use super::{Admission, Maintain, MaintenanceContext};
use crate::float::Real;
use crate::losses::margin;
use crate::state::Gram;

/// A mistake within distance eta of the span of the support vectors is projected onto the span instead of inserted
/// (their Figure 2); at full budget every mistake is projected. Projectron++ also makes a step within the span after a
/// correct prediction with a margin below 1 (their Figure 4); its update rule is a Perceptron with this margin.
#[derive(Debug, Clone)]
pub(crate) struct Projectron {
    pub(crate) gram: Gram,
    pub(crate) eta: f64,
}

impl<T: Real> Maintain<T> for Projectron {
    derived_state!(gram);

    fn admit(&mut self, context: MaintenanceContext<'_, T>, alpha: &[T]) -> Admission {
        let MaintenanceContext { expansion, budget, scored, norm, .. } = context;
        let label = scored.example.label;
        let (k_tt, delta) = self.gram.residual(scored.query.z, expansion.support());
        let delta = delta.max(0.0);
        let (margin, _) = margin(label, scored.f);
        if margin > T::ZERO {
            let sq_norm = label.square() * (k_tt - delta);
            let tau = self.step(1.0 - margin.to_f64(), sq_norm, delta);
            let is_absorbed = tau > 0.0 && self.gram.absorb(expansion, alpha, tau, norm);
            return if is_absorbed { Admission::Absorb { sq_change: None } } else { Admission::Reject };
        }
        if expansion.len() < budget && delta.sqrt() > self.eta {
            return Admission::Insert { sq_change: None };
        }
        let residual = if self.gram.absorb(expansion, alpha, 1.0, norm) { delta } else { k_tt };
        let squared_alpha: f64 = alpha.iter().map(|a| a.to_f64() * a.to_f64()).sum();
        Admission::Absorb { sq_change: Some(squared_alpha * residual) }
    }
}

impl Projectron {
    /// The step size of Projectron++ along a projection with the squared norm `sq_norm`: the smallest of the step that
    /// makes the loss zero, twice the step `loss - sqrt(delta)/eta` of the bound, and 1; 0 if the bound is not
    /// positive.
    #[inline(always)]
    fn step(&self, loss: f64, sq_norm: f64, delta: f64) -> f64 {
        let bound = loss - delta.sqrt() / self.eta;
        if bound > 0.0 && sq_norm > 0.0 { (loss / sq_norm).min(2.0 * bound / sq_norm).min(1.0) } else { 0.0 }
    }
}
