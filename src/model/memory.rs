//! The memory of a model, and its bytes for spilling to disk.

use super::{AnyLearner, Model, with_learner};
use crate::error::Result;
use crate::persist;

impl AnyLearner {
    /// Number of columns of rows.
    pub(crate) fn n_columns(&self) -> usize {
        with_learner!(self, learner => learner.n_columns())
    }
}

impl Model {
    /// Estimated size in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.learner()
            .map_or(0, |learner| with_learner!(learner, learner => learner.memory()))
            .max(size_of::<Self>())
    }

    /// The bytes of a model file, without checking that it can be loaded. Only this process reads them.
    pub(crate) fn to_unchecked_bytes(&self) -> Result<Vec<u8>> {
        persist::encode(&self.tensors()?)
    }

    /// Reads bytes of [`Model::to_unchecked_bytes`].
    pub(crate) fn from_unchecked_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read(&persist::parse(bytes)?)
    }
}
