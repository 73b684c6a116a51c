//! The terms of the scores of a row, by column.

use super::any_learner::of_type;
use super::{LearnerFloat, Model};
use crate::error::{Error, Result};
use crate::learner::{Explanation, Rows};

impl Model {
    /// The terms that sum to the scores of the first row. If the columns have names, the linear terms are sums over the
    /// features of each column, except with `hash_features`.
    ///
    /// # Errors
    /// If the model has not learned any rows, and as
    /// [`Learner::decision_function`](crate::learner::Learner::decision_function).
    pub fn explain<T: LearnerFloat>(&self, rows: &Rows<'_, T>) -> Result<Explanation> {
        let missing = || Error::State("the model has not learned any rows".into());
        let learner = of_type::<T>(self.trained.as_ref().ok_or_else(missing)?)?;
        let mut terms = learner.explain(rows).map_err(|error| self.with_column_name(error))?;
        let columns = self.columns.as_ref().filter(|_| self.spec.spec().hash_features.is_none());
        if let Some(columns) = columns {
            terms.linear = columns.sums_by_column(&terms.linear, learner.n_outputs());
            terms.columns = Some(columns.names().map(str::to_owned).collect());
        }
        Ok(terms)
    }
}
