//! Operations on the lower triangle of a Cholesky factor, in `f64` for all data types.

mod inverse;
mod lower;
mod rotate;

pub(crate) use lower::{Lower, PANEL_ROWS, padded};
pub(crate) use rotate::Rotations;

use super::buffer::SimdBuffer;
use super::simd::V;
use super::simd_impl::operations;
use crate::float::Vector;

operations! {
    /// Operations on a lower triangle `L`.
    pub(crate) trait TriangleOps {
        /// Solves `L y = b` in place, for a `b` that is zero before `from` and padded with zeros.
        fn forward(s: P, lower: &Lower, from: usize, y: &mut [f64]) {
            lower.forward(s, from, y);
        }

        /// Solves `L' x = y` in place.
        fn backward(s: P, lower: &Lower, x: &mut [f64]) {
            lower.backward(s, x);
        }

        /// The inner product of two padded vectors, summed in eight lanes and a fixed tree.
        fn dot(s: P, a: &[f64], b: &[f64]) -> f64 {
            let mut sums = V::<f64, P>::zero(s);
            for (a, b) in a.chunks_exact(PANEL_ROWS).zip(b.chunks_exact(PANEL_ROWS)) {
                sums = V::from_slice(s, a).mul_add(V::from_slice(s, b), sums);
            }
            let [a, b, c, d, e, f, g, h] = sums.to_array();
            ((a + b) + (c + d)) + ((e + f) + (g + h))
        }

        /// The rotations that delete row `p`, from `half = L^-1 e_p`.
        fn prepare_rotations(s: P, rotations: &mut Rotations, half: &[f64], p: usize) {
            rotations.prepare(half, p);
        }

        /// Deletes row `p` and column `p`.
        fn delete_row(s: P, lower: &mut Lower, p: usize, rotations: &Rotations) {
            lower.delete(s, p, rotations);
        }

        /// `|L^-1 e_i|^2` for the eight `i` of a panel; `columns` is a buffer with one vector per row.
        fn inverse_norms(
            s: P,
            lower: &Lower,
            panel: usize,
            columns: &mut SimdBuffer<f64>,
        ) -> [f64; PANEL_ROWS] {
            lower.inverse_norms(s, panel, columns)
        }
    }
}
