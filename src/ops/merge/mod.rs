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
mod newest;
mod pair;
mod polish;
mod psi;
#[cfg(test)]
mod reference;
mod search;
mod shortlist;
mod solver;

#[cfg(test)]
pub(super) use self::{
    bound::{lower, lower_by_k, shortened},
    pair::Pair,
    polish::polish,
    solver::solve,
};
pub(crate) use newest::NewestPartnerOps;
pub(crate) use search::{Candidates, PartnerOps, PartnerSearch};
pub(crate) use shortlist::Partner;
