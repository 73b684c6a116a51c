//! The minimiser to convergence, for the pairs that may be the best.

use super::pair::Pair;
use crate::float::{Real, splat};
use fearless_simd::{Simd, SimdBase, SimdMask};

/// Twelve steps were the most in millions of pairs; only where three stationary points meet (`p = q`, `L = 2 c+`), a
/// triple root that floats resolve to 1e-5 and no better, can it go on longer, and there WD is flat to the last bit.
const STEPS: usize = 16;

/// Where `|dh| <= close (1 + |h|)` the iteration has converged: 1e-13 in f64, four units in the last place in f32.
#[inline(always)]
fn close<T: Real>() -> T {
    T::from_f64(if T::MANTISSA < 30 { 5e-7 } else { 1e-13 })
}

/// The weight degradation and its h for a vector of pairs, iterated from the start point until none moves any more.
///
/// Arguments as in [`solve`](super::solve). A lane may repeat another.
#[inline(always)]
pub(crate) fn polish<T: Real, S: Simd>(s: S, p: T, q: T::V<S>, r: T::V<S>, y: T::V<S>) -> (T::V<S>, T::V<S>) {
    let pair = Pair::<T, S>::new(s, p, q, r, y);
    let (close, one) = (splat::<T, S>(s, close()), splat::<T, S>(s, T::ONE));
    let mut h = pair.start();
    for _ in 0..STEPS {
        let next = pair.step(h);
        let moved = (next - h).abs();
        let size = next.abs() + one;
        h = next;
        if moved.simd_le(size * close).all_true() {
            break;
        }
    }
    (pair.degradation(h), h)
}
