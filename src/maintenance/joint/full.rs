//! BPA-P: all others take what they can of the vector that leaves.

use super::Step;
use crate::float::Real;
use crate::maintenance::{Maintain, MaintenanceContext};
use crate::persist::Persist;
use crate::rules::PassiveAggressive;
use crate::store::Keep;

/// BPA-P (Wang and Vucetic 2010, (8)) in O(B^2): `rho_r = 1/A_rr` with the inverse A of the Gram matrix, the newcomer
/// in it, so that all candidates cost O(B) together; the removal is one replacement in its factor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BpaProjecting {
    pub(crate) rule: PassiveAggressive,
}

impl Persist for BpaProjecting {}

impl<T: Real> Maintain<T> for BpaProjecting {
    fn requires(&self) -> Keep {
        Keep { gram: true, ..Keep::default() }
    }

    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        let t = model.store.newest();
        let (k_tt, along) = model.store.projected();
        let waiting = model.store.waiting();
        if let Some(slot) = waiting.filter(|slot| *slot != t) {
            // What lies in the span of the others costs nothing.
            return model.store.project(model.kernel, slot);
        }
        let step = Step::of(self.rule, &model, k_tt);
        if waiting.is_none() {
            let (r, cost) = model.store.cheapest(Some(t));
            if !step.newcomer_leaves::<T>(along, cost) {
                return model.store.project(model.kernel, r);
            }
        }
        model.store.redirect(model.kernel, t, step.along(along));
        model.store.project(model.kernel, t);
        step.change(along)
    }
}
