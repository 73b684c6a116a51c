//! A right-hand side, solved by halves.

use super::lower::{ROWS, V, padded};
use fearless_simd::{Simd, SimdBase, SimdFloat};

/// `L^-1 b` and `A b` for one right-hand side `b`, in factor order: scratch that is filled by
/// [`Factor::solve`](super::Factor::solve) and [`Factor::column`](super::Factor::column), and valid until the factor
/// changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Solution {
    len: usize,
    /// `L^-1 b`, padded with zeros to whole vectors.
    pub(super) half: Vec<f64>,
    /// `A b`, padded alike.
    pub(super) whole: Vec<f64>,
}

impl Solution {
    /// `A b`, one number per member.
    pub(crate) fn get(&self) -> &[f64] {
        &self.whole[..self.len]
    }

    /// `k_tt - k_t.A k_t`, the squared residual of a vector whose kernel values `k_t` were solved for.
    pub(crate) fn residual<S: Simd>(&self, s: S, k_tt: f64) -> f64 {
        k_tt - dot(s, &self.half, &self.half)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// `L^-1 b`, one number per member.
    pub(super) fn half(&self) -> &[f64] {
        &self.half[..self.len]
    }

    /// Makes both halves zeros for `len` members.
    pub(super) fn reset(&mut self, len: usize) {
        self.len = len;
        for v in [&mut self.half, &mut self.whole] {
            v.clear();
            v.resize(padded(len), 0.0);
        }
    }
}

/// The inner product of two padded vectors, summed in eight lanes and a fixed tree.
pub(super) fn dot<S: Simd>(s: S, a: &[f64], b: &[f64]) -> f64 {
    s.vectorize(
        #[inline(always)]
        || {
            let mut sums = V::splat(s, 0.0);
            for (a, b) in a.chunks_exact(ROWS).zip(b.chunks_exact(ROWS)) {
                sums = V::from_slice(s, a).mul_add(V::from_slice(s, b), sums);
            }
            let [a, b, c, d, e, f, g, h] = sums.to_array();
            ((a + b) + (c + d)) + ((e + f) + (g + h))
        },
    )
}
