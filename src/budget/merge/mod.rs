//! Merging of two support vectors into one (Wang, Crammer and Vucetic 2010, section 4.3), with h over all reals.

mod bound;
mod pair;
mod polish;
mod psi;
mod search;
#[cfg(test)]
mod search_tests;
mod solver;

pub(crate) use bound::{lower, threshold};
pub(crate) use polish::polish;
pub(crate) use solver::{solve, solve_n};

use super::{Maintain, Model};
use crate::float::Real;
use crate::kernel::AnyKernel;
use crate::store::Merger;
use fearless_simd::Simd;
use search::Search;

/// Merges the smallest support vector `m` with the partner that changes the model least; the merged vector
/// `z = h x_m + (1 - h) x_n` has `alpha_z = alpha_m k_mn^{(1-h)^2} + alpha_n k_mn^{h^2}`.
#[derive(Debug, Clone)]
pub(crate) struct Merge<T: Real> {
    search: Search<T>,
}

impl<T: Real> Merge<T> {
    /// For a store of `slots` slots.
    pub(crate) fn new(slots: usize) -> Self {
        Self { search: Search::new(slots) }
    }
}

impl<T: Real> Maintain<T> for Merge<T> {
    #[inline(always)]
    fn restore<S: Simd>(&mut self, s: S, model: Model<'_, T>) -> f64 {
        let Model { store, kernel, .. } = model;
        let AnyKernel::Rbf(rbf) = kernel else { unreachable!("the checked specification admits rbf alone") };
        let m = store.smallest(s);
        let weight = store.expansion().weights().get(m.index());
        // Nothing to keep of it: equal and opposite vectors were merged before, or many projections have shrunk it.
        let vanished = weight <= T::VANISHED;
        let found = s.vectorize(
            #[inline(always)]
            || if vanished { None } else { self.search.partner(s, store, rbf, m) },
        );
        let Some(partner) = found else {
            store.remove(s, kernel, m);
            return weight.to_f64();
        };
        let (h, y) = (partner.h, partner.y);
        let u = (y * (1.0 - h) * (1.0 - h)).exp2();
        let v = (y * h * h).exp2();
        let merger =
            Merger { m, x_m: self.search.x_m(), n: partner.n, h, u, v, degradation: partner.degradation };
        store.merge(s, rbf, merger);
        partner.degradation
    }
}
