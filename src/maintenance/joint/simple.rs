//! BPA-S: the newcomer alone takes what it can of the vector that leaves.

use super::Step;
use crate::float::Real;
use crate::maintenance::{Maintain, MaintenanceContext};
use crate::persist::Persist;
use crate::rules::PassiveAggressive;

/// BPA-S (Wang and Vucetic 2010, (10)): O(B) time, no memory of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BpaSimple {
    pub(crate) rule: PassiveAggressive,
    /// Whether the newcomer is dropped, and nothing changes, where that has the lower objective (Eq. 7).
    pub(crate) newcomer_may_leave: bool,
}

impl Persist for BpaSimple {}

impl<T: Real> Maintain<T> for BpaSimple {
    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        let k_tt = model.example.k_tt;
        let t = model.store.newest();
        let (r, cost) = model.store.cheapest_beside(t, model.k, k_tt);
        if self.newcomer_may_leave {
            let step = Step::of(self.rule, &model, k_tt.to_f64());
            if step.newcomer_leaves::<T>(0.0, cost) {
                model.store.remove(model.kernel, t);
                return step.change(0.0);
            }
        }
        model.store.give(model.kernel, r, t, model.k.get(r.index()).to_f64() / k_tt.to_f64());
        model.store.remove(model.kernel, r);
        cost
    }
}
