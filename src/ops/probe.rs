//! The formulas at a SIMD level, for tests.

use super::At;
use super::merge::{Pair, lower, polish, solve_n};
use super::simd::{Processor, Simd, V};
use crate::float::log2::log2_1p;
use crate::float::{Real, exp2};

/// Formulas of vectors, lane by lane.
pub(crate) trait Probe<T: Real> {
    /// `2^y` of each number of one vector.
    fn exp2(&self, y: &T::Array) -> T::Array;

    /// `log2 (1 + u)` of each number of one vector.
    fn log2_1p(&self, u: &T::Array) -> T::Array;

    /// `(WD, h)` of two vectors of pairs that share one p, after 0, 1, 2, 3 or 6 steps; `q`, `r` and `y` of each vector.
    fn solve(&self, steps: usize, p: T, pairs: [[T::Array; 3]; 2]) -> [(T::Array, T::Array); 2];

    /// `(WD, h)` of a pair, to convergence.
    fn polish(&self, p: T, qry: [T; 3]) -> (T, T);

    /// The lower bound of a pair.
    fn lower(&self, p: T, qry: [T; 3]) -> T;

    /// `c+` of a pair.
    fn cp(&self, p: T, qry: [T; 3]) -> T;
}

impl<T: Real, P: Processor + Simd<T>> Probe<T> for At<P> {
    fn exp2(&self, y: &T::Array) -> T::Array {
        let s = self.0;
        s.run(
            #[inline(always)]
            || exp2(V::<T, P>::load(s, y)).to_array(),
        )
    }

    fn log2_1p(&self, u: &T::Array) -> T::Array {
        let s = self.0;
        s.run(
            #[inline(always)]
            || log2_1p(V::<T, P>::load(s, u)).to_array(),
        )
    }

    fn solve(&self, steps: usize, p: T, pairs: [[T::Array; 3]; 2]) -> [(T::Array, T::Array); 2] {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let [one, two] = &pairs;
                let (q, r, y) = (both(s, one, two, 0), both(s, one, two, 1), both(s, one, two, 2));
                let solved = match steps {
                    0 => solve_n::<T, _, 2, 0>(p, &q, &r, &y),
                    1 => solve_n::<T, _, 2, 1>(p, &q, &r, &y),
                    2 => solve_n::<T, _, 2, 2>(p, &q, &r, &y),
                    3 => solve_n::<T, _, 2, 3>(p, &q, &r, &y),
                    _ => solve_n::<T, _, 2, 6>(p, &q, &r, &y),
                };
                solved.map(|(wd, h)| (wd.to_array(), h.to_array()))
            },
        )
    }

    fn polish(&self, p: T, qry: [T; 3]) -> (T, T) {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let (q, r, y) = splat(s, qry);
                let (wd, h) = polish(p, q, r, y);
                (wd.to_array()[0], h.to_array()[0])
            },
        )
    }

    fn lower(&self, p: T, qry: [T; 3]) -> T {
        let s = self.0;
        s.run(
            #[inline(always)]
            || {
                let (q, r, y) = splat(s, qry);
                lower(p, q, r, y).to_array()[0]
            },
        )
    }

    fn cp(&self, p: T, qry: [T; 3]) -> T {
        let s = self.0;
        s.run(
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

/// One number of each pair of two vectors.
#[inline(always)]
fn both<T: Real, S: Simd<T>>(s: S, one: &[T::Array; 3], two: &[T::Array; 3], i: usize) -> [V<T, S>; 2] {
    [V::load(s, &one[i]), V::load(s, &two[i])]
}
