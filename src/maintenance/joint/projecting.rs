//! BPA-P: the removed vector is projected on all others.

use super::JointStep;
use crate::expansion::Edit;
use crate::float::Real;
use crate::maintenance::{Maintain, MaintenanceContext};
use crate::rules::PassiveAggressive;
use crate::state::Gram;

/// BPA-P (Wang and Vucetic 2010, (8)) in O(B^2): `rho_r = 1/A_rr`, where A is the inverse of the Gram matrix with the
/// new vector. The costs of all candidates take O(B) together; the removal is one column replacement in the factor.
#[derive(Debug, Clone)]
pub(crate) struct BpaProjecting {
    pub(crate) gram: Gram,
    pub(crate) rule: PassiveAggressive,
}

impl<T: Real> Maintain<T> for BpaProjecting {
    derived_state!(gram);

    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let Self { gram, rule } = self;
        let t = context.expansion.newest();
        let (k_tt, sq_projection) = gram.projected();
        let dependent = gram.dependent();
        if let Some(slot) = dependent.filter(|slot| *slot != t) {
            // The projection of a vector in the span of the others does not change the model.
            return gram.project(context.expansion, slot, context.norm);
        }
        let MaintenanceContext { expansion, scored, norm, .. } = context;
        let step = JointStep::new(*rule, scored, k_tt);
        if dependent.is_none() {
            let (r, cost) = gram.cheapest(expansion.support(), Some(t));
            if !step.discards_new::<T>(sq_projection, cost) {
                return gram.project(expansion, r, norm);
            }
        }
        let new_tau = T::from_f64(step.tau_projected(sq_projection));
        expansion.edit(Edit::Redirect { slot: t, new_tau }, norm);
        gram.project(expansion, t, norm);
        step.sq_change(sq_projection)
    }
}
