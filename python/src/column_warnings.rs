//! Warnings about the values of columns: a value that repeats far outside the range of its feature, and text that should not
//! be categories.

use crate::array_input::{AnyRows, with_rows};
use crate::float_type::with_learner;
use crate::native_model::NativeModel;
use crate::shared_model::learner_of;
use budgetrs::columns::Columns;
use budgetrs::{Real, Rows};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::{Arc, Mutex};

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
            let is_new = self.warned_features.lock().is_ok_and(|mut warned| warned.insert(feature));
            if !is_new {
                continue;
            }
            let name = columns.as_ref().and_then(|columns| columns.column_of(feature));
            let name = match name {
                Some(name) => format!("{name:?}"),
                None => match self.feature_name(py, feature, value)? {
                    Some(name) => name,
                    None => continue,
                },
            };
            let (count, n_rows) =
                rows.map_or((0, 0), |rows| with_rows!(rows, rows => count(&rows, feature, value)));
            // Without an exact count, the votes are a lower bound.
            let is_exact = count >= votes as usize;
            let share = if is_exact { (count, n_rows as u64) } else { (votes as usize, n_seen) };
            found.push((name, value, share, is_exact));
        }
        if !found.is_empty() {
            py.import("budgetrs._repeated_values")?.call_method1("warn", (found,))?;
        }
        Ok(())
    }

    fn feature_name(&self, py: Python<'_>, feature: usize, value: f64) -> PyResult<Option<String>> {
        let name_feature =
            self.name_feature.lock().ok().and_then(|own| own.as_ref().map(|own| own.clone_ref(py)));
        name_feature
            .map_or_else(|| Ok(Some(feature.to_string())), |own| own.call1(py, (feature, value))?.extract(py))
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
        warn_of_suspicious(py, columns, seen + rows, &self.warned_columns)
    }
}

/// Warns of columns that should probably not be categorical after `rows` rows, except those `warned` of before.
pub(crate) fn warn_of_suspicious(
    py: Python<'_>,
    columns: &Columns,
    rows: u64,
    warned: &Mutex<BTreeSet<String>>,
) -> PyResult<()> {
    let known = warned.lock().map_or_else(|_| BTreeSet::new(), |warned| warned.clone());
    for (name, message) in columns.suspicious(rows, &known) {
        let message = CString::new(message).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
        if let Ok(mut warned) = warned.lock() {
            warned.insert(name.to_owned());
        }
    }
    Ok(())
}

/// The number of rows with this value of a feature, and of all rows.
fn count<T: Real>(rows: &Rows<'_, T>, feature: usize, value: f64) -> (usize, usize) {
    let is_it = |x: &T| x.to_f64() == value;
    let count = match rows {
        Rows::Dense(array) if feature < array.ncols() => {
            array.column(feature).iter().filter(|x| is_it(x)).count()
        }
        Rows::Dense(_) => 0,
        Rows::Sparse { indices, values, .. } => {
            let pairs = indices.iter().zip(*values);
            pairs.filter(|(index, x)| **index as usize == feature && is_it(x)).count()
        }
    };
    (count, rows.len())
}
