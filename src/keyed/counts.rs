//! [`KeyCounts`]: what is known about a key without reading its model.

use crate::model::{Model, with_learner};
use serde::{Deserialize, Serialize};

/// Rows and prediction errors of a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyCounts {
    /// Rows that its model learned, each counted once; rows of weight 0 are not counted.
    pub rows: u64,
    /// The sum of the prediction errors of these rows, each before the row was learned: mistakes, or squared errors in
    /// regression.
    pub error: f64,
    /// The value of [`KeyedModels::n_rows`](super::KeyedModels::n_rows) after the last row of the key; 0 before its first row. After an
    /// interrupted call it may be larger than `n_rows`, by at most the rows of this call.
    pub last_row: u64,
}

impl KeyCounts {
    pub(super) fn of(model: &Model, last_row: u64) -> Self {
        let Some(learner) = &model.trained else { return Self { last_row, ..Self::default() } };
        let counts = with_learner!(learner, learner => learner.counts());
        // One of the two is 0.
        Self { rows: counts.n_new, error: counts.mistakes as f64 + counts.squared_error, last_row }
    }
}
