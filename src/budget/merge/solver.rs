//! The minimiser of the weight degradation for a vector of partners, by a fixed number of Halley steps.

use super::pair::Pair;
use crate::float::{Real, splat};
use fearless_simd::Simd;

/// The weight degradation and its h for the pairs `(m, n)`, one m and a vector of n, after `STEPS` Halley steps.
///
/// `p > 0` is `|a_m|^2`; lanes of `q`, `r`, `y` hold `|a_n|^2 >= p`, `a_m . a_n` and `log2 k <= 0`; a lane of padding
/// may hold `q = 1e30`, `r = 0`. Nothing overflows and no NaN comes out. What is returned is the degradation *at the
/// returned h*: an upper bound on the least one for any `STEPS`, 0 included. After two steps it exceeds the least one by
/// at most 0.09% (three: 0.006%), and by more than 1e-5 of it only where two maxima of g are about to part.
#[inline(always)]
pub(crate) fn solve<T: Real, S: Simd, const STEPS: usize>(
    s: S,
    p: T,
    q: T::V<S>,
    r: T::V<S>,
    y: T::V<S>,
) -> (T::V<S>, T::V<S>) {
    let [solved] = solve_n::<T, S, 1, STEPS>(s, p, &[q], &[r], &[y]);
    solved
}

/// [`solve`] for `N` vectors at once: a chain of divisions and exponentials is bound by latency, several side by side
/// are not.
#[inline(always)]
pub(crate) fn solve_n<T: Real, S: Simd, const N: usize, const STEPS: usize>(
    s: S,
    p: T,
    q: &[T::V<S>; N],
    r: &[T::V<S>; N],
    y: &[T::V<S>; N],
) -> [(T::V<S>, T::V<S>); N] {
    let zero = splat::<T, S>(s, T::ZERO);
    let mut pairs = [Pair::new(s, p, q[0], r[0], y[0]); N];
    let mut h = [zero; N];
    let mut solved = [(zero, zero); N];
    for i in 0..N {
        pairs[i] = Pair::new(s, p, q[i], r[i], y[i]);
        h[i] = pairs[i].start();
    }
    for _ in 0..STEPS {
        for i in 0..N {
            h[i] = pairs[i].step(h[i]);
        }
    }
    for i in 0..N {
        solved[i] = (pairs[i].degradation(h[i]), h[i]);
    }
    solved
}
