//! Lower bounds on the weight degradation: partners whose bound exceeds a degradation already reached need no solving.

use super::pair::Pair;
use super::psi::{exp2_m1, psi};
use crate::float::{Real, splat};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// For far-apart vectors no bound by k alone exceeds this share of p (proved for `rho >= 0`).
const CAP: f64 = 0.787;

/// What a bound must exceed the best degradation by, relatively, before a candidate is dropped: more than a tie, because
/// ties are resolved by age, and more than what rounding may do.
#[inline(always)]
fn slack<T: Real>() -> f64 {
    1e-6 + 4.0 * T::TIE.to_f64()
}

/// The least `y = log2 k` that a partner may have whose degradation is `ub` or less, whatever its coefficients.
///
/// `WD >= 2 (1 - sqrt k)^2 p` while the bound is under `0.787 p` (for equal signs `2 (1 - sqrt k)(1 - rho sqrt k) p`,
/// an equality at `p = q`). Partners with a smaller y can be dropped; negative infinity when nothing can. The root is
/// a true one: an approximation may cut off the best candidate itself.
#[inline(always)]
pub(crate) fn threshold<T: Real>(p: T, ub: T) -> T {
    let p = p.to_f64();
    let ub = ub.to_f64() * (1.0 + slack::<T>()) + 1e-12 * p;
    if ub < CAP * p { T::from_f64(2.0 * (1.0 - (0.5 * ub / p).sqrt()).log2()) } else { -T::INFINITY }
}

/// A lower bound on the weight degradation of each pair, for any h: the larger of two.
///
/// - `rho >= 0`: `p min(2 (1 - sqrt k)(1 - rho sqrt k), 0.787)`;
///   `rho < 0`: `0.99 p min(2 (1 - sqrt k)(1 - rho sqrt k), 1 - k^2 (1 + 2 rho^2 L))`, where 1% covers a gap in the
///   proof;
/// - what of `a_m` is orthogonal to `a_n` is lost but for its share in z: `p (1 - rho^2)(1 - k^(2 (1 - hc)^2))`, with
///   `hc = max(0, (p + r)/(p + q + 2 r))`.
///
/// Arguments as in [`solve`](super::solve).
#[inline(always)]
pub(crate) fn lower<T: Real, S: Simd>(s: S, p: T, q: T::V<S>, r: T::V<S>, y: T::V<S>) -> T::V<S> {
    let number = |x: f64| splat::<T, S>(s, T::from_f64(x));
    let one = number(1.0);
    let pair = Pair::<T, S>::new(s, p, q, r, y);
    let rho = pair.cp - pair.cm;
    let angle = pair.cp * pair.cm * number(4.0);
    let near = -exp2_m1::<T, S>(s, pair.y * number(0.5));
    // 1 - rho sqrt k, by 1 - sqrt k.
    let slope = rho.mul_add(near, pair.cm + pair.cm);
    let both = (near + near) * slope;
    // 1 - k^2 (1 + 2 rho^2 L), by psi(2L).
    let root_k = one - near;
    let k2 = root_k * root_k * (root_k * root_k);
    let opposite = psi::<T, S>(s, pair.l + pair.l, k2);
    let opposite = (pair.l + pair.l).mul_add(k2 * angle, opposite);
    let opposite = both.min(opposite) * number(0.99);
    let by_k = rho.simd_ge(number(0.0)).select(both.min(number(CAP)), opposite);
    let away = one - pair.centroid();
    let by_angle = -(angle * exp2_m1::<T, S>(s, (pair.y + pair.y) * away * away));
    by_k.max(by_angle) * T::from_f64((1.0 - slack::<T>()) * p.to_f64())
}
