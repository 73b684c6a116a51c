//! The formulas at a SIMD level, for tests.

use super::SimdImpl;
use super::merge::{Pair, lower, lower_by_k, polish, shortened, solve};
use super::simd::{Processor, Simd, V, run_in_this_module};
use crate::float::log2::log2_1p;
use crate::float::{Real, exp2};

run_in_this_module!();

/// Formulas of vectors, lane by lane.
pub(crate) trait TestOps<T: Real> {
    /// `2^y` of each number of one vector.
    fn exp2(&self, y: &T::Array) -> T::Array;

    /// `log2 (1 + u)` of each number of one vector.
    fn log2_1p(&self, u: &T::Array) -> T::Array;

    /// `(WD, h)` of two vectors of pairs that share one p, after 0, 1, 2, 3 or 6 steps; `q`, `r` and `y` of each
    /// vector.
    fn solve(&self, steps: usize, p: T, pairs: [[T::Array; 3]; 2]) -> [(T::Array, T::Array); 2];

    /// `(WD, h)` of a vector of pairs, to convergence.
    fn polish(&self, p: T, pairs: &[T::Array; 3]) -> (T::Array, T::Array);

    /// The lower bound of a pair.
    fn lower(&self, p: T, qry: [T; 3]) -> T;

    /// The lower bound of pairs by k and `rho^2`.
    fn lower_by_k(&self, k: T) -> T;

    /// `c+` of a pair.
    fn cp(&self, p: T, qry: [T; 3]) -> T;
}

impl<T: Real, P: Processor + Simd<T>> TestOps<T> for SimdImpl<P> {
    fn exp2(&self, y: &T::Array) -> T::Array {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || exp2(V::<T, P>::load(s, y)).to_array(),
        )
    }

    fn log2_1p(&self, u: &T::Array) -> T::Array {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || log2_1p(V::<T, P>::load(s, u)).to_array(),
        )
    }

    fn solve(&self, steps: usize, p: T, pairs: [[T::Array; 3]; 2]) -> [(T::Array, T::Array); 2] {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || {
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
            },
        )
    }

    fn polish(&self, p: T, pairs: &[T::Array; 3]) -> (T::Array, T::Array) {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || {
                let (wd, h) = polish(&pair(s, p, pairs));
                (wd.to_array(), h.to_array())
            },
        )
    }

    fn lower(&self, p: T, qry: [T; 3]) -> T {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || {
                let (q, r, y) = splat(s, qry);
                (lower(&Pair::new(p, q, r, y)) * shortened(p)).to_array()[0]
            },
        )
    }

    fn lower_by_k(&self, k: T) -> T {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || lower_by_k::<T, V<T, P>>(V::splat(s, k)).to_array()[0],
        )
    }

    fn cp(&self, p: T, qry: [T; 3]) -> T {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || {
                let (q, r, y) = splat(s, qry);
                Pair::new(p, q, r, y).cp.to_array()[0]
            },
        )
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
