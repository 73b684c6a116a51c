//! The columns of a table in a call.

use super::Model;
use crate::columns::{Columns, Table};
use crate::error::{Error, Result};
use crate::params::CheckedSpec;
use std::sync::Arc;

/// What a call does with its rows.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// It learns them with these weights. New categories become features, with `add_features` also new columns.
    Learn {
        /// The weight of each row; `None` if all are 1.
        weights: Option<&'a [f64]>,
        /// Whether columns that the model does not have become features.
        add_features: bool,
    },
    /// It reads them.
    Predict,
}

impl CheckedSpec {
    /// The columns by which a table is aligned, with what it adds to the columns of a model, and whether the model has
    /// their names. If a model has learned rows without names, columns are matched by position. A category that has only
    /// rows of weight 0 is not added.
    ///
    /// # Errors
    /// If the table does not fit the columns, has a missing category that the model does not accept, or its names and
    /// categories are too long for a model file.
    pub fn columns_of(
        &self,
        table: &Table<'_>,
        (known, has_learned): (Option<&Arc<Columns>>, bool),
        purpose: Purpose<'_>,
    ) -> Result<(Arc<Columns>, bool)> {
        let (columns, has_names) = match (known, purpose) {
            (Some(columns), _) => (Arc::clone(columns), true),
            (None, Purpose::Learn { add_features: true, .. }) if !has_learned => (Arc::default(), true),
            (None, _) => {
                let columns = Columns::of(table);
                if has_learned && columns.has_categorical() {
                    let expected = "numbers, because the rows learned before had no column names";
                    return Err(Error::shape("X", expected, "categories"));
                }
                // Names too long for a model file are dropped, unless categories need them.
                let has_names = columns.has_categorical() || Model::check_columns(&columns).is_ok();
                (Arc::new(columns), has_names && !has_learned)
            }
        };
        if !self.accepts_nan() {
            columns.check_no_missing_categories(table)?;
        }
        let Purpose::Learn { weights, add_features } = purpose else { return Ok((columns, has_names)) };
        let Some(extended) = columns.extended_by(table, weights, add_features)? else {
            return Ok((columns, has_names));
        };
        Model::check_columns(&extended)?;
        Ok((Arc::new(extended), has_names))
    }
}
