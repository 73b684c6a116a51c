//! The whole pipeline.

use super::{
    Arrival, Bandwidth, InputBuffers, Metric, MetricExample, Preprocess, RowBuffers, RowSource, RowTransform,
    Scaler,
};
use crate::batch::Row;
use crate::constants::MAX_PAIRED_FEATURES;
use crate::float::Real;
use crate::ops::{SimdBuffer, is_grid_row};
use crate::store::{KernelExpansion, LinearInput, OnEdit, Query};

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
        let InputBuffers { x, z, lanes, zeros: _ } = buffers;
        lanes.poison();
        for numbers in [&mut x.marked, &mut x.scaled, z] {
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
        model: &KernelExpansion<T>,
        raw: Row<'a, T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let InputBuffers { x, z, lanes, .. } = buffers;
        let x = self.row_transform.transform(model.ops(), raw, x);
        self.query(model, x, lanes, z)
    }

    /// Maps a standardised row by the metric.
    #[inline(always)]
    fn query<'a>(
        &self,
        model: &KernelExpansion<T>,
        x: LinearInput<'a, T>,
        lanes: &mut SimdBuffer<T>,
        z: &'a mut Vec<T>,
    ) -> Query<'a, T> {
        match &self.metric {
            Some(metric) => {
                metric.apply(model.ops(), x.x, lanes, z);
                Query::new(model.kernel(), x, Row::Dense(z))
            }
            None => Query::new(model.kernel(), x, x.x),
        }
    }

    /// Applies the pending steps of the metric to the model if row `t` is a grid row.
    #[inline(always)]
    pub(crate) fn apply_metric_steps(
        &mut self,
        t: u64,
        model: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
    ) {
        if let Some(metric) = &mut self.metric
            && !self.frozen
            && is_grid_row(t)
        {
            metric.apply_pending_steps(model, derived_state);
        }
    }

    /// Computes the standardised row of zeros at a grid row, if rows are given by their differences from it: with many
    /// features, which standardisation and scales map one by one.
    pub(super) fn standardize_zeros(&self, model: &KernelExpansion<T>, zeros: &mut RowBuffers<T>) {
        let keeps_features_apart = self.metric.as_ref().is_none_or(Metric::is_diagonal);
        if self.makes_dense()
            && keeps_features_apart
            && self.bandwidth.is_final()
            && model.features() > MAX_PAIRED_FEATURES
            && model.support().accepts_base_row()
        {
            self.row_transform.transform(model.ops(), Row::Sparse(&[], &[]), zeros);
        } else {
            zeros.scaled.clear();
        }
    }

    /// Sets the base row of the model at a grid row, from the result of [`InputMap::standardize_zeros`].
    pub(super) fn set_base_row(
        &self,
        model: &mut KernelExpansion<T>,
        zeros: &RowBuffers<T>,
        (lanes, z): (&mut SimdBuffer<T>, &mut Vec<T>),
    ) {
        let zeros = &zeros.scaled[..];
        match &self.metric {
            _ if zeros.is_empty() => model.set_base_row(None),
            Some(metric) => {
                metric.apply(model.ops(), Row::Dense(zeros), lanes, z);
                model.set_base_row(Some(z));
            }
            None => model.set_base_row(Some(zeros)),
        }
    }

    /// Records the number of columns of a valid batch.
    pub(crate) fn observe_columns(&mut self, columns: usize) {
        if let Some(hasher) = &mut self.row_transform.hasher {
            hasher.columns = hasher.columns.max(columns);
        }
    }
}

impl<T: Real> Preprocess<T> for InputMap<T> {
    #[inline(always)]
    fn fit_transform<'a>(
        &mut self,
        arrival: Arrival,
        max_weight: f64,
        source: RowSource<'a, T>,
        model: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let InputBuffers { x, z, lanes, zeros } = buffers;
        let t = arrival.t;
        let x = match source {
            RowSource::Single(raw) => self.row_transform.fit_transform(arrival, model.ops(), raw, x),
            RowSource::FromBlock(block, i) => block.linear_input(i),
        };
        if let Some(gamma) = self.bandwidth.next_gamma(
            t,
            x.x,
            max_weight,
            model.features(),
            self.row_transform.scaler.as_ref(),
        ) {
            model.set_gamma(gamma, derived_state);
        }
        if is_grid_row(t) {
            self.row_transform.changes().for_each(|change| model.rescale(change));
        }
        self.apply_metric_steps(t, model, derived_state);
        match source {
            RowSource::Single(_) => {
                if is_grid_row(t) {
                    self.standardize_zeros(model, zeros);
                    self.set_base_row(model, zeros, (lanes, z));
                }
                self.query(model, x, lanes, z)
            }
            RowSource::FromBlock(block, i) => Query::new(model.kernel(), x, Row::Dense(block.z(i))),
        }
    }

    #[inline(always)]
    fn learn_metric(
        &mut self,
        example: &MetricExample<'_, T>,
        z: Row<'_, T>,
        model: &KernelExpansion<T>,
        budget: usize,
    ) {
        if let Some(metric) = &mut self.metric
            && !self.frozen
            && model.len() >= budget.min(METRIC_STARTS_AT)
        {
            metric.learn(model, example, z.values());
        }
    }
}
