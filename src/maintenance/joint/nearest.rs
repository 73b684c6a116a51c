//! BPA-NN: the removed vector is projected on the new vector and on its own nearest neighbours.

use super::JointStep;
use crate::expansion::{Edit, KernelExpansion, Slot};
use crate::float::Real;
use crate::linalg::ProjectionSystem;
use crate::maintenance::{Maintain, MaintenanceContext};
use crate::ops::SimdBuffer;
use crate::ops::removal::{RemovalSystems, min_pivot};
use crate::rules::PassiveAggressive;
use crate::state::{Neighbours, WithNorm};

/// BPA-NN (Wang and Vucetic 2010, section 3.1.3) with n >= 1 nearest neighbours among the old vectors: O(B)
/// time.
#[derive(Debug, Clone)]
pub(crate) struct BpaNearest<T: Real> {
    pub(crate) rule: PassiveAggressive,
    neighbours: Neighbours<T>,
    /// The systems of all candidates for removal, solved in parallel SIMD lanes.
    systems: RemovalSystems<T>,
    /// The system of the removed vector, in double precision.
    system: ProjectionSystem,
    /// The slots that receive a share of the removed vector.
    receivers: Vec<Slot>,
}

impl<T: Real> BpaNearest<T> {
    pub(crate) fn new(rule: PassiveAggressive, n: usize) -> Self {
        let receivers = Vec::with_capacity(n + 1);
        let neighbours = Neighbours::new(n);
        Self {
            rule,
            neighbours,
            systems: RemovalSystems::new(n),
            system: ProjectionSystem::new(n + 1),
            receivers,
        }
    }

    /// Projects a stored vector on the new vector, if one is given, and on its neighbours. Neighbours in the span of
    /// the others, to rounding, are left out. Returns the squared residual.
    #[inline(always)]
    fn project(
        &mut self,
        expansion: &KernelExpansion<T>,
        k: &SimdBuffer<T>,
        slot: Slot,
        new: Option<Slot>,
    ) -> f64 {
        let Self { neighbours, system, receivers, .. } = self;
        let diag = |slot: Slot| expansion.coefficients().diags().get(slot.index()).to_f64();
        let k = |slot: Slot| k.get(slot.index()).to_f64();
        system.start(diag(slot));
        receivers.clear();
        if let Some(t) = new
            && system.add(diag(t), k(slot), 0.0, |_| 0.0)
        {
            receivers.push(t);
        }
        for neighbour in neighbours.of(slot) {
            let k_ii = diag(neighbour.slot);
            let k_ij = |j: usize| {
                if new == Some(receivers[j]) {
                    return k(neighbour.slot);
                }
                neighbours.ranks().kernel(neighbour.slot.index(), receivers[j].index()).to_f64()
            };
            if system.add(k_ii, neighbour.k.to_f64(), min_pivot::<T>() * k_ii, k_ij) {
                receivers.push(neighbour.slot);
            }
        }
        system.sq_residual()
    }
}

impl<T: Real> Maintain<T> for BpaNearest<T> {
    derived_state!(neighbours);

    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, scored, norm, .. } = context;
        let (k, k_tt) = (&*scored.k, scored.k_tt);
        let step = JointStep::new(self.rule, scored, k_tt.to_f64());
        let t = expansion.newest();
        let (r, cost) = self.neighbours.cheapest(&mut self.systems, expansion, t, k, k_tt);
        let residual = self.project(expansion, k, t, None);
        let sq_projection = (k_tt.to_f64() - residual).max(0.0);
        let removed = if step.discards_new::<T>(sq_projection, cost) { t } else { r };
        if removed == r {
            self.project(expansion, k, r, Some(t));
        }
        let Self { neighbours, system, receivers, .. } = self;
        let derived_state = &mut WithNorm(neighbours, norm);
        if removed == t {
            let new_tau = T::from_f64(step.tau_projected(sq_projection));
            expansion.edit(Edit::Redirect { slot: t, new_tau }, derived_state);
        }
        for (&receiver, &share) in receivers.iter().zip(system.solve()) {
            let edit = Edit::Give { from: removed, to: receiver, share: T::from_f64(share) };
            expansion.edit(edit, derived_state);
        }
        expansion.remove(removed, derived_state);
        if removed == t { step.sq_change(sq_projection) } else { cost }
    }
}
