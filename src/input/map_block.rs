//! The pipeline for blocks of rows. A large support set is read once per block instead of once per row.

use super::{InputBuffers, InputMap, RowBlock};
use crate::batch::{Example, Rows};
use crate::expansion::{KernelExpansion, OnEdit};
use crate::float::Real;

/// The minimum number of rows for which a block is faster than single rows.
const MIN_BLOCK_ROWS: usize = 8;

impl<T: Real> InputMap<T> {
    /// Whether computing kernel rows in blocks is faster than one by one, for `n` rows that follow. Training
    /// counts all remaining rows of its part of the batch, although the first block may be shorter: it ends
    /// where a block of the stream ends. Prediction counts the rows of the block.
    pub(crate) fn uses_blocks(&self, expansion: &KernelExpansion<T>, rows: &Rows<'_, T>, n: usize) -> bool {
        n >= MIN_BLOCK_ROWS && expansion.is_large() && (matches!(rows, Rows::Dense(_)) || self.makes_dense())
    }

    /// Fills a block with `rows` of a batch, in the order of their indices; `first` is the first of them. The
    /// rows lie in one block of the stream.
    pub(crate) fn fill_block(
        &mut self,
        first: &Example,
        expansion: &KernelExpansion<T>,
        (batch, rows): (&Rows<'_, T>, impl Iterator<Item = usize>),
        row_block: &mut RowBlock<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        let &Example { t: first_t, repeated, starts_block, effective_n_before, .. } = first;
        row_block.start(
            starts_block,
            expansion.features(),
            self.row_transform.max_excess(expansion.features()),
        );
        if starts_block {
            self.row_transform.begin_block(first_t, effective_n_before);
        }
        let InputBuffers { x: row_buffers, z: buffer, base, .. } = buffers;
        for (row, t) in rows.zip(first_t..) {
            let raw = batch.row(row, buffer);
            row_block.push(
                row,
                self.row_transform.fit_transform((t, repeated), expansion.ops(), raw, row_buffers),
            );
            // The statistics include the first row of the block and no later one, as without blocks.
            if row_block.is_start(row_block.len() - 1) {
                self.standardize_base(expansion, base);
            }
        }
    }

    /// Ensures that the kernel sums of row `i` of a block are precomputed for the present support vectors. If
    /// they are not, the pending steps of the metric are applied (if the row starts a block of the stream),
    /// and the rows from `i` on are mapped by the metric and their kernel sums computed.
    ///
    /// An insertion or a merge recomputes the sums of its slot for the remaining rows. Only a change of all support
    /// vectors (metric, appended features) discards the block.
    #[inline(always)]
    pub(crate) fn ensure_precomputed(
        &mut self,
        (row_block, i): (&mut RowBlock<T>, usize),
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        if !expansion.has_precomputed() {
            let InputBuffers { z, lanes, base, .. } = buffers;
            if row_block.is_start(i) {
                self.apply_metric_steps(expansion, derived_state);
                self.set_base_row(expansion, base, (lanes, z));
            }
            row_block.apply_metric(i, self.metric.as_ref(), expansion.ops(), lanes);
            expansion.precompute_kernel_block(i, row_block.z_from(i));
        }
    }

    /// Fills a block with the rows `range` of a batch for prediction.
    pub(crate) fn transform_block(
        &self,
        expansion: &KernelExpansion<T>,
        rows: &Rows<'_, T>,
        range: std::ops::Range<usize>,
        row_block: &mut RowBlock<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        let InputBuffers { x, z: buffer, lanes, .. } = buffers;
        row_block.start(false, expansion.features(), self.row_transform.max_excess(expansion.features()));
        for row in range {
            row_block.push(row, self.row_transform.transform(expansion.ops(), rows.row(row, buffer), x));
        }
        row_block.apply_metric(0, self.metric.as_ref(), expansion.ops(), lanes);
    }
}
