//! BPA-S: the removed vector is projected on the new vector only.

use super::JointStep;
use crate::expansion::Edit;
use crate::float::Real;
use crate::maintenance::{Maintain, MaintenanceContext};
use crate::rules::PassiveAggressive;

/// BPA-S (Wang and Vucetic 2010, (12)): O(B) time, no derived state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BpaSimple {
    pub(crate) rule: PassiveAggressive,
    /// Whether the new vector is discarded if discarding it has the lower objective (Eq. 7).
    pub(crate) may_discard_new: bool,
}

impl<T: Real> Maintain<T> for BpaSimple {
    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, scored, norm, .. } = context;
        let (k, k_tt, t) = (&*scored.k, scored.k_tt, expansion.newest());
        let (r, cost) = expansion.cheapest_given_new(t, k, k_tt);
        if self.may_discard_new {
            let step = JointStep::new(self.rule, scored, k_tt.to_f64());
            if step.discards_new::<T>(0.0, cost) {
                expansion.remove(t, norm);
                return step.sq_change(0.0);
            }
        }
        let share = T::from_f64(k.get(r.index()).to_f64() / k_tt.to_f64());
        expansion.edit(Edit::Give { from: r, to: t, share }, norm);
        expansion.remove(r, norm);
        cost
    }
}
