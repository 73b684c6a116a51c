//! Checks that batches agree with earlier batches in schema and columns.

use super::KeyedModels;
use super::schema::{LabelType, Schema};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::learner::Rows;
use crate::model::{Batch, LearnerFloat, RawTargets};
use std::sync::Arc;

impl KeyedModels {
    /// Returns the schema of a batch. An error if it differs from earlier batches in float type, number of columns or
    /// label type.
    pub(super) fn check_schema<T: LearnerFloat>(
        &self,
        rows: &Rows<'_, T>,
        batch: &Batch<'_>,
    ) -> Result<Schema> {
        let labels = match batch.targets {
            RawTargets::Labels { classes: Some(_), .. } => {
                let reason = "pass classes to the template model instead: KeyedModels copies its classes";
                return Err(Error::State(reason.into()));
            }
            RawTargets::Labels { y, classes: None } => Some(LabelType::of(y)),
            RawTargets::Values(_) => None,
        };
        let schema = Schema { n_columns: rows.columns(), is_single: T::NAME == f32::NAME, labels };
        let Some(known) = self.schema else { return Ok(schema) };
        if known.is_single != schema.is_single {
            return Err(Error::shape("X", known.dtype(), schema.dtype()));
        }
        let hashes = self.template.spec.spec().hash_features.is_some();
        let may_grow = self.columns.as_ref().is_some_and(|columns| !columns.is_numeric());
        if known.n_columns != schema.n_columns && !hashes && !may_grow {
            let expected = format!("{} features, as the rows learned before", known.n_columns);
            return Err(Error::shape("X", expected, schema.n_columns));
        }
        // Specified classes also match equal labels of another type.
        if known.labels != schema.labels && self.template.classes.is_none() {
            return Err(Error::shape("y", "labels of one type for all keys", "a different type"));
        }
        Ok(schema)
    }

    /// Merges the columns of a batch into the columns of the models.
    pub(super) fn merge_columns(&self, columns: Option<&Arc<Columns>>) -> Result<Option<Arc<Columns>>> {
        let error =
            || Error::shape("X", "named columns in every batch or in no batch", "a batch of the other kind");
        match (&self.columns, columns) {
            (None, None) => Ok(None),
            (None, Some(_)) if self.schema.is_some() => Err(error()),
            (None, Some(columns)) => Ok(Some(Arc::clone(columns))),
            // Rows without column names, in the order of the features.
            (Some(known), None) => Ok(Some(Arc::clone(known))),
            (Some(known), Some(columns)) if self.has_columns(columns) => Ok(Some(Arc::clone(known))),
            (Some(known), Some(columns)) if known.is_prefix_of(columns) => Ok(Some(Arc::clone(columns))),
            (Some(_), Some(_)) => Err(error()),
        }
    }

    /// Adds the key to an error, unless the error names a file or a parameter.
    pub(super) fn with_key(&self, slot: u32, error: Error) -> Error {
        match (error, self.index.key_of(slot)) {
            (error @ (Error::Io { .. } | Error::ModelFile { .. }), _) | (error, None) => error,
            (error, Some(_)) if error.parameter_name().is_some() => error,
            (error, Some(key)) => Error::State(format!("key {key}: {error}").into()),
        }
    }
}
