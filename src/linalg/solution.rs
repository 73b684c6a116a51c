//! A right-hand side, solved by halves.

use crate::ops::Solver;
use crate::ops::triangle::padded;

/// `L^-1 b` and `A b` for one right-hand side `b`, in factor order: buffers, filled by
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
    pub(crate) fn residual(&self, ops: Solver, k_tt: f64) -> f64 {
        k_tt - ops.dot(&self.half, &self.half)
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
