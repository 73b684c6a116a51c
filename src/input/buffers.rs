//! Buffers of the pipeline.

use super::HashedRow;
use crate::float::Real;
use crate::ops::SimdBuffer;

/// Buffers for one row in the pipeline; never saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputBuffers<T: Real> {
    pub(super) hashed: HashedRow<T>,
    pub(super) x: Vec<T>,
    pub(super) z: Vec<T>,
    pub(super) lanes: SimdBuffer<T>,
}
