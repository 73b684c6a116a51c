//! BPA-NN: the newcomer and the nearest of the vector that leaves take what they can of it.

use super::Step;
use crate::float::Real;
use crate::linalg::ProjectionSystem;
use crate::maintenance::{Maintain, MaintenanceContext};
use crate::ops::removal::{RemovalSystems, min_pivot};
use crate::persist::Persist;
use crate::rules::PassiveAggressive;
use crate::store::{Keep, Slot};

/// BPA-NN (Wang and Vucetic 2010, section 3.3) with n >= 1 nearest neighbours among the old vectors: O(B) time.
#[derive(Debug, Clone)]
pub(crate) struct BpaNearest<T: Real> {
    pub(crate) rule: PassiveAggressive,
    n: usize,
    /// Of all candidates side by side: which costs least.
    systems: RemovalSystems<T>,
    /// Of the one that leaves, in double precision, and who takes what of it.
    system: ProjectionSystem,
    takers: Vec<Slot>,
}

impl<T: Real> BpaNearest<T> {
    pub(crate) fn new(rule: PassiveAggressive, n: usize) -> Self {
        let takers = Vec::with_capacity(n + 1);
        Self { rule, n, systems: RemovalSystems::new(n), system: ProjectionSystem::new(n + 1), takers }
    }

    /// Projects a stored vector on its neighbours, and on the newcomer t before them where it is an old one. A
    /// neighbour in the span of the others, to rounding, is left out. Returns the squared residual.
    #[inline(always)]
    fn project(&mut self, model: &MaintenanceContext<'_, T>, slot: Slot, newcomer: Option<Slot>) -> f64 {
        let Self { system, takers, .. } = self;
        let MaintenanceContext { store, k, .. } = model;
        let diag = |slot: Slot| store.expansion().diags().get(slot.index()).to_f64();
        let k = |slot: Slot| k.get(slot.index()).to_f64();
        system.start(diag(slot));
        takers.clear();
        if let Some(t) = newcomer
            && system.add(diag(t), k(slot), 0.0, |_| 0.0)
        {
            takers.push(t);
        }
        for near in store.neighbours().of(slot) {
            let own = diag(near.slot);
            let with = |j: usize| {
                if newcomer == Some(takers[j]) {
                    return k(near.slot);
                }
                store.neighbours().ranks().kernel(near.slot.index(), takers[j].index()).to_f64()
            };
            if system.add(own, near.k.to_f64(), min_pivot::<T>() * own, with) {
                takers.push(near.slot);
            }
        }
        system.sq_residual()
    }
}

impl<T: Real> Persist for BpaNearest<T> {}

impl<T: Real> Maintain<T> for BpaNearest<T> {
    fn requires(&self) -> Keep {
        Keep { neighbours: self.n, ..Keep::default() }
    }

    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        let k_tt = model.example.k_tt;
        let step = Step::of(self.rule, &model, k_tt.to_f64());
        let t = model.store.newest();
        let (r, cost) = model.store.cheapest_near(&mut self.systems, t, model.k, k_tt);
        let rest = self.project(&model, t, None);
        let along = (k_tt.to_f64() - rest).max(0.0);
        let leaver = if step.newcomer_leaves::<T>(along, cost) { t } else { r };
        if leaver == r {
            self.project(&model, r, Some(t));
        }
        let MaintenanceContext { store, kernel, .. } = model;
        if leaver == t {
            store.redirect(kernel, t, step.along(along));
        }
        for (&taker, &share) in self.takers.iter().zip(self.system.solve()) {
            store.give(kernel, leaver, taker, share);
        }
        store.remove(kernel, leaver);
        if leaver == t { step.change(along) } else { cost }
    }
}
