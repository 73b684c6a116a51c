//! A block of transformed rows.

use super::{Excess, Metric};
use crate::batch::Row;
use crate::expansion::{KernelExpansion, LinearInput, Query};
use crate::float::Real;
use crate::ops::{BLOCK_ROWS, Ops, SimdBuffer};

/// A row to be learned: a single raw row, or a row of a transformed block.
#[derive(Clone, Copy)]
pub(crate) enum RowSource<'a, T: Real> {
    /// A raw row.
    Single(Row<'a, T>),
    /// A transformed row, by its index in its block.
    FromBlock(&'a RowBlock<T>, usize),
}

impl<'a, T: Real> RowSource<'a, T> {
    /// The row without preprocessing.
    #[inline(always)]
    pub(crate) fn query(self, expansion: &KernelExpansion<T>) -> Query<'a, T> {
        let x = match self {
            Self::Single(raw) => raw,
            Self::FromBlock(block, i) => Row::Dense(block.x(i)),
        };
        Query::new(expansion.kernel(), x.into(), x)
    }

    #[inline(always)]
    pub(crate) fn is_from_block(&self) -> bool {
        matches!(self, Self::FromBlock(..))
    }
}

/// Up to 32 transformed rows of a batch; their kernel sums are in a [`KernelBlock`](crate::expansion::KernelBlock).
#[derive(Debug, Default)]
pub(crate) struct RowBlock<T: Real> {
    features: usize,
    /// Whether the first row is the first of a block of the stream.
    starts_block: bool,
    /// The index of each row in the batch.
    rows: Vec<usize>,
    /// The standardised rows, concatenated.
    x: Vec<T>,
    /// The excesses of all rows, concatenated, and the end of each row's.
    excess: Excess<T>,
    excess_ends: Vec<usize>,
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
    pub(crate) fn linear_input(&self, i: usize) -> LinearInput<'_, T> {
        let from = if i == 0 { 0 } else { self.excess_ends[i - 1] };
        let excess = from..self.excess_ends[i];
        let Excess { features, values } = &self.excess;
        LinearInput {
            clipped: Row::Dense(self.x(i)),
            excess_features: &features[excess.clone()],
            excess: &values[excess],
        }
    }

    /// Row `i`, standardised and clipped.
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

    /// Whether row `i` is the first of a block of the stream.
    #[inline(always)]
    pub(super) fn is_start(&self, i: usize) -> bool {
        self.starts_block && i == 0
    }

    /// Empties the block for rows of `features` features.
    pub(crate) fn start(&mut self, starts_block: bool, features: usize, max_excess: usize) {
        self.starts_block = starts_block;
        self.rows.clear();
        self.x.clear();
        self.excess.clear();
        self.excess.reserve(BLOCK_ROWS * max_excess);
        self.excess_ends.clear();
        self.features = features;
    }

    /// Appends a standardised row.
    pub(crate) fn push(&mut self, row: usize, x: LinearInput<'_, T>) {
        self.rows.push(row);
        self.x.extend_from_slice(x.clipped.values());
        self.excess.features.extend_from_slice(x.excess_features);
        self.excess.values.extend_from_slice(x.excess);
        self.excess_ends.push(self.excess.values.len());
    }

    /// Maps the rows from `from` on by the present metric.
    pub(super) fn apply_metric(
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
