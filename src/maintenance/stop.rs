//! Stoptron: no further updates at full budget (Orabona, Keshet and Caputo 2009).

use super::{Admission, Maintain, MaintenanceContext};
use crate::float::Real;
use crate::persist::Persist;

/// Rejects every example once the model is full.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stop;

impl Persist for Stop {}

impl<T: Real> Maintain<T> for Stop {
    fn admit(&mut self, context: MaintenanceContext<'_, T>, _: &[T]) -> Admission {
        if context.expansion.len() < context.budget {
            Admission::Insert { sq_change: None }
        } else {
            Admission::Reject
        }
    }

    fn reduce(&mut self, _: MaintenanceContext<'_, T>) -> f64 {
        // Never over budget.
        0.0
    }
}
