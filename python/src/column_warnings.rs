//! Warnings about the values of columns: a value that repeats far outside the range of its feature, and text that should not
//! be categories.

use crate::float_type::with_learner;
use crate::native_model::NativeModel;
use crate::shared_model::learner_of;
use budgetrs::columns::Columns;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::Arc;

impl NativeModel {
    /// Warns of values that repeat far outside the range of their feature, once per feature.
    pub(crate) fn warn_of_repeated_outliers(&self, py: Python<'_>) -> PyResult<()> {
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
            let name = name.map_or_else(|| feature.to_string(), |name| format!("{name:?}"));
            let message = format!(
                "value {value} repeats far outside the range of feature {name} and is treated as missing; if it \
                 marks missing values: missing_values={value}"
            );
            let message = CString::new(message).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
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
        let warned = self.warned_columns.lock().map_or_else(|_| BTreeSet::new(), |warned| warned.clone());
        for (name, message) in columns.suspicious(seen + rows, &warned) {
            let message = CString::new(message).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
            if let Ok(mut warned) = self.warned_columns.lock() {
                warned.insert(name.to_owned());
            }
        }
        Ok(())
    }
}
