//! Buffers of the pipeline; never saved.

use super::{Excess, HashedRow};
use crate::float::Real;
use crate::ops::SimdBuffer;

/// Buffers for one row in the pipeline.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputBuffers<T: Real> {
    pub(super) x: RowBuffers<T>,
    pub(super) z: Vec<T>,
    pub(super) lanes: SimdBuffer<T>,
    /// The base row; `scaled` is empty if there is none.
    pub(super) base: RowBuffers<T>,
    /// The features in which a row differs from the row of zeros, and the differences.
    pub(super) features: Vec<u32>,
    pub(super) values: Vec<T>,
}

/// Buffers for the row with NaN for missing values, the hashed and the standardised row.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowBuffers<T: Real> {
    pub(super) marked: Vec<T>,
    pub(super) hashed: HashedRow<T>,
    pub(super) scaled: Vec<T>,
    pub(super) excess: Excess<T>,
}
