//! The diagonal of the inverse, kept in addition to the factor and recomputed from it.

use super::solution::Solution;
use crate::ops::SimdBuffer;
use crate::ops::Solver;
use crate::ops::triangle::{Lower, PANEL_ROWS};

/// An entry that a deletion shrinks below this share has lost digits to cancellation, as happens to the one left
/// behind when a near-duplicate goes. Without renewal entries were off by 4e-5 at cond(K) = 1e5 after 51 changes, with
/// it by less than 1e-7; it costs 0 to 0.3 forward solves a deletion.
const CANCELLED_BELOW: f64 = 1.0 / 16.0;

/// `A_ii` of every member, in factor order.
///
/// Appending adds and deleting subtracts a square; an entry that cancels is computed anew as `|L^-1 e_i|^2`.
#[derive(Debug, Clone)]
pub(super) struct Diagonal {
    pub(super) values: Vec<f64>,
    /// Buffers: entries to compute anew, and what to solve them in.
    fallen: Vec<usize>,
    unit: Solution,
    columns: SimdBuffer<f64>,
}

impl Diagonal {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        let mut diagonal = Self {
            values: Vec::new(),
            fallen: Vec::new(),
            unit: Solution::default(),
            columns: SimdBuffer::zeros(0),
        };
        diagonal.reserve(capacity);
        diagonal
    }

    pub(super) fn reserve(&mut self, capacity: usize) {
        self.values.reserve(capacity.saturating_sub(self.values.len()));
        self.fallen.reserve(capacity);
        self.columns.grow(capacity.next_multiple_of(PANEL_ROWS));
    }

    /// `A_ii += a_i^2/delta`, and `1/delta` for the new member.
    pub(super) fn append(&mut self, a: impl Iterator<Item = f64>, delta: f64) {
        let inverse = 1.0 / delta;
        for (value, a) in self.values.iter_mut().zip(a) {
            // In this order a square of a large entry cannot overflow.
            *value += a * (a * inverse);
        }
        self.values.push(inverse);
    }

    /// `A_ii -= A_ip^2/A_pp`, and the entry of `p` leaves; what cancelled waits for [`Diagonal::restore`].
    pub(super) fn delete(&mut self, p: usize, column: &[f64]) {
        let inverse = 1.0 / column[p];
        self.fallen.clear();
        for (i, (value, x)) in self.values.iter_mut().zip(column).enumerate() {
            let before = *value;
            *value -= x * (x * inverse);
            if *value < CANCELLED_BELOW * before && i != p {
                self.fallen.push(i - usize::from(i > p));
            }
        }
        self.values.remove(p);
    }

    /// Recomputes the entries that the last deletion cancelled, once the factor belongs to the members.
    pub(super) fn restore(&mut self, ops: Solver, lower: &Lower) {
        for &i in &self.fallen {
            self.unit.reset(lower.len);
            self.unit.half[i] = 1.0;
            ops.forward(lower, i, &mut self.unit.half);
            self.values[i] = ops.dot(&self.unit.half, &self.unit.half);
        }
    }

    /// Computes every entry anew.
    pub(super) fn refresh(&mut self, ops: Solver, lower: &Lower) {
        self.values.resize(lower.len, 0.0);
        for (r, values) in self.values.chunks_mut(PANEL_ROWS).enumerate() {
            let norms = ops.inverse_norms(lower, r, &mut self.columns);
            values.copy_from_slice(&norms[..values.len()]);
        }
    }
}
