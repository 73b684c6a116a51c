//! Projection: one support vector leaves and the others take its part of the model, as well as they span it.

use super::{Maintain, MaintenanceContext};
use crate::float::Real;
use crate::persist::Persist;
use crate::store::Keep;

/// Who is projected on the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectionCriterion {
    /// The smallest, `argmin |alpha_p|^2 k_pp` (Wang, Crammer and Vucetic 2010, section 4.2, (16)).
    Smallest,
    /// The one whose removal costs least, `argmin |alpha_p|^2 / A_pp` with `A = K^-1` (their (17), in O(B^2)).
    Cheapest,
}

/// Projection of one support vector on all others: `alpha_S += alpha_p d`, `d = K_SS^-1 k_Sp = -A_Sp / A_pp`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Project {
    pub(crate) victim: ProjectionCriterion,
}

impl Persist for Project {}

impl<T: Real> Maintain<T> for Project {
    fn requires(&self) -> Keep {
        Keep { gram: true, ..Keep::default() }
    }

    fn reduce(&mut self, model: MaintenanceContext<'_, T>) -> f64 {
        let MaintenanceContext { store, kernel, .. } = model;
        let victim = match store.waiting() {
            // What lies in the span of the others costs nothing.
            Some(slot) => slot,
            None => match self.victim {
                ProjectionCriterion::Smallest => store.smallest(),
                ProjectionCriterion::Cheapest => store.cheapest(None).0,
            },
        };
        store.project(kernel, victim)
    }
}
