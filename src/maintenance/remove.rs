//! The simplest strategies: removal of one support vector, after which the other coefficients do not change, and no
//! further updates at full budget (Stoptron: Orabona, Keshet and Caputo 2009).

use super::{Admission, Maintain, MaintenanceContext};
use crate::float::Real;

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

/// Rejects every example once the model is full.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stop;

impl<T: Real> Maintain<T> for Stop {
    fn admit(&mut self, context: MaintenanceContext<'_, T>, _: &[T]) -> Admission {
        if context.expansion.len() < context.budget {
            Admission::Insert { sq_change: None }
        } else {
            Admission::Reject
        }
    }
}
