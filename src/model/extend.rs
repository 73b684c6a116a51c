//! New columns, categories and features of a batch.

use super::any_learner::of_type;
use super::encode::EncodedTargets;
use super::{Batch, LearnerFloat, Model, with_learner};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::Rows;
use crate::params::Gamma;
use std::sync::Arc;

/// What a batch adds to a model before its rows are learned.
pub(super) struct Extension {
    /// The columns, extended by the batch; None for rows without names.
    columns: Option<Arc<Columns>>,
    features: usize,
}

impl Model {
    /// What the rows add to the model: the columns of the first table, new columns and categories, or with
    /// [`Batch::add_features`] further columns of rows without names. None if they add nothing.
    pub(super) fn extension<T: LearnerFloat>(
        &self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
    ) -> Result<Option<Extension>> {
        if let Some(columns) = columns {
            if self.has_columns(columns) {
                return Ok(None);
            }
            Self::check_columns(columns)?;
            let features = columns.n_features();
            return Ok(Some(Extension { columns: Some(Arc::clone(columns)), features }));
        }
        let Some(learner) = self.trained.as_ref().filter(|_| batch.add_features) else { return Ok(None) };
        let (n_features, is_hashed) =
            with_learner!(learner, learner => (learner.n_features(), learner.accepts_any_columns()));
        if is_hashed || rows.columns() <= n_features {
            return Ok(None);
        }
        if self.columns.is_some() {
            let expected =
                format!("{n_features} features, or a data frame: the columns of the model have names");
            return Err(Error::shape("X", expected, rows.columns()));
        }
        Ok(Some(Extension { columns: None, features: rows.columns() }))
    }

    /// Whether extending the model and then learning the rows cannot fail.
    pub(super) fn accepts_extended<T: LearnerFloat>(
        &self,
        extension: &Extension,
        rows: &Rows<'_, T>,
        batch: &Batch<'_>,
    ) -> bool {
        let Some(learner) = self.trained.as_ref().and_then(|learner| of_type::<T>(learner).ok()) else {
            return false;
        };
        let Ok(targets) = self.encode(rows, batch) else { return false };
        let is_open = matches!(targets, EncodedTargets::Open(_));
        batch.order.is_none()
            && rows.columns() == extension.features
            && learner.accepts_with_new_features(rows, targets.targets(), batch.weights, is_open)
    }

    /// A copy with the columns and features.
    pub(super) fn extended(&self, extension: &Extension) -> Result<Self> {
        let mut changed = self.clone();
        changed.extend(extension)?;
        Ok(changed)
    }

    /// Adds the columns and features. An error leaves the model as it was.
    pub(super) fn extend(&mut self, extension: &Extension) -> Result<()> {
        let before = extension.columns.as_ref().map(|columns| self.columns.replace(Arc::clone(columns)));
        // Gamma is kept rather than recomputed for the larger number of features.
        let keep_gamma = self.spec.spec().gamma == Gamma::Scale;
        self.add_features(extension.features, keep_gamma).map_err(|error| {
            if let Some(before) = before {
                self.columns = before;
            }
            let Some(columns) = &extension.columns else { return error };
            let name = columns.feature_names().pop().unwrap_or_default();
            Error::State(format!("X has the new feature {name:?}: {error}").into())
        })
    }
}
