//! Warnings about values: one that repeats far outside the range of its feature, text that should not be categories, and
//! labels that look like numbers. `budgetrs._column_warnings` has the rules and the messages.

use crate::array_input::{AnyRows, with_rows};
use crate::float_type::with_learner;
use crate::native_model::NativeModel;
use crate::shared_model::learner_of;
use budgetrs::Classes;
use budgetrs::columns::{Columns, ManyCategories};
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

const MODULE: &str = "budgetrs._column_warnings";
/// The number of categories or text labels from which they are examined.
const MANY: usize = 30;
/// The number of categories or labels that are examined.
const SAMPLE: usize = 200;

/// The columns whose categories are examined.
pub(crate) fn many(columns: &Columns) -> Vec<ManyCategories<'_>> {
    columns.many_categories(MANY, SAMPLE)
}

/// A feature without a column in a warning.
enum Feature {
    Named(String),
    Numbered,
    /// No warning: the value is no sign of missing values.
    Ignored,
}

impl NativeModel {
    /// Warns of values that repeat far outside the range of their feature, once per feature, after these rows were learned;
    /// None for a single row.
    pub(crate) fn warn_of_repeated_outliers(
        &self,
        py: Python<'_>,
        rows: Option<AnyRows<'_>>,
    ) -> PyResult<()> {
        let (outliers, n_seen, columns) = self.shared.read_holding_gil(py, |model| {
            if model.spec.spec().hash_features.is_some() {
                return Ok((Vec::new(), 0, None));
            }
            let (outliers, n_seen) = learner_of(model).map_or(
                (Vec::new(), 0),
                |any| with_learner!(any, l => (l.repeated_outliers(), l.counts().n_seen)),
            );
            let columns = if outliers.is_empty() { None } else { model.columns.clone() };
            Ok((outliers, n_seen, columns))
        })?;
        let mut found = Vec::new();
        for (feature, value, votes) in outliers {
            let is_new = self.warnings.features.lock().is_ok_and(|mut warned| warned.insert(feature));
            if !is_new {
                continue;
            }
            let name = columns.as_ref().and_then(|columns| columns.column_of(feature));
            let name = match name {
                Some(name) => Some(format!("{name:?}")),
                None => match self.feature_name(py, feature, value)? {
                    Feature::Named(name) => Some(name),
                    Feature::Numbered => None,
                    Feature::Ignored => continue,
                },
            };
            let (count, n_rows) = rows.map_or((0, 0), |rows| {
                let is_known = feature < rows.n_features();
                let count = if is_known { with_rows!(rows, rows => rows.count(feature, value)) } else { 0 };
                (count, rows.len())
            });
            // Without an exact count, the votes are a lower bound.
            let is_exact = count >= votes as usize;
            let share = if is_exact { (count, n_rows as u64) } else { (votes as usize, n_seen) };
            found.push((feature, name, value, share, is_exact));
        }
        if !found.is_empty() {
            py.import(MODULE)?.call_method1("warn_of_repeated_values", (found,))?;
        }
        Ok(())
    }

    /// The name of a feature without a column, if the interface names its features.
    fn feature_name(&self, py: Python<'_>, feature: usize, value: f64) -> PyResult<Feature> {
        let own =
            self.warnings.name_feature.lock().ok().and_then(|own| own.as_ref().map(|own| own.clone_ref(py)));
        let Some(own) = own else { return Ok(Feature::Numbered) };
        let name: Option<String> = own.call1(py, (feature, value))?.extract(py)?;
        Ok(name.map_or(Feature::Ignored, Feature::Named))
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
        warn_of_categories(py, columns, seen + rows, &self.warnings.columns)
    }

    /// Warns once of many text labels that look like numbers or dates, unless the classes were given.
    pub(crate) fn warn_of_labels(&self, py: Python<'_>) -> PyResult<()> {
        if self.warnings.has_checked_labels.load(Ordering::Relaxed) {
            return Ok(());
        }
        let found = self.shared.read_holding_gil(py, |model| match &model.classes {
            Some(Classes::Text(labels)) if model.open_classes && labels.len() >= MANY => {
                Ok(Some((labels.iter().take(SAMPLE).cloned().collect::<Vec<_>>(), labels.len())))
            }
            _ => Ok(None),
        })?;
        let Some(found) = found else { return Ok(()) };
        self.warnings.has_checked_labels.store(true, Ordering::Relaxed);
        py.import(MODULE)?.call_method1("warn_of_labels", found).map(drop)
    }
}

/// Warns of columns that should probably not be categorical after `rows` rows, except those `warned` of before.
pub(crate) fn warn_of_categories(
    py: Python<'_>,
    columns: &Columns,
    rows: u64,
    warned: &Mutex<BTreeSet<String>>,
) -> PyResult<()> {
    for column in many(columns) {
        if warned.lock().is_ok_and(|warned| warned.contains(column.name)) {
            continue;
        }
        let arguments = (column.name, column.sample, column.count, rows);
        let has_warned: bool = py.import(MODULE)?.call_method1("warn_of_categories", arguments)?.extract()?;
        if has_warned && let Ok(mut warned) = warned.lock() {
            warned.insert(column.name.to_owned());
        }
    }
    Ok(())
}
