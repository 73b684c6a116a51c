//! Stoptron: once full, no further update (Orabona, Keshet and Caputo 2009).

use super::{Admit, Maintain, Model};
use crate::float::Real;
use crate::persist::State;
use crate::store::Newcomer;
use fearless_simd::Simd;

/// Admits nobody once the model is full.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stop;

impl State for Stop {}

impl<T: Real> Maintain<T> for Stop {
    #[inline(always)]
    fn admit<S: Simd>(&mut self, _: S, model: Model<'_, T>, _: Newcomer<'_, T>) -> Admit {
        if model.store.len() < model.budget { Admit::Insert { lost: None } } else { Admit::Refuse }
    }

    #[inline(always)]
    fn restore<S: Simd>(&mut self, _: S, _: Model<'_, T>) -> f64 {
        // It is never over budget.
        0.0
    }
}
