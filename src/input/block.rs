//! Blocks of transformed rows. A large support set is read once per block instead of once per row.

use super::{InputBuffers, InputMap, Metric};
use crate::batch::{Row, Rows};
use crate::float::Real;
use crate::ops::{Ops, SimdBuffer, starts_block};
use crate::store::{KernelExpansion, OnEdit};

/// The minimum number of rows for which a block is faster than single rows.
const MIN_BLOCK_ROWS: usize = 8;

/// A row to be learned: a single raw row, or a row of a transformed block.
#[derive(Clone, Copy)]
pub(crate) enum RowSource<'a, T: Real> {
    /// A raw row.
    Single(Row<'a, T>),
    /// A transformed row, by its index in the block.
    Block(&'a RowBlock<T>, usize),
}

/// Transformed rows of a batch.
#[derive(Debug, Default)]
pub(crate) struct RowBlock<T: Real> {
    features: usize,
    /// The index of each row in the batch.
    rows: Vec<usize>,
    /// The standardised rows, concatenated.
    x: Vec<T>,
    /// The rows mapped by the metric, if there is one.
    z: Option<Vec<T>>,
    mapped: Vec<T>,
}

/// A clone is empty: the block is a buffer.
impl<T: Real> Clone for RowBlock<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Real> RowBlock<T> {
    /// Row `i`, the input of the linear term.
    #[inline(always)]
    pub(crate) fn x(&self, i: usize) -> &[T] {
        &self.x[i * self.features..(i + 1) * self.features]
    }

    /// Row `i`, the input of the kernel.
    #[inline(always)]
    pub(crate) fn z(&self, i: usize) -> &[T] {
        &self.z.as_ref().unwrap_or(&self.x)[i * self.features..(i + 1) * self.features]
    }

    /// The inputs of the kernel from row `from` on, concatenated.
    pub(crate) fn z_from(&self, from: usize) -> &[T] {
        &self.z.as_ref().unwrap_or(&self.x)[from * self.features..]
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The index of row `i` in the batch.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> usize {
        self.rows[i]
    }

    /// Empties the block for rows of `features` features.
    pub(crate) fn start(&mut self, features: usize) {
        self.rows.clear();
        self.x.clear();
        self.features = features;
    }

    /// Appends a standardised row.
    pub(crate) fn push(&mut self, row: usize, x: &[T]) {
        self.rows.push(row);
        self.x.extend_from_slice(x);
    }

    /// Maps the rows from `from` on by the present metric.
    fn apply_metric(
        &mut self,
        from: usize,
        metric: Option<&Metric<T>>,
        ops: Ops<T>,
        lanes: &mut SimdBuffer<T>,
    ) {
        let Some(metric) = metric else {
            self.z = None;
            return;
        };
        let z = self.z.get_or_insert_default();
        z.resize(self.x.len(), T::ZERO);
        let to = z.chunks_exact_mut(self.features).skip(from);
        for (x, z) in self.x.chunks_exact(self.features).skip(from).zip(to) {
            metric.apply(ops, Row::Dense(x), lanes, &mut self.mapped);
            z.copy_from_slice(&self.mapped);
        }
    }
}

impl<T: Real> InputMap<T> {
    /// Whether computing `n` kernel rows as a block is faster than one by one.
    pub(crate) fn uses_blocks(&self, model: &KernelExpansion<T>, rows: &Rows<'_, T>, n: usize) -> bool {
        n >= MIN_BLOCK_ROWS && model.is_large() && (matches!(rows, Rows::Dense(_)) || self.makes_dense())
    }

    /// Fills a block with the rows from `from` to `to`, at most up to the next multiple of the block size; rows of
    /// weight 0 are left out. Returns the row after the last one.
    pub(crate) fn fill_block(
        &mut self,
        (n_seen, effective_n): (u64, f64),
        model: &KernelExpansion<T>,
        (rows, weights): (&Rows<'_, T>, Option<&[f64]>),
        (from, to): (usize, usize),
        block: &mut RowBlock<T>,
        buffers: &mut InputBuffers<T>,
    ) -> usize {
        block.start(model.features());
        let InputBuffers { hashed, x, z: buffer, .. } = buffers;
        let (mut t, mut row) = (n_seen + 1, from);
        while row < to && (block.rows.is_empty() || !starts_block(t)) {
            if weights.is_none_or(|weights| weights[row] > 0.0) {
                let raw = rows.row(row, buffer);
                let x = self.rows.fit_transform((t, effective_n), model.ops(), raw, (hashed, x));
                block.push(row, x.values());
                t += 1;
            }
            row += 1;
        }
        row
    }

    /// Computes the kernel rows of a block from row `i` on, unless they are valid for the present support vectors; row
    /// `i` is learned as the `t`-th.
    #[inline(always)]
    pub(crate) fn precompute(
        &mut self,
        t: u64,
        (block, i): (&mut RowBlock<T>, usize),
        model: &mut KernelExpansion<T>,
        on: &mut impl OnEdit<T>,
        buffers: &mut InputBuffers<T>,
    ) {
        if !model.has_precomputed() {
            self.apply_metric_steps(t, model, on);
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
        let InputBuffers { hashed, x, z: buffer, lanes } = buffers;
        block.start(model.features());
        for row in range {
            block.push(row, self.rows.transform(model.ops(), rows.row(row, buffer), (hashed, x)).values());
        }
        block.apply_metric(0, self.metric.as_ref(), model.ops(), lanes);
    }
}
