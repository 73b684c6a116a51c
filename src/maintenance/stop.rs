//! Stoptron: once full, no further update (Orabona, Keshet and Caputo 2009).

use super::{Admit, Maintain, Maintained};
use crate::float::Real;
use crate::persist::Persist;
use crate::store::Newcomer;

/// Admits nobody once the model is full.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stop;

impl Persist for Stop {}

impl<T: Real> Maintain<T> for Stop {
    fn admit(&mut self, model: Maintained<'_, T>, _: Newcomer<'_, T>) -> Admit {
        if model.store.len() < model.budget { Admit::Insert { lost: None } } else { Admit::Refuse }
    }

    fn restore(&mut self, _: Maintained<'_, T>) -> f64 {
        // It is never over budget.
        0.0
    }
}
