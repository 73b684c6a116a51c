//! The step before the model sees a row, with and without a pipeline.

use super::{InputBuffers, MetricExample, RowSource};
use crate::batch::Row;
use crate::float::Real;
use crate::store::{KernelExpansion, OnEdit, Query};

/// A row about to be learned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The number of the row, from 1 on.
    pub(crate) t: u64,
    /// The effective number of rows before the row; 0 without an online monitor.
    pub(crate) effective_n: f64,
    /// An upper bound of the weight of the row, which checks of later rows need.
    pub(crate) max_weight: f64,
}

/// Preprocessing of rows. The plain loop compiles with [`Identity`], without the optional steps.
pub(crate) trait Preprocess<T: Real> {
    /// Updates the pipeline with a raw row (statistics, gamma, pending steps of the metric) and transforms the row.
    fn fit_transform<'a>(
        &mut self,
        arrival: Arrival,
        source: RowSource<'a, T>,
        model: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T>;

    /// Makes a metric learning step for an example that becomes a support vector of a model with this budget.
    fn learn_metric(
        &mut self,
        example: &MetricExample<'_, T>,
        z: Row<'_, T>,
        model: &KernelExpansion<T>,
        budget: usize,
    );
}

/// No preprocessing.
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
    fn learn_metric(&mut self, _: &MetricExample<'_, T>, _: Row<'_, T>, _: &KernelExpansion<T>, _: usize) {}
}
