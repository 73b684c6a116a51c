//! Warnings about values: one that repeats far outside the range of its feature, text that should not be categories, a
//! column that counts the rows, labels that look like numbers, labels in long runs, and targets that the previous target
//! predicts much better than the model. `budgetrs._column_warnings` has the messages and most rules.

use crate::array_input::{AnyRows, with_rows};
use crate::float_type::with_learner;
use crate::native_model::NativeModel;
use crate::shared_model::learner_of;
use crate::squared_errors::SquaredErrors;
use budgetrs::columns::{Columns, ManyCategories, Table};
use budgetrs::{Classes, Task};
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

const MODULE: &str = "budgetrs._column_warnings";
/// The number of categories or text labels from which they are examined.
const MANY: usize = 30;
/// The number of rows from which unseen categories are counted.
const MIN_ROWS_OF_UNSEEN: usize = 30;
/// The number of rows from which the order of the labels is examined.
const MIN_ROWS_OF_RUNS: u64 = 64;
/// Labels come in long runs if rows in random order would have at least this many changes of the label, and this factor
/// times as many changes.
const MIN_CHANGES: f64 = 20.0;
const FACTOR_OF_RUNS: f64 = 10.0;
/// The number of categories or labels that are examined.
const SAMPLE: usize = 200;

/// The columns whose categories are examined.
pub(crate) fn many(columns: &Columns) -> Vec<ManyCategories<'_>> {
    columns.many_categories(MANY, SAMPLE)
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
            if value == 0.0 && columns.as_ref().is_some_and(|columns| columns.accepts_others()) {
                // The value of a column that a row lacks.
                continue;
            }
            let name = columns.as_ref().and_then(|columns| columns.column_of(feature));
            let name = name.map(|name| format!("{name:?}"));
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

    /// Warns once of many labels that look like numbers or dates, unless the classes were given: text, or mostly different
    /// fractions, which raise an error in a batch.
    pub(crate) fn warn_of_labels(&self, py: Python<'_>) -> PyResult<()> {
        if self.warnings.has_checked_labels.load(Ordering::Relaxed) {
            return Ok(());
        }
        let found = self.shared.read_holding_gil(py, |model| {
            Ok(match &model.classes {
                Some(Classes::Text(labels)) if model.open_classes && labels.len() >= MANY => {
                    Some(Labels::Text(labels.iter().take(SAMPLE).cloned().collect(), labels.len()))
                }
                Some(Classes::Float(labels)) if model.open_classes => {
                    let rows = with_learner!(learner_of(model)?, l => l.counts().n_seen);
                    let mut fractions = labels.iter().filter(|label| label.fract() != 0.0);
                    let (first, others) = (fractions.next().copied(), fractions.count());
                    first
                        .filter(|_| rows >= MANY as u64 && 2 * (others as u64 + 1) > rows)
                        .map(|first| Labels::Fractions(first, others + 1, rows))
                }
                _ => None,
            })
        })?;
        let Some(found) = found else { return Ok(()) };
        self.warnings.has_checked_labels.store(true, Ordering::Relaxed);
        let module = py.import(MODULE)?;
        match found {
            Labels::Text(sample, count) => module.call_method1("warn_of_labels", (sample, count)),
            Labels::Fractions(first, count, rows) => {
                module.call_method1("warn_of_fractions", (first, count, rows))
            }
        }
        .map(drop)
    }

    /// Warns once of labels in runs far longer than in random order, after `rows` rows were learned: at the end of large
    /// batches, and as often as the number of rows doubles.
    pub(crate) fn warn_of_runs(&self, py: Python<'_>, rows: u64) -> PyResult<()> {
        if self.warnings.has_warned_of_runs.load(Ordering::Relaxed) {
            return Ok(());
        }
        let found = self.shared.read_holding_gil(py, |model| {
            let Some(any) = model.learner() else { return Ok(None) };
            Ok(with_learner!(any, l => {
                let n_new = l.counts().n_new;
                let has_doubled = || n_new.ilog2() > n_new.saturating_sub(rows).max(1).ilog2();
                let is_due = n_new >= MIN_ROWS_OF_RUNS && (rows >= MIN_ROWS_OF_RUNS || has_doubled());
                let changes = if is_due { l.baselines().label_changes() } else { None };
                changes.map(|(changes, expected)| (changes, expected, n_new))
            }))
        })?;
        let Some((changes, expected, n_new)) = found else { return Ok(()) };
        if expected < MIN_CHANGES || FACTOR_OF_RUNS * changes >= expected {
            return Ok(());
        }
        self.warnings.has_warned_of_runs.store(true, Ordering::Relaxed);
        py.import(MODULE)?.call_method1("warn_of_runs", (changes as u64, n_new, expected)).map(drop)
    }

    /// Warns once of targets that the previous target predicts much better than the model, after rows were learned.
    /// `middle` has the errors in the middle of a large batch.
    pub(crate) fn warn_of_previous_target(
        &self,
        py: Python<'_>,
        middle: Option<SquaredErrors>,
    ) -> PyResult<()> {
        let now = self.shared.read_holding_gil(py, |model| {
            let Some(any) = model.learner() else { return Ok(None) };
            Ok(with_learner!(any, l => {
                (l.task() == Task::Regression).then(|| SquaredErrors::new(l.counts(), l.baselines()))
            }))
        })?;
        let found = now.and_then(|now| {
            let mut compared = self.warnings.compared.lock().ok()?;
            let found = now.compare(compared.as_mut()?, middle)?;
            *compared = None;
            Some(found)
        });
        let Some(found) = found else { return Ok(()) };
        py.import(MODULE)?.call_method1("warn_of_previous_target", found).map(drop)
    }
}

/// Labels that look like numbers.
enum Labels {
    /// Some of the labels, and their number.
    Text(Vec<String>, usize),
    /// A fraction, the number of different fractions, and the number of rows.
    Fractions(f64, usize, u64),
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
        let outcome = py.import(MODULE)?.call_method1("warn_of_categories", arguments);
        // A warning that is raised as an error is not raised again.
        let has_warned = match &outcome {
            Ok(has_warned) => has_warned.extract()?,
            Err(_) => true,
        };
        if has_warned && let Ok(mut warned) = warned.lock() {
            warned.insert(column.name.to_owned());
        }
        outcome?;
    }
    Ok(())
}

/// Warns of a first column that counts the rows of the first table.
pub(crate) fn warn_of_index(name: &str, column: &Bound<'_, PyAny>) -> PyResult<()> {
    column.py().import(MODULE)?.call_method1("warn_of_index", (name, column)).map(drop)
}

/// Warns of columns of a table with mostly unseen categories, except those `warned` of before.
pub(crate) fn warn_of_unseen(
    py: Python<'_>,
    columns: &Columns,
    table: &Table<'_>,
    warned: &Mutex<BTreeSet<String>>,
) -> PyResult<()> {
    if table.n_rows() < MIN_ROWS_OF_UNSEEN || !columns.has_categorical() {
        return Ok(());
    }
    let is_warned = |name: &str| warned.lock().is_ok_and(|warned| warned.contains(name));
    for found in columns.unseen_categories(table, is_warned) {
        if let Ok(mut warned) = warned.lock() {
            warned.insert(found.name.to_owned());
        }
        let counts = (found.rows, table.n_rows());
        let arguments = (found.name, found.unseen, found.nearest, found.known, counts);
        py.import(MODULE)?.call_method1("warn_of_unseen", arguments)?;
    }
    Ok(())
}
