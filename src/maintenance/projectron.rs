//! Projectron and Projectron++ (Orabona, Keshet and Caputo 2009), for many classes with one shared basis.

use super::{Admission, Maintain, MaintenanceContext};
use crate::float::Real;
use crate::losses::margin;
use crate::persist::Persist;
use crate::state::{DerivedState, Gram};
use crate::store::NewVector;

/// A mistake whose image lies within eta of the span of the support vectors is projected there instead of inserted
/// (their Figure 2); when the budget is full, every mistake. Projectron++ also moves within the span on a correct
/// prediction with a margin under 1 (their Figure 4): that is what the trigger of its Perceptron proposes.
#[derive(Debug, Clone)]
pub(crate) struct Projectron {
    pub(crate) gram: Gram,
    pub(crate) eta: f64,
}

impl Persist for Projectron {}

impl<T: Real> Maintain<T> for Projectron {
    fn state(&self) -> Option<&dyn DerivedState<T>> {
        Some(&self.gram)
    }

    #[inline(always)]
    fn state_mut(&mut self) -> Option<&mut dyn DerivedState<T>> {
        Some(&mut self.gram)
    }

    fn admit(&mut self, context: MaintenanceContext<'_, T>, new: NewVector<'_, T>) -> Admission {
        let MaintenanceContext { model, budget, f, norm, .. } = context;
        let (k_tt, delta) = self.gram.residual(new.x, model.support());
        let delta = delta.max(0.0);
        let (margin, _) = margin(new.label, f);
        if margin > T::ZERO {
            let length = new.label.square() * (k_tt - delta);
            let tau = self.step(1.0 - margin.to_f64(), length, delta);
            let moves = tau > 0.0 && self.gram.absorb(model, new.alpha, tau, norm);
            return if moves { Admission::Absorb { sq_change: None } } else { Admission::Reject };
        }
        if model.len() < budget && delta.sqrt() > self.eta {
            return Admission::Insert { sq_change: None };
        }
        let rest = if self.gram.absorb(model, new.alpha, 1.0, norm) { delta } else { k_tt };
        let square: f64 = new.alpha.iter().map(|a| a.to_f64() * a.to_f64()).sum();
        Admission::Absorb { sq_change: Some(square * rest) }
    }

    fn reduce(&mut self, _: MaintenanceContext<'_, T>) -> f64 {
        // Never over budget.
        0.0
    }
}

impl Projectron {
    /// The step of Projectron++ along a projection, `length` the squared length of its direction: the one that leaves
    /// no loss, twice the one that is sure to help, or 1, the least of them; 0 where the residual is too large to be
    /// sure.
    #[inline(always)]
    fn step(&self, loss: f64, length: f64, delta: f64) -> f64 {
        let sure = loss - delta.sqrt() / self.eta;
        if sure > 0.0 && length > 0.0 { (loss / length).min(2.0 * sure / length).min(1.0) } else { 0.0 }
    }
}
