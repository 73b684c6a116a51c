//! The memory of a model, and its bytes in a collection of models.

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

    /// The model in the short encoding of a record of [`KeyedModels`](crate::keyed::KeyedModels).
    pub(crate) fn to_record(&self) -> Result<Vec<u8>> {
        persist::to_compact(&self.tensors(&self.metadata)?)
    }

    /// Reads bytes of [`Model::to_record`] that this process has written.
    pub(crate) fn from_own_record(bytes: &[u8]) -> Result<Self> {
        Self::read(&persist::from_compact(bytes)?)
    }

    /// Reads bytes of [`Model::to_record`] from a file, which anybody may have written.
    pub(crate) fn from_record(bytes: &[u8]) -> Result<Self> {
        let tensors = persist::from_compact(bytes)?;
        Self::read_all(&tensors, |again| Ok(*again == tensors))
    }
}
