//! Operations on the lower triangle of a Cholesky factor, in `f64` for all data types.

mod inverse;
mod lower;
mod rotate;

pub(crate) use lower::{Lower, PANEL_ROWS, padded};
pub(crate) use rotate::Rotations;

use super::SimdImpl;
use super::buffer::SimdBuffer;
use super::simd::{Processor, V, run_in_this_module};
use crate::float::Vector;

run_in_this_module!();

/// Operations on a lower triangle `L`.
pub(crate) trait TriangleOps: Send + Sync {
    /// Solves `L y = b` in place, for a `b` that is zero before `from` and padded with zeros.
    fn forward(&self, lower: &Lower, from: usize, y: &mut [f64]);

    /// Solves `L' x = y` in place.
    fn backward(&self, lower: &Lower, x: &mut [f64]);

    /// The inner product of two padded vectors, summed in eight lanes and a fixed tree.
    fn dot(&self, a: &[f64], b: &[f64]) -> f64;

    /// The rotations that delete row `p`, from `half = L^-1 e_p`.
    fn prepare_rotations(&self, rotations: &mut Rotations, half: &[f64], p: usize);

    /// Deletes row `p` and column `p`.
    fn delete_row(&self, lower: &mut Lower, p: usize, rotations: &Rotations);

    /// `|L^-1 e_i|^2` for the eight `i` of a panel; `columns` is a buffer with one vector per row.
    fn inverse_norms(&self, lower: &Lower, panel: usize, columns: &mut SimdBuffer<f64>) -> [f64; PANEL_ROWS];
}

impl<P: Processor> TriangleOps for SimdImpl<P> {
    fn forward(&self, lower: &Lower, from: usize, y: &mut [f64]) {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || lower.forward(s, from, y),
        );
    }

    fn backward(&self, lower: &Lower, x: &mut [f64]) {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || lower.backward(s, x),
        );
    }

    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || {
                let mut sums = V::<f64, P>::zero(s);
                for (a, b) in a.chunks_exact(PANEL_ROWS).zip(b.chunks_exact(PANEL_ROWS)) {
                    sums = V::from_slice(s, a).mul_add(V::from_slice(s, b), sums);
                }
                let [a, b, c, d, e, f, g, h] = sums.to_array();
                ((a + b) + (c + d)) + ((e + f) + (g + h))
            },
        )
    }

    fn prepare_rotations(&self, rotations: &mut Rotations, half: &[f64], p: usize) {
        run(
            self.0,
            #[inline(always)]
            || rotations.prepare(half, p),
        );
    }

    fn delete_row(&self, lower: &mut Lower, p: usize, rotations: &Rotations) {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || lower.delete(s, p, rotations),
        );
    }

    fn inverse_norms(&self, lower: &Lower, panel: usize, columns: &mut SimdBuffer<f64>) -> [f64; PANEL_ROWS] {
        let s = self.0;
        run(
            s,
            #[inline(always)]
            || lower.inverse_norms(s, panel, columns),
        )
    }
}
