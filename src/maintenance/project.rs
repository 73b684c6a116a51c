//! Projection: one support vector is removed, and its term of the model is projected on the other support vectors.

use super::{Maintain, MaintenanceContext};
use crate::float::Real;
use crate::state::Gram;

/// The criterion that selects the projected support vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectionCriterion {
    /// The smallest, `argmin |alpha_p|^2 k_pp` (Wang, Crammer and Vucetic 2010, section 4.2, (16)).
    Smallest,
    /// The support vector whose projection changes the model least, `argmin |alpha_p|^2 / A_pp` with `A = K^-1` (their
    /// (17), in O(B^2)).
    Cheapest,
}

/// Projection of one support vector on all others: `alpha_S += alpha_p d`, `d = K_SS^-1 k_Sp = -A_Sp / A_pp`.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    pub(crate) gram: Gram,
    pub(crate) criterion: ProjectionCriterion,
}

impl<T: Real> Maintain<T> for Project {
    derived_state!(gram);

    fn reduce(&mut self, context: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { expansion, norm, .. } = context;
        let removed = match self.gram.dependent() {
            // The projection of a vector in the span of the others does not change the model.
            Some(slot) => slot,
            None => match self.criterion {
                ProjectionCriterion::Smallest => expansion.smallest(),
                ProjectionCriterion::Cheapest => self.gram.cheapest(expansion.support(), None).0,
            },
        };
        self.gram.project(expansion, removed, norm)
    }
}
