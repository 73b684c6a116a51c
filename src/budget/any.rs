//! A strategy chosen at run time; it matches once per call.

use super::{Maintain, Merge, Model, Project, Remove};
use crate::float::Real;
use crate::store::{Keep, Store};
use fearless_simd::Simd;

/// One of the strategies.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one to a model, and a box would only add a step to every merger"
)]
pub(crate) enum AnyMaintain<T: Real> {
    /// Unbounded: the model grows.
    None,
    /// Once full, no further update (Stoptron; Orabona, Keshet and Caputo 2009).
    Stop,
    Remove(Remove),
    Project(Project),
    Merge(Merge<T>),
}

impl<T: Real> Maintain<T> for AnyMaintain<T> {
    fn keeps(&self) -> Keep {
        match self {
            Self::None | Self::Stop => Keep::default(),
            Self::Remove(strategy) => Maintain::<T>::keeps(strategy),
            Self::Project(strategy) => Maintain::<T>::keeps(strategy),
            Self::Merge(strategy) => strategy.keeps(),
        }
    }

    #[inline(always)]
    fn admits(&self, store: &Store<T>, budget: usize) -> bool {
        !matches!(self, Self::Stop) || store.len() < budget
    }

    #[inline(always)]
    fn restore<S: Simd>(&mut self, s: S, model: Model<'_, T>) -> f64 {
        match self {
            // Neither is ever over budget: the one has none, the other admits nobody then.
            Self::None | Self::Stop => 0.0,
            Self::Remove(strategy) => strategy.restore(s, model),
            Self::Project(strategy) => strategy.restore(s, model),
            Self::Merge(strategy) => strategy.restore(s, model),
        }
    }
}
