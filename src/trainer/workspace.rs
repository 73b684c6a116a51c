//! Buffers of the training loop.

use crate::float::Real;
use crate::input::{InputBuffers, RowBlock};
use crate::store::{self, KernelExpansion};

/// Buffers of training and prediction; never saved.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace<T: Real> {
    pub(super) input: InputBuffers<T>,
    pub(super) scores: store::RowScores<T>,
    pub(super) alpha: Vec<T>,
    pub(super) row_block: RowBlock<T>,
    /// Kernel sums of the rows to be predicted.
    pub(super) kernel_block: store::KernelBlock<T>,
}

impl<T: Real> Workspace<T> {
    pub(super) fn of(model: &KernelExpansion<T>) -> Self {
        let mut work = Self { alpha: vec![T::ZERO; model.outputs()], ..Self::default() };
        work.scores.k.grow(model.n_simd());
        work.scores.f.resize(model.outputs(), T::ZERO);
        work
    }
}
