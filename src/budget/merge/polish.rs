//! The minimiser to full f64 accuracy, for the pairs that rank close to the best.

use super::pair::Pair;
use crate::float::splat;
use fearless_simd::{Simd, SimdBase, SimdMask, f64x8};

/// Where `|dh| <= CLOSE (1 + |h|)` the iteration has converged.
const CLOSE: f64 = 1e-13;
/// Twelve steps were the most in millions of pairs; only where three stationary points meet (`p = q`, `L = 2 c+`), a
/// triple root that floats resolve to 1e-5 and no better, can it go on longer, and there WD is flat to the last bit.
const STEPS: usize = 16;

/// `(WD, h)` of eight pairs in f64, iterated from a given h until none moves by more than `1e-13 (1 + |h|)`.
///
/// Arguments as in [`solve`](super::solve); h as it returns it. A lane may repeat another.
#[inline(always)]
pub(crate) fn polish<S: Simd>(
    s: S,
    p: f64,
    q: f64x8<S>,
    r: f64x8<S>,
    y: f64x8<S>,
    h: f64x8<S>,
) -> (f64x8<S>, f64x8<S>) {
    let pair = Pair::<f64, S>::new(s, p, q, r, y);
    let mut h = pair.clamp(h);
    for _ in 0..STEPS {
        let next = pair.step(h);
        let moved = (next - h).max(h - next);
        let size = next.max(-next) + 1.0;
        h = next;
        if moved.simd_le(size * CLOSE).all_true() {
            break;
        }
    }
    (pair.degradation(h), h)
}

/// [`polish`] for a single pair.
#[inline(always)]
pub(crate) fn polish_one<S: Simd>(s: S, p: f64, q: f64, r: f64, y: f64, h: f64) -> (f64, f64) {
    let all = |x| splat::<f64, S>(s, x);
    let (wd, h) = polish(s, p, all(q), all(r), all(y), all(h));
    (wd[0], h[0])
}
