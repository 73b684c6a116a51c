//! Removal of one support vector; the other coefficients do not change.

use super::{Maintain, MaintenanceContext};
use crate::float::Real;
use crate::persist::Persist;

/// The criterion that selects the removed support vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemovalCriterion {
    /// `argmin |alpha_j|^2 k_jj`, ties to the oldest (Wang, Crammer and Vucetic 2010, section 4.1).
    Smallest,
    /// The oldest.
    Oldest,
    /// A uniformly random old support vector (Cesa-Bianchi and Gentile 2006).
    Random,
}

/// Removal of one support vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remove {
    pub(crate) criterion: RemovalCriterion,
}

impl Persist for Remove {}

impl<T: Real> Maintain<T> for Remove {
    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, rng, norm, .. } = context;
        let removed = match self.criterion {
            RemovalCriterion::Smallest => expansion.smallest(),
            RemovalCriterion::Oldest => expansion.nth_oldest(0),
            RemovalCriterion::Random => expansion.nth_oldest(rng.index(expansion.len() - 1)),
        };
        let sq_change = expansion.coefficients().weights().get(removed.index()).to_f64();
        expansion.remove(removed, norm);
        sq_change
    }
}
