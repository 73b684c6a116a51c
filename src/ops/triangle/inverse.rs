//! Columns of the inverse, eight side by side.

use super::lower::{Lower, PANEL_ROWS};
use crate::float::Vector;
use crate::ops::buffer::SimdBuffer;
use crate::ops::simd::{Processor, V};

impl Lower {
    /// `|L^-1 e_i|^2` for the eight `i` of panel `first`: eight forward solves side by side, one in each lane, whose
    /// results go to `columns`, buffers of one vector per row.
    #[inline(always)]
    pub(super) fn inverse_norms<S: Processor>(
        &self,
        s: S,
        first: usize,
        columns: &mut SimdBuffer<f64>,
    ) -> [f64; PANEL_ROWS] {
        let zero = V::<f64, S>::zero(s);
        let mut row_stats = zero;
        for r in first..self.panels() {
            let (left, block) = self.panel(r).split_at(PANEL_ROWS * r);
            let mut sums = [zero; PANEL_ROWS];
            for (k, column) in left.iter().enumerate().skip(PANEL_ROWS * first) {
                let x = columns.load(s, k);
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum = x.mul_add(x.broadcast(column.values()[i]), *sum);
                }
            }
            let mut x = [zero; PANEL_ROWS];
            for i in 0..PANEL_ROWS {
                let mut sum = sums[i];
                for j in 0..i {
                    sum = x[j].mul_add(zero.broadcast(block[j].values()[i]), sum);
                }
                let unit = V::from_fn(s, |lane| f64::from(u8::from(r == first && lane == i)));
                x[i] = (unit - sum) * self.inverse_pivots[PANEL_ROWS * r + i];
                row_stats = x[i].mul_add(x[i], row_stats);
                columns.store(PANEL_ROWS * r + i, x[i]);
            }
        }
        row_stats.to_array()
    }
}
