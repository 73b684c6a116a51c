//! Budget maintenance: what leaves when the model is over budget, and what is done about it.

mod any;
pub(crate) mod merge;
mod project;
mod remove;

pub(crate) use any::AnyMaintain;
pub(crate) use merge::Merge;
pub(crate) use project::{Project, Victim};
pub(crate) use remove::{Leaver, Remove};

use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::rng::Rng;
use crate::store::{Keep, Store};
use fearless_simd::Simd;

/// What maintenance works on.
pub(crate) struct Model<'a, T: Real> {
    pub(crate) store: &'a mut Store<T>,
    pub(crate) kernel: AnyKernel,
    pub(crate) rng: &'a mut Rng,
}

/// A strategy of budget maintenance.
pub(crate) trait Maintain<T: Real> {
    /// What it asks the store to keep.
    fn keeps(&self) -> Keep {
        Keep::default()
    }

    /// Before an insertion: whether the example may become a support vector.
    #[inline(always)]
    fn admits(&self, _store: &Store<T>, _budget: usize) -> bool {
        true
    }

    /// After an insertion that exceeded the budget: removes one support vector. Gives `|Delta|^2`, the squared change of
    /// the unscaled model.
    fn restore<S: Simd>(&mut self, s: S, model: Model<'_, T>) -> f64;
}
