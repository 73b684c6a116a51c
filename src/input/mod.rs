//! From raw rows to what the model sees: hashing of features, standardisation, the kernel's width and a learned metric.
//! Learning, prediction, checks and kernel values use this one pipeline.

mod bandwidth;
mod block;
mod bounds;
mod hasher;
mod metric;
mod scaler;

pub use bandwidth::scale_gamma;
pub(crate) use bandwidth::{Bandwidth, GammaOf, Moments};
pub(crate) use block::{RowBlock, RowSource};
pub(crate) use bounds::{hashed_rows_are_bounded, rows_are_bounded};
pub(crate) use hasher::{FeatureHasher, HashedRow};
pub(crate) use metric::{Metric, MetricExample};
#[cfg(test)]
pub(crate) use scaler::WARMUP_ROWS;
pub(crate) use scaler::{FixedScaler, RunningScaler, Scaler};

use crate::batch::{Label, Row};
use crate::float::Real;
use crate::ops::{Ops, SimdBuffer, starts_block};
use crate::store::{KernelExpansion, OnEdit, Query};

/// The number of support vectors from which on a metric is learned, unless the budget is smaller.
fn metric_from(label: Label) -> usize {
    if let Label::Value(_) = label { 100 } else { 500 }
}

/// Buffers of one row on its way through the pipeline; never saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputBuffers<T: Real> {
    hashed: HashedRow<T>,
    x: Vec<T>,
    z: Vec<T>,
    lanes: SimdBuffer<T>,
}

/// A row about to be learned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The number of the row, from 1 on.
    pub(crate) t: u64,
    /// The effective number of rows before it; 0 if the model does not forget.
    pub(crate) effective_n: f64,
    /// An upper bound of its weight.
    pub(crate) max_weight: f64,
}

/// What happens to a row before the model sees it: the plain loop compiles without the optional steps.
pub(crate) trait Preprocess<T: Real> {
    /// Learns from a raw row (statistics, gamma, pending steps of the metric) and transforms it.
    fn fit_transform<'a>(
        &mut self,
        arrival: Arrival,
        source: RowSource<'a, T>,
        model: &mut KernelExpansion<T>,
        on: &mut impl OnEdit<T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T>;

    /// Learns the metric from an example that becomes a support vector of a model with this budget.
    fn learn(
        &mut self,
        example: &MetricExample<'_, T>,
        z: Row<'_, T>,
        model: &KernelExpansion<T>,
        budget: usize,
    );
}

/// Rows are learned as they are.
pub(crate) struct Identity;

impl<T: Real> Preprocess<T> for Identity {
    #[inline(always)]
    fn fit_transform<'a>(
        &mut self,
        _: Arrival,
        source: RowSource<'a, T>,
        model: &mut KernelExpansion<T>,
        _: &mut impl OnEdit<T>,
        _: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let x = match source {
            RowSource::Single(raw) => raw,
            RowSource::Block(block, i) => Row::Dense(block.x(i)),
        };
        Query::new(model.kernel(), x, x)
    }

    #[inline(always)]
    fn learn(&mut self, _: &MetricExample<'_, T>, _: Row<'_, T>, _: &KernelExpansion<T>, _: usize) {}
}

/// Hashing and standardisation of raw rows.
#[derive(Debug, Clone)]
pub(crate) struct Preprocessor<T: Real> {
    pub(crate) hasher: Option<FeatureHasher>,
    pub(crate) scaler: Option<Scaler<T>>,
}

impl<T: Real> Preprocessor<T> {
    /// Learns the statistics of a row that is about to be learned as the `t`-th, and transforms it.
    #[inline(always)]
    pub(crate) fn fit_transform<'a>(
        &mut self,
        (t, effective_n): (u64, f64),
        ops: Ops<T>,
        raw: Row<'a, T>,
        (hashed, scaled): (&'a mut HashedRow<T>, &'a mut Vec<T>),
    ) -> Row<'a, T> {
        let raw = self.hasher.as_ref().map_or(raw, |hasher| hasher.hash_row(raw, hashed));
        match &mut self.scaler {
            Some(scaler) => scaler.fit_transform(ops, (t, effective_n), raw, scaled),
            None => raw,
        }
    }

    /// The hashed and standardised row.
    #[inline(always)]
    pub(crate) fn transform<'a>(
        &self,
        ops: Ops<T>,
        raw: Row<'a, T>,
        (hashed, scaled): (&'a mut HashedRow<T>, &'a mut Vec<T>),
    ) -> Row<'a, T> {
        let raw = self.hasher.as_ref().map_or(raw, |hasher| hasher.hash_row(raw, hashed));
        self.scaler.as_ref().map_or(raw, |scaler| scaler.transform(ops, raw, scaled))
    }

    /// Whether NaN is a missing value.
    pub(crate) fn accepts_nan(&self) -> bool {
        self.scaler.as_ref().is_some_and(Scaler::accepts_nan)
    }
}

/// The whole pipeline: raw row -> hashed -> standardised (`x`, for the linear term) -> mapped by the metric (`z`, for the
/// kernel).
#[derive(Debug, Clone)]
pub(crate) struct InputMap<T: Real> {
    pub(crate) rows: Preprocessor<T>,
    pub(crate) bandwidth: Bandwidth,
    pub(crate) metric: Option<Metric<T>>,
    /// True if gamma, scaler and metric were copied from another model and stay as they are.
    pub(crate) frozen: bool,
}

impl<T: Real> InputMap<T> {
    /// Whether rows reach the model unchanged, and nothing of the pipeline learns.
    pub(crate) fn is_identity(&self) -> bool {
        let Self { rows, bandwidth, metric, .. } = self;
        rows.hasher.is_none() && rows.scaler.is_none() && metric.is_none() && bandwidth.is_final()
    }

    /// Whether every row becomes dense.
    pub(crate) fn makes_dense(&self) -> bool {
        self.rows.scaler.as_ref().is_some_and(Scaler::makes_dense)
    }

    /// The transformed row.
    #[inline(always)]
    pub(crate) fn transform<'a>(
        &self,
        model: &KernelExpansion<T>,
        raw: Row<'a, T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let InputBuffers { hashed, x, z, lanes } = buffers;
        let x = self.rows.transform(model.ops(), raw, (hashed, x));
        self.query(model, x, lanes, z)
    }

    /// A standardised row as the kernel sees it.
    #[inline(always)]
    fn query<'a>(
        &self,
        model: &KernelExpansion<T>,
        x: Row<'a, T>,
        lanes: &mut SimdBuffer<T>,
        z: &'a mut Vec<T>,
    ) -> Query<'a, T> {
        match &self.metric {
            Some(metric) => {
                metric.apply(model.ops(), x, lanes, z);
                Query::new(model.kernel(), x, Row::Dense(z))
            }
            None => Query::new(model.kernel(), x, x),
        }
    }

    /// Applies the pending steps of the metric to the model, at the starts of blocks.
    #[inline(always)]
    pub(crate) fn move_metric(&mut self, t: u64, model: &mut KernelExpansion<T>, on: &mut impl OnEdit<T>) {
        if let Some(metric) = &mut self.metric
            && !self.frozen
            && starts_block(t)
        {
            metric.apply_pending_steps(model, on);
        }
    }

    /// Rows of a valid batch have so many columns.
    pub(crate) fn see_columns(&mut self, columns: usize) {
        if let Some(hasher) = &mut self.rows.hasher {
            hasher.columns = hasher.columns.max(columns);
        }
    }
}

impl<T: Real> Preprocess<T> for InputMap<T> {
    #[inline(always)]
    fn fit_transform<'a>(
        &mut self,
        arrival: Arrival,
        source: RowSource<'a, T>,
        model: &mut KernelExpansion<T>,
        on: &mut impl OnEdit<T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let InputBuffers { hashed, x, z, lanes } = buffers;
        let Arrival { t, effective_n, max_weight } = arrival;
        let x = match source {
            RowSource::Single(raw) => {
                self.rows.fit_transform((t, effective_n), model.ops(), raw, (hashed, x))
            }
            RowSource::Block(block, i) => Row::Dense(block.x(i)),
        };
        if let Some(gamma) =
            self.bandwidth.before(t, x, max_weight, model.features(), self.rows.scaler.as_ref())
        {
            model.set_gamma(gamma, on);
        }
        self.move_metric(t, model, on);
        match source {
            RowSource::Single(_) => self.query(model, x, lanes, z),
            RowSource::Block(block, i) => Query::new(model.kernel(), x, Row::Dense(block.z(i))),
        }
    }

    #[inline(always)]
    fn learn(
        &mut self,
        example: &MetricExample<'_, T>,
        z: Row<'_, T>,
        model: &KernelExpansion<T>,
        budget: usize,
    ) {
        if let Some(metric) = &mut self.metric
            && !self.frozen
            && model.len() >= budget.min(metric_from(example.label))
        {
            metric.learn(model, example, z.values());
        }
    }
}
