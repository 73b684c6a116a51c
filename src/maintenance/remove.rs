//! Removal: one support vector leaves and nothing is done about it.

use super::{Maintain, MaintenanceContext};
use crate::float::Real;
use crate::persist::Persist;

/// Who leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemovalCriterion {
    /// `argmin |alpha_j|^2 k_jj`, ties to the oldest (Wang, Crammer and Vucetic 2010, section 4.1).
    Smallest,
    /// The first that was inserted.
    Oldest,
    /// A uniform one of the old ones (Cesa-Bianchi and Gentile 2006).
    Random,
}

/// Removal of one support vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remove {
    pub(crate) leaver: RemovalCriterion,
}

impl Persist for Remove {}

impl<T: Real> Maintain<T> for Remove {
    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { store, kernel, rng, .. } = model;
        let leaver = match self.leaver {
            RemovalCriterion::Smallest => store.smallest(),
            RemovalCriterion::Oldest => store.nth_oldest(0),
            RemovalCriterion::Random => store.nth_oldest(rng.index(store.len() - 1)),
        };
        let degradation = store.expansion().weights().get(leaver.index()).to_f64();
        store.remove(kernel, leaver);
        degradation
    }
}
