//! Merging two support vectors into one (Wang, Crammer and Vucetic 2010, section 4.3), h over all reals.
//!
//! Coefficient rows `a_m` (the smaller norm) and `a_n`; `p = |a_m|^2 <= q = |a_n|^2`, `r = a_m . a_n`,
//! `k = k(x_m, x_n)`, `y = log2 k`, `L = -ln k`. The merged vector is `z = h x_m + (1 - h) x_n` with the row
//! `a_z = u a_m + v a_n`, `u = k^((1-h)^2)`, `v = k^(h^2)`: the best row for that z. What is lost is the
//! weight degradation, to be minimised over all real h:
//! ```text
//! WD(h) = p + q + 2 r k - g(h),    g = p u^2 + 2 r u v + q v^2
//! ```
//! **Symbols.** `s = sqrt(p/q) <= 1`, `rho = r/sqrt(p q)`, `c+ = (1 + rho)/2`, `c- = (1 - rho)/2`,
//! `T = 1 - 2h`, `b = s e^(-L T)` (which is `s u/v`), `X = 1 + b`, `Y = 1 - b`,
//! `dn = c+ X^2 + c- Y^2 = 1 + 2 rho b + b^2`. Then `g = q v^2 dn`.
//!
//! **Stationarity.** `b' = 2 L b` and `(ln v^2)' = -4 L h`, so `(ln g)' = 4 L (b (b + rho)/dn - h)`, and `g`
//! is stationary where
//! ```text
//! h = F(h) = b (b + rho)/dn,    the same as    T = S(T) = X Y/dn = tau/(c+ + c- tau^2),    tau = Y/X
//! ```
//! **One root.** `g(T) - g(-T) = (q - p)(v^2 - u^2) >= 0` for `T >= 0`: the optimum has `h <= 1/2`. There
//! `tau`, a hyperbolic tangent of `(L T - ln s)/2`, is concave, increasing and not negative at 0, so that
//! `tau/T` falls, and `1/(c+ + c- tau^2)` falls too: `S(T)/T` falls strictly and equals 1 once at most. That
//! root is the optimum; without one (`p = q` and `L <= 2 c+`) it is `h = 1/2`. A second maximum of g may lie
//! at `h > 1/2` and never wins.
//!
//! **Where.** `rho >= 0`: `0 <= h <= hc`, `hc = (p + r)/(p + q + 2 r)`. `rho < 0`: `h < 0` exactly when
//! `|r| > k p`, and then `F` is least for `rho = -1`, so
//! `|h| <= b/(1 - b) <= 1/(e^(L T) - 1) <= 1/(L (1 + 2 |h|))`, hence `|h| sqrt(L) <= 1/sqrt 2`: z lies no
//! more than one kernel width beyond `x_n`.
//!
//! **Without cancellation.** With `psi(x) = 1 - (1 + x) e^-x`, exact at every h:
//! ```text
//! WD/q = s^2 psi(2L(1-h)^2) + psi(2L h^2) + 2 rho s k psi(-2L h(1-h)) + 2L v^2 (E^2 + 4 c+ c- b^2)/dn
//! ```
//! `E = dn (h - F)`, which vanishes at the optimum. (The first-order parts of the exponentials add up to
//! `2L (s^2 u^2 (1-h)^2 + v^2 h^2 - 2 rho s u v h (1-h))`, which is the last term.)

mod bound;
mod pair;
mod polish;
mod psi;
#[cfg(test)]
mod reference;
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
use crate::persist::State;
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

impl<T: Real> State for Merge<T> {}

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
