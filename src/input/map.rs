//! The whole pipeline.

use super::{Bandwidth, InputBuffers, Metric, RowBuffers, RowSource, RowTransform, Scaler};
use crate::batch::{Example, Row};
use crate::constants::MAX_PAIRED_FEATURES;
use crate::expansion::{KernelExpansion, LinearInput, OnEdit, Query, Scored};
use crate::float::Real;
use crate::ops::SimdBuffer;

/// The number of support vectors at which metric learning starts, unless the budget is smaller.
const METRIC_STARTS_AT: usize = 100;

/// The pipeline: raw row -> hashed -> standardised (`x`, for the linear term) -> mapped by the metric (`z`, for the
/// kernel).
#[derive(Debug, Clone)]
pub(crate) struct InputMap<T: Real> {
    pub(super) row_transform: RowTransform<T>,
    pub(super) bandwidth: Bandwidth,
    pub(super) metric: Option<Metric<T>>,
    /// True if gamma, scaler and metric were copied from another model and do not change.
    pub(super) frozen: bool,
}

#[cfg(test)]
impl<T: Real> InputMap<T> {
    /// Fills the buffers, and the buffers of the caller, with numbers that nobody may read.
    pub(crate) fn poison(&mut self, buffers: &mut InputBuffers<T>) {
        let InputBuffers { x, z, lanes, base: _, features: _, values } = buffers;
        lanes.poison();
        for numbers in [&mut x.marked, &mut x.scaled, z, values] {
            numbers.fill(T::from_f64(7e3));
        }
        self.metric.iter_mut().for_each(Metric::poison);
    }
}

impl<T: Real> InputMap<T> {
    /// Whether the pipeline neither changes rows nor learns from them, so that the plain loop can leave it out.
    pub(crate) fn is_identity(&self) -> bool {
        let Self {
            row_transform: RowTransform { hasher, scaler, categories, .. },
            bandwidth,
            metric,
            frozen: _,
        } = self;
        let keeps_rows = hasher.is_none() && scaler.is_none() && categories.is_none() && metric.is_none();
        keeps_rows && bandwidth.is_final()
    }

    /// Whether every row becomes dense.
    pub(crate) fn makes_dense(&self) -> bool {
        self.row_transform.scaler.as_ref().is_some_and(Scaler::makes_dense)
    }

    /// The transformed row.
    #[inline(always)]
    pub(crate) fn transform<'a>(
        &self,
        expansion: &KernelExpansion<T>,
        raw: Row<'a, T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let InputBuffers { x: row_buffers, z, lanes, .. } = buffers;
        let x = self.row_transform.transform(expansion.ops(), raw, row_buffers);
        self.query(expansion, x, lanes, z)
    }

    /// Maps a standardised row by the metric.
    #[inline(always)]
    fn query<'a>(
        &self,
        expansion: &KernelExpansion<T>,
        x: LinearInput<'a, T>,
        lanes: &mut SimdBuffer<T>,
        z: &'a mut Vec<T>,
    ) -> Query<'a, T> {
        match &self.metric {
            Some(metric) => {
                metric.apply(expansion.ops(), x.clipped, lanes, z);
                Query::new(expansion.kernel(), x, Row::Dense(z))
            }
            None => Query::new(expansion.kernel(), x, x.clipped),
        }
    }

    /// Converts the linear term to the new standardisation at the start of a block. Only regression keeps the changes
    /// of the standardisation; otherwise there are none.
    #[inline(always)]
    fn rescale_linear(&self, expansion: &mut KernelExpansion<T>) {
        self.row_transform.changes().for_each(|change| expansion.rescale(change));
    }

    /// Applies the pending steps of the metric to the model.
    #[inline(always)]
    pub(super) fn apply_metric_steps(
        &mut self,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
    ) {
        if let Some(metric) = &mut self.metric
            && !self.frozen
        {
            metric.apply_pending_steps(expansion, derived_state);
        }
    }

    /// Computes the base row, the standardised row of zeros, at the start of a block, if rows are given by their
    /// differences from it: if there are many features, and the metric, if any, is diagonal.
    pub(super) fn standardize_base(&self, expansion: &KernelExpansion<T>, base: &mut RowBuffers<T>) {
        let keeps_features_apart = self.metric.as_ref().is_none_or(Metric::is_diagonal);
        if self.makes_dense()
            && keeps_features_apart
            && self.bandwidth.is_final()
            && expansion.features() > MAX_PAIRED_FEATURES
            && expansion.support().accepts_base_row()
        {
            self.row_transform.transform(expansion.ops(), Row::Sparse(&[], &[]), base);
        } else {
            base.scaled.clear();
        }
    }

    /// Sets the base row of the model at the start of a block, from the result of [`InputMap::standardize_base`].
    pub(super) fn set_base_row(
        &self,
        expansion: &mut KernelExpansion<T>,
        base: &RowBuffers<T>,
        (lanes, z): (&mut SimdBuffer<T>, &mut Vec<T>),
    ) {
        let base = &base.scaled[..];
        match &self.metric {
            _ if base.is_empty() => expansion.set_base_row(None),
            Some(metric) => {
                metric.apply(expansion.ops(), Row::Dense(base), lanes, z);
                expansion.set_base_row(Some(z));
            }
            None => expansion.set_base_row(Some(base)),
        }
    }

    /// Records the number of columns of a valid batch.
    pub(crate) fn observe_columns(&mut self, columns: usize) {
        if let Some(hasher) = &mut self.row_transform.hasher {
            hasher.columns = hasher.columns.max(columns);
        }
    }

    /// Updates the pipeline with a raw row (statistics, gamma, pending steps of the metric) and transforms the row.
    #[inline(always)]
    pub(crate) fn fit_transform<'a>(
        &mut self,
        example: &Example,
        source: RowSource<'a, T>,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let &Example { t, repeated, starts_block, .. } = example;
        let raw = match source {
            RowSource::Single(raw) => raw,
            // The statistics include the row already, gamma is final, and `ensure_precomputed` has applied the pending
            // steps of the metric.
            RowSource::FromBlock(block, i) => {
                if starts_block {
                    self.rescale_linear(expansion);
                }
                return Query::new(expansion.kernel(), block.linear_input(i), Row::Dense(block.z(i)));
            }
        };
        if starts_block {
            self.row_transform.begin_block(t, example.effective_n_before);
        }
        let InputBuffers { x: row_buffers, z, lanes, base, .. } = buffers;
        let x = self.row_transform.fit_transform((t, repeated), expansion.ops(), raw, row_buffers);
        let (max_weight, scaler) = (example.max_weight, self.row_transform.scaler.as_ref());
        if let Some(gamma) = self.bandwidth.observe(t, x.clipped, max_weight, expansion.features(), scaler) {
            expansion.set_gamma(gamma, derived_state);
        }
        if starts_block {
            self.rescale_linear(expansion);
            self.apply_metric_steps(expansion, derived_state);
            self.standardize_base(expansion, base);
            self.set_base_row(expansion, base, (lanes, z));
        }
        self.query(expansion, x, lanes, z)
    }

    /// Makes a metric learning step for an example that becomes a support vector with the coefficients
    /// `alpha`; `budget` is the budget of the model.
    #[inline(always)]
    pub(crate) fn learn_metric(
        &mut self,
        scored: &Scored<'_, T>,
        alpha: &[T],
        expansion: &KernelExpansion<T>,
        budget: usize,
    ) {
        if let Some(metric) = &mut self.metric
            && !self.frozen
            && expansion.len() >= budget.min(METRIC_STARTS_AT)
        {
            metric.learn(expansion, scored, alpha);
        }
    }
}
