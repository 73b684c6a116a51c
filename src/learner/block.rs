//! Rows that are made ready together: folded, scaled and mapped, so that a large store looks at all of them at once.

use super::{Learner, Rows, Scaler, Scratch};
use crate::float::Real;
use crate::metric::Metric;
use crate::ops::{Ops, SimdBuffer, starts_block};
use crate::row::Row;
use crate::store::KernelExpansion;

/// Rows that are worth a block.
const FEWEST: usize = 8;

/// Rows of a batch, with what has become of them.
#[derive(Debug, Default)]
pub(super) struct RowBlock<T: Real> {
    features: usize,
    /// Where they stand in the batch.
    rows: Vec<usize>,
    /// As the linear part sees them, one after the other.
    x: Vec<T>,
    /// As the kernel sees them, where there is a metric.
    z: Option<Vec<T>>,
    mapped: Vec<T>,
}

impl<T: Real> Clone for RowBlock<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Real> RowBlock<T> {
    /// Row number `i` as the linear part sees it.
    #[inline(always)]
    pub(super) fn x(&self, i: usize) -> &[T] {
        &self.x[i * self.features..(i + 1) * self.features]
    }

    /// As the kernel sees it.
    #[inline(always)]
    pub(super) fn z(&self, i: usize) -> &[T] {
        &self.z.as_ref().unwrap_or(&self.x)[i * self.features..(i + 1) * self.features]
    }

    /// How many rows are ready.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Where row number `i` stands in the batch.
    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> usize {
        self.rows[i]
    }

    /// Holds no row any more.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.x.clear();
    }

    /// Holds no row yet, and will hold rows of so many features.
    pub(super) fn start(&mut self, features: usize) {
        self.clear();
        self.features = features;
    }

    pub(super) fn push(&mut self, row: usize, x: &[T]) {
        self.rows.push(row);
        self.x.extend_from_slice(x);
    }

    /// Maps the rows from `from` on by the metric of now.
    pub(super) fn map(
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

    /// All numbers from row `from` on as the kernel sees them.
    pub(super) fn seen_from(&self, from: usize) -> &[T] {
        &self.z.as_ref().unwrap_or(&self.x)[from * self.features..]
    }
}

impl<T: Real> Learner<T> {
    /// Whether a store is better asked for so many rows at once.
    pub(super) fn are_better_together(
        &self,
        store: &KernelExpansion<T>,
        rows: &Rows<'_, T>,
        n: usize,
    ) -> bool {
        let scales = matches!(self.scaling, Some(Scaler::Running(_) | Scaler::Frozen(_)));
        let dense = scales || matches!(rows, Rows::Dense(_));
        dense && n >= FEWEST && store.is_large()
    }

    /// Makes the rows from `from` on ready, to the end of their block or `to`, where a large store is better asked for
    /// many rows at once. Returns the row behind them; `from` where the rows are to be learned one by one.
    pub(super) fn prepare(
        &mut self,
        rows: &Rows<'_, T>,
        weights: Option<&[f64]>,
        (from, to): (usize, usize),
        buffer: &mut Vec<T>,
        block: &mut RowBlock<T>,
    ) -> usize {
        block.start(self.store.features());
        if !self.are_better_together(&self.store, rows, to - from) || !self.gamma.is_final() {
            return from;
        }
        let Self { scratch, hashing, scaling, store, counts, serving, .. } = self;
        let Scratch { folded, x: scaled, .. } = scratch;
        let (mut t, mut row) = (counts.n_seen + 1, from);
        let age = serving.as_ref().map_or(0.0, |serving| serving.age(counts.n_seen));
        while row < to && (block.rows.is_empty() || !starts_block(t)) {
            if weights.is_none_or(|weights| weights[row] > 0.0) {
                let raw = rows.row(row, buffer);
                let raw = hashing.as_ref().map_or(raw, |hashing| hashing.hash_row(raw, folded));
                let x = match scaling {
                    Some(scaling) => scaling.learn(store.ops(), (t, age), raw, scaled),
                    None => raw,
                };
                block.push(row, x.values());
                t += 1;
            }
            row += 1;
        }
        row
    }

    /// Looks at the rows of a block from number `i` on, unless that has been done with the support vectors of now.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self, block: &mut RowBlock<T>, i: usize) {
        if !self.store.has_precomputed() {
            let learned = self.metric.as_mut().filter(|_| !self.frozen);
            if let (Some(metric), true) = (learned, starts_block(self.counts.n_seen + 1)) {
                metric.move_on(&mut self.store, self.kernel);
            }
            block.map(i, self.metric.as_ref(), self.store.ops(), &mut self.scratch.lanes);
            self.store.precompute_block(self.kernel, i, block.seen_from(i));
        }
    }
}
