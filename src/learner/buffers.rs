//! Buffers of the training loop.

use crate::expansion::{self, KernelExpansion};
use crate::float::Real;
use crate::input::{InputBuffers, RowBlock};

/// Buffers of training and prediction; never saved.
#[derive(Debug, Clone, Default)]
pub(super) struct LearnBuffers<T: Real> {
    pub(super) input: InputBuffers<T>,
    pub(super) scores: expansion::RowScores<T>,
    pub(super) alpha: Vec<T>,
    pub(super) row_block: RowBlock<T>,
    /// Kernel sums of the rows to be predicted.
    pub(super) kernel_block: expansion::KernelBlock<T>,
}

impl<T: Real> LearnBuffers<T> {
    pub(super) fn of(expansion: &KernelExpansion<T>) -> Self {
        let mut buffers = Self { alpha: vec![T::ZERO; expansion.outputs()], ..Self::default() };
        buffers.scores.k.grow(expansion.n_simd());
        buffers.scores.f.resize(expansion.outputs(), T::ZERO);
        buffers
    }
}
