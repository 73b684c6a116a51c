//! Warnings about values: one that repeats far outside the range of its feature, text that should not be categories, and
//! labels that look like numbers. `budgetrs._column_warnings` has the rules and the messages.

use crate::float_type::{NumpyFloat, with_learner};
use crate::native_model::NativeModel;
use crate::shared_model::learner_of;
use budgetrs::columns::{Columns, ManyCategories};
use budgetrs::{Classes, Rows};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const MODULE: &str = "budgetrs._column_warnings";
/// The number of categories or text labels from which they are examined.
const MANY: usize = 30;
/// The number of categories or labels that are examined.
const SAMPLE: usize = 200;
/// The number of rows from which a share is given.
const SHARE_ROWS: usize = 30;

/// The columns whose categories are examined.
pub(crate) fn many(columns: &Columns) -> Vec<ManyCategories<'_>> {
    columns.many_categories(MANY, SAMPLE)
}

impl NativeModel {
    /// Warns of values that repeat far outside the range of their feature, once per feature, after rows were learned.
    pub(crate) fn warn_of_repeated_outliers<T: NumpyFloat>(
        &self,
        py: Python<'_>,
        rows: &Rows<'_, T>,
    ) -> PyResult<()> {
        let (outliers, columns) = self.shared.read_holding_gil(py, |model| {
            let outliers =
                learner_of(model).map_or(Vec::new(), |any| with_learner!(any, l => l.repeated_outliers()));
            let is_hashed = model.spec.spec().hash_features.is_some();
            Ok((if is_hashed { Vec::new() } else { outliers }, model.columns.clone()))
        })?;
        for (feature, value) in outliers {
            let is_new = self.warned_features.lock().is_ok_and(|mut warned| warned.insert(feature));
            if !is_new {
                continue;
            }
            let name = columns.as_ref().and_then(|columns| columns.column_of(feature));
            let share = (rows.len() >= SHARE_ROWS && feature < rows.columns())
                .then(|| rows.count(feature, value) as f64 / rows.len() as f64);
            py.import(MODULE)?.call_method1("warn_of_outlier", (feature, name, value, share))?;
        }
        Ok(())
    }

    /// Warns of columns that should probably not be categorical, once per column, before `rows` rows with these columns are
    /// learned.
    pub(crate) fn warn_of_categories(
        &self,
        py: Python<'_>,
        columns: Option<&Arc<Columns>>,
        rows: u64,
    ) -> PyResult<()> {
        let Some(columns) = columns.filter(|columns| columns.has_categorical()) else { return Ok(()) };
        let (is_known, is_hashed, seen) = self.shared.read_holding_gil(py, |model| {
            let seen = model.learner().map_or(0, |any| with_learner!(any, l => l.counts().n_seen));
            Ok((model.has_columns(columns), model.spec.spec().hash_features.is_some(), seen))
        })?;
        if is_known || is_hashed {
            return Ok(());
        }
        for column in many(columns) {
            let is_warned = self.warned_columns.lock().is_ok_and(|warned| warned.contains(column.name));
            if is_warned {
                continue;
            }
            let arguments = (column.name, column.sample, column.count, seen + rows);
            let warned: bool = py.import(MODULE)?.call_method1("warn_of_categories", arguments)?.extract()?;
            if warned && let Ok(mut names) = self.warned_columns.lock() {
                names.insert(column.name.to_owned());
            }
        }
        Ok(())
    }

    /// Warns once of many text labels that look like numbers or dates, unless the classes were given.
    pub(crate) fn warn_of_labels(&self, py: Python<'_>) -> PyResult<()> {
        if self.has_checked_labels.load(Ordering::Relaxed) {
            return Ok(());
        }
        let found = self.shared.read_holding_gil(py, |model| match &model.classes {
            Some(Classes::Text(labels)) if model.open_classes && labels.len() >= MANY => {
                Ok(Some((labels.iter().take(SAMPLE).cloned().collect::<Vec<_>>(), labels.len())))
            }
            _ => Ok(None),
        })?;
        let Some(found) = found else { return Ok(()) };
        self.has_checked_labels.store(true, Ordering::Relaxed);
        py.import(MODULE)?.call_method1("warn_of_labels", found).map(drop)
    }
}
