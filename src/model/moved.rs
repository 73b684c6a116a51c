//! Models that leave memory for a while: what they take, and their bytes.

use super::{AnyLearner, Model, with_learner};
use crate::error::Result;
use crate::persist;

impl AnyLearner {
    /// Columns of its rows.
    pub(crate) fn n_columns(&self) -> usize {
        with_learner!(self, learner => learner.n_columns())
    }
}

impl Model {
    /// What has been learned, or what it begins like.
    pub(crate) fn learner(&self) -> Option<&AnyLearner> {
        self.trained.as_ref().or(self.like.as_deref())
    }

    /// About how many bytes it takes.
    pub(crate) fn memory(&self) -> usize {
        self.learner().map_or(0, |learner| with_learner!(learner, one => one.memory())).max(size_of::<Self>())
    }

    /// The bytes of a file that this process reads again: they are not tried out.
    pub(crate) fn to_own_bytes(&self) -> Result<Vec<u8>> {
        persist::encode(&self.tensors()?)
    }

    /// The model of such bytes.
    pub(crate) fn from_own_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read(&persist::parse(bytes)?)
    }
}
