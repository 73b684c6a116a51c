//! The step before the model sees a row, with and without a pipeline.

use super::{InputBuffers, RowSource};
use crate::batch::{Example, Row};
use crate::expansion::{KernelExpansion, OnEdit, Query, Scored};
use crate::float::Real;

/// Preprocessing of rows. The plain loop compiles with [`Identity`], without the optional steps.
pub(crate) trait Preprocess<T: Real> {
    /// Updates the pipeline with a raw row (statistics, gamma, pending steps of the metric) and transforms the row.
    fn fit_transform<'a>(
        &mut self,
        example: &Example,
        source: RowSource<'a, T>,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
        buffers: &'a mut InputBuffers<T>,
    ) -> Query<'a, T>;

    /// Makes a metric learning step for an example that becomes a support vector with the coefficients
    /// `alpha`; `budget` is the budget of the model.
    fn learn_metric(
        &mut self,
        scored: &Scored<'_, T>,
        alpha: &[T],
        expansion: &KernelExpansion<T>,
        budget: usize,
    );
}

/// No preprocessing.
pub(crate) struct Identity;

impl<T: Real> Preprocess<T> for Identity {
    #[inline(always)]
    fn fit_transform<'a>(
        &mut self,
        _: &Example,
        source: RowSource<'a, T>,
        expansion: &mut KernelExpansion<T>,
        _: &mut impl OnEdit<T>,
        _: &'a mut InputBuffers<T>,
    ) -> Query<'a, T> {
        let x = match source {
            RowSource::Single(raw) => raw,
            RowSource::FromBlock(block, i) => Row::Dense(block.x(i)),
        };
        Query::new(expansion.kernel(), x.into(), x)
    }

    #[inline(always)]
    fn learn_metric(&mut self, _: &Scored<'_, T>, _: &[T], _: &KernelExpansion<T>, _: usize) {}
}
