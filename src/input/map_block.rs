//! The pipeline for blocks of rows. A large support set is read once per block instead of once per row.

use super::{Arrival, InputBuffers, InputMap, RowBlock};
use crate::batch::Rows;
use crate::float::Real;
use crate::ops::is_grid_row;
use crate::store::{KernelExpansion, OnEdit};

/// The minimum number of rows for which a block is faster than single rows.
const MIN_BLOCK_ROWS: usize = 8;

impl<T: Real> InputMap<T> {
    /// Whether computing `n` kernel rows as a block is faster than one by one.
    pub(crate) fn uses_blocks(&self, model: &KernelExpansion<T>, rows: &Rows<'_, T>, n: usize) -> bool {
        n >= MIN_BLOCK_ROWS && model.is_large() && (matches!(rows, Rows::Dense(_)) || self.makes_dense())
    }

    /// Fills a block with the rows from `from` to `to` that come before the next grid row, without rows of weight 0.
    /// `first` is the first row with a weight above 0. Returns the row after the last one.
    pub(crate) fn fill_block(
        &mut self,
        first: Arrival,
        model: &KernelExpansion<T>,
        (rows, weights): (&Rows<'_, T>, Option<&[f64]>),
        (from, to): (usize, usize),
        row_block: &mut RowBlock<T>,
        buffers: &mut InputBuffers<T>,
    ) -> usize {
        row_block.start(model.features(), self.row_transform.max_excess(model.features()));
        let InputBuffers { x: row_buffers, z: buffer, zeros, .. } = buffers;
        let (mut t, mut row) = (first.t, from);
        while row < to && (row_block.len() == 0 || !is_grid_row(t)) {
            if weights.is_none_or(|weights| weights[row] > 0.0) {
                let raw = rows.row(row, buffer);
                let x =
                    self.row_transform.fit_transform(Arrival { t, ..first }, model.ops(), raw, row_buffers);
                row_block.push(row, x);
                if is_grid_row(t) {
                    self.standardize_zeros(model, zeros);
                }
                t += 1;
            }
            row += 1;
        }
        row
    }

    /// Ensures that the kernel sums of row `i` of a block are precomputed for the present support vectors; row `i` is
    /// learned as the `t`-th. If they are not, the pending steps of the metric are applied (if `t` is a grid row), and
    /// the rows from `i` on are mapped by the metric and their kernel sums computed.
    ///
    /// An insertion or a merge recomputes the sums of its slot for the remaining rows. Only a change of all support
    /// vectors (metric, appended features) discards the block.
    #[inline(always)]
    pub(crate) fn ensure_precomputed(
        &mut self,
        t: u64,
        (row_block, i): (&mut RowBlock<T>, usize),
        model: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        if !model.has_precomputed() {
            self.apply_metric_steps(t, model, derived_state);
            let InputBuffers { z, lanes, zeros, .. } = buffers;
            if is_grid_row(t) {
                self.set_base_row(model, zeros, (lanes, z));
            }
            row_block.apply_metric(i, self.metric.as_ref(), model.ops(), lanes);
            model.precompute_kernel_block(i, row_block.z_from(i));
        }
    }

    /// Fills a block with the rows `range` of a batch for prediction.
    pub(crate) fn transform_block(
        &self,
        model: &KernelExpansion<T>,
        rows: &Rows<'_, T>,
        range: std::ops::Range<usize>,
        row_block: &mut RowBlock<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        let InputBuffers { x, z: buffer, lanes, .. } = buffers;
        row_block.start(model.features(), self.row_transform.max_excess(model.features()));
        for row in range {
            row_block.push(row, self.row_transform.transform(model.ops(), rows.row(row, buffer), x));
        }
        row_block.apply_metric(0, self.metric.as_ref(), model.ops(), lanes);
    }
}
