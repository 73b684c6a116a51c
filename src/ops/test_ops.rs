//! The formulas at a SIMD level, for tests.

use super::merge::{Pair, lower, lower_by_k, polish, shortened, solve};
use super::simd::{Simd, V};
use super::simd_impl::operations;
use crate::float::log2::log2_1p;
use crate::float::{Real, exp2};

operations! {
    /// Formulas of vectors, lane by lane.
    pub(crate) trait TestOps<T: Real> {
        /// `2^y` of each number of one vector.
        fn exp2(s: P, y: &T::Array) -> T::Array {
            exp2(V::<T, P>::load(s, y)).to_array()
        }

        /// `log2 (1 + u)` of each number of one vector.
        fn log2_1p(s: P, u: &T::Array) -> T::Array {
            log2_1p(V::<T, P>::load(s, u)).to_array()
        }

        /// `(WD, h)` of two vectors of pairs that share one p, after 0, 1, 2, 3 or 6 steps; `q`, `r` and `y`
        /// of each vector.
        fn solve(s: P, steps: usize, p: T, pairs: [[T::Array; 3]; 2]) -> [(T::Array, T::Array); 2] {
            let [one, two] = &pairs;
            let pairs = [pair(s, p, one), pair(s, p, two)];
            let solved = match steps {
                0 => solve::<T, _, 2, 0>(&pairs),
                1 => solve::<T, _, 2, 1>(&pairs),
                2 => solve::<T, _, 2, 2>(&pairs),
                3 => solve::<T, _, 2, 3>(&pairs),
                _ => solve::<T, _, 2, 6>(&pairs),
            };
            solved.map(|(wd, h)| (wd.to_array(), h.to_array()))
        }

        /// `(WD, h)` of a vector of pairs, to convergence.
        fn polish(s: P, p: T, pairs: &[T::Array; 3]) -> (T::Array, T::Array) {
            let (wd, h) = polish(&pair(s, p, pairs));
            (wd.to_array(), h.to_array())
        }

        /// The lower bound of a pair.
        fn lower(s: P, p: T, qry: [T; 3]) -> T {
            let (q, r, y) = splat(s, qry);
            (lower(&Pair::new(p, q, r, y)) * shortened(p)).to_array()[0]
        }

        /// The lower bound of pairs by k and `rho^2`.
        fn lower_by_k(s: P, k: T) -> T {
            lower_by_k::<T, V<T, P>>(V::splat(s, k)).to_array()[0]
        }

        /// `c+` of a pair.
        fn cp(s: P, p: T, qry: [T; 3]) -> T {
            let (q, r, y) = splat(s, qry);
            Pair::new(p, q, r, y).cp.to_array()[0]
        }
    }
}

#[inline(always)]
fn splat<T: Real, S: Simd<T>>(s: S, [q, r, y]: [T; 3]) -> (V<T, S>, V<T, S>, V<T, S>) {
    (V::splat(s, q), V::splat(s, r), V::splat(s, y))
}

/// A vector of pairs.
#[inline(always)]
fn pair<T: Real, S: Simd<T>>(s: S, p: T, [q, r, y]: &[T::Array; 3]) -> Pair<T, V<T, S>> {
    Pair::new(p, V::load(s, q), V::load(s, r), V::load(s, y))
}
