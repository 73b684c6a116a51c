//! Merging two support vectors into one (Wang, Crammer and Vucetic 2010, section 4.3), h over all reals.
//!
//! The mathematics and the search stand in [`ops::merge`](crate::ops::merge); here is what becomes of the model.

#[cfg(test)]
mod tests;

use super::{Maintain, Maintained};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::ops::merge::Search;
use crate::persist::Persist;
use crate::store::{Merger, vectors_for};

/// Merges the smallest support vector `m` with the partner that changes the model least; the merged vector
/// `z = h x_m + (1 - h) x_n` has `alpha_z = alpha_m k_mn^{(1-h)^2} + alpha_n k_mn^{h^2}`.
#[derive(Debug, Clone)]
pub(crate) struct Merge<T: Real> {
    search: Search<T>,
}

impl<T: Real> Merge<T> {
    /// For a store of `slots` slots.
    pub(crate) fn new(slots: usize) -> Self {
        Self { search: Search::new(vectors_for::<T>(slots)) }
    }
}

impl<T: Real> Persist for Merge<T> {}

impl<T: Real> Maintain<T> for Merge<T> {
    fn restore(&mut self, model: Maintained<'_, T>) -> f64 {
        let Maintained { store, kernel, .. } = model;
        let AnyKernel::Rbf(rbf) = kernel else { unreachable!("the checked specification admits rbf alone") };
        let m = store.smallest();
        let weight = store.expansion().weights().get(m.index());
        // Nothing to keep of it: equal and opposite vectors were merged before, or many projections have shrunk it.
        let vanished = weight <= T::VANISHED;
        let found = if vanished { None } else { store.partner(&mut self.search, rbf, m) };
        let Some(partner) = found else {
            store.remove(kernel, m);
            return weight.to_f64();
        };
        let (h, y) = (partner.h, partner.y);
        let u = (y * (1.0 - h) * (1.0 - h)).exp2();
        let v = (y * h * h).exp2();
        let merger =
            Merger { m, x_m: self.search.x_m(), n: partner.n, h, u, v, degradation: partner.degradation };
        store.merge(rbf, merger);
        partner.degradation
    }
}
