//! Blocks of transformed rows. A large support set is read once per block instead of once per row.

use super::{Arrival, InputBuffers, InputMap, RowBlock};
use crate::batch::Rows;
use crate::float::Real;
use crate::ops::starts_block;
use crate::store::{KernelExpansion, OnEdit};

/// The minimum number of rows for which a block is faster than single rows.
const MIN_BLOCK_ROWS: usize = 8;

impl<T: Real> InputMap<T> {
    /// Whether computing `n` kernel rows as a block is faster than one by one.
    pub(crate) fn uses_blocks(&self, model: &KernelExpansion<T>, rows: &Rows<'_, T>, n: usize) -> bool {
        n >= MIN_BLOCK_ROWS && model.is_large() && (matches!(rows, Rows::Dense(_)) || self.makes_dense())
    }

    /// Fills a block with the rows from `from` to `to`, at most up to the next multiple of the block size; rows of
    /// weight 0 are left out. Returns the row after the last one.
    pub(crate) fn fill_block(
        &mut self,
        first: Arrival,
        model: &KernelExpansion<T>,
        (rows, weights): (&Rows<'_, T>, Option<&[f64]>),
        (from, to): (usize, usize),
        block: &mut RowBlock<T>,
        buffers: &mut InputBuffers<T>,
    ) -> usize {
        block.start(model.features());
        let InputBuffers { x: row_buffers, z: buffer, .. } = buffers;
        let (mut t, mut row) = (first.t, from);
        while row < to && (block.len() == 0 || !starts_block(t)) {
            if weights.is_none_or(|weights| weights[row] > 0.0) {
                let raw = rows.row(row, buffer);
                let x =
                    self.row_transform.fit_transform(Arrival { t, ..first }, model.ops(), raw, row_buffers);
                block.push(row, x.values());
                t += 1;
            }
            row += 1;
        }
        row
    }

    /// Computes the kernel rows of a block from row `i` on, unless they are valid for the present support vectors; row
    /// `i` is learned as the `t`-th. An insertion or a merge recomputes the column of its slot in the remaining rows;
    /// only a change of all support vectors (metric, appended features) discards the block.
    #[inline(always)]
    pub(crate) fn precompute(
        &mut self,
        t: u64,
        (block, i): (&mut RowBlock<T>, usize),
        model: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        if !model.has_precomputed() {
            self.apply_metric_steps(t, model, derived_state);
            block.apply_metric(i, self.metric.as_ref(), model.ops(), &mut buffers.lanes);
            model.precompute_block(i, block.z_from(i));
        }
    }

    /// Fills a block with the rows `range` of a batch for prediction.
    pub(crate) fn transform_block(
        &self,
        model: &KernelExpansion<T>,
        rows: &Rows<'_, T>,
        range: std::ops::Range<usize>,
        block: &mut RowBlock<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        let InputBuffers { x, z: buffer, lanes } = buffers;
        block.start(model.features());
        for row in range {
            block.push(row, self.row_transform.transform(model.ops(), rows.row(row, buffer), x).values());
        }
        block.apply_metric(0, self.metric.as_ref(), model.ops(), lanes);
    }
}
