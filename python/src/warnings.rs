//! Warnings about the rows that a model learns or predicts, each raised once. `budgetrs._column_warnings` has the rules
//! and the messages, and gets the figures from here.

use crate::array_input::{AnyRows, with_rows};
use crate::float_type::with_learner;
use budgetrs::columns::{Columns, Table};
use budgetrs::model::{AnyLearner, Model};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::collections::{BTreeSet, HashSet};
use std::sync::Mutex;

const MODULE: &str = "budgetrs._column_warnings";
/// The number of categories from which they are examined.
const MANY: usize = 30;
/// The number of categories that are examined.
const SAMPLE: usize = 200;
/// The number of rows from which unseen categories are counted.
const MIN_ROWS_OF_UNSEEN: usize = 30;

/// The warnings that a model has raised.
pub(crate) struct Warnings {
    checks: PyOnceLock<Py<PyAny>>,
    /// The features with a value that repeats far outside their range.
    outliers: Mutex<BTreeSet<usize>>,
}

impl Default for Warnings {
    fn default() -> Self {
        Self { checks: PyOnceLock::new(), outliers: Mutex::default() }
    }
}

/// A feature with a value that repeats far outside its range: its number, the name of its column, the value, the smallest
/// number of rows that have the value, and how many rows of the batch have it.
pub(crate) type Outlier = (usize, Option<String>, f64, u32, usize);

impl Warnings {
    /// The object of Python that raises the warnings.
    pub(crate) fn checks<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        let new = || Ok(py.import(MODULE)?.getattr("Checks")?.call0()?.unbind());
        self.checks.get_or_try_init(py, new).map(|checks| checks.bind(py))
    }

    /// Leaves out the checks of a first batch: for a model that was read.
    pub(crate) fn leave_first_checks(&self, py: Python<'_>) -> PyResult<()> {
        self.checks(py)?.call_method0("leave_first").map(drop)
    }

    /// Warns of columns that should probably not be categorical after `rows` rows.
    pub(crate) fn warn_of_categories(&self, py: Python<'_>, columns: &Columns, rows: u64) -> PyResult<()> {
        let many = columns.many_categories(MANY, SAMPLE);
        let many: Vec<_> =
            many.into_iter().map(|column| (column.name, column.sample, column.count)).collect();
        if many.is_empty() {
            return Ok(());
        }
        self.checks(py)?.call_method1("warn_of_categories", (many, rows)).map(drop)
    }

    /// Warns of columns of a table with mostly unseen categories.
    pub(crate) fn warn_of_unseen(
        &self,
        py: Python<'_>,
        columns: &Columns,
        table: &Table<'_>,
    ) -> PyResult<()> {
        if table.n_rows() < MIN_ROWS_OF_UNSEEN || !columns.has_categorical() {
            return Ok(());
        }
        let done: HashSet<String> = self.checks(py)?.getattr("unseen")?.extract()?;
        for found in columns.unseen_categories(table, |name| done.contains(name)) {
            let arguments =
                (found.name, found.unseen, found.nearest, found.known, (found.rows, table.n_rows()));
            self.checks(py)?.call_method1("warn_of_unseen", arguments)?;
        }
        Ok(())
    }

    /// The outliers that were not returned before. A batch with many rows tells how many of them have the value.
    pub(crate) fn new_outliers(&self, model: &Model, rows: Option<AnyRows<'_>>) -> Vec<Outlier> {
        let is_hashed = model.spec.spec().hash_features.is_some();
        let learner = model.learner().filter(|_| !is_hashed);
        let found =
            learner.map_or(Vec::new(), |any: &AnyLearner| with_learner!(any, l => l.repeated_outliers()));
        let Ok(mut known) = self.outliers.lock() else { return Vec::new() };
        let columns = model.columns.as_ref();
        // Zero may be the value of a column that a row lacks.
        let is_absent = |value| value == 0.0 && columns.is_some_and(|columns| columns.accepts_others());
        let new =
            found.into_iter().filter(|(feature, value, _)| known.insert(*feature) && !is_absent(*value));
        new.map(|(feature, value, votes)| {
            let name = columns.and_then(|columns| columns.column_of(feature)).map(str::to_owned);
            let rows = rows.filter(|rows| feature < rows.n_features());
            let count = rows.map_or(0, |rows| with_rows!(rows, rows => rows.count(feature, value)));
            (feature, name, value, votes, count)
        })
        .collect()
    }
}

/// Warns of a first column that counts the rows of the first table.
pub(crate) fn warn_of_index(name: &str, column: &Bound<'_, PyAny>) -> PyResult<()> {
    column.py().import(MODULE)?.call_method1("warn_of_index", (name, column)).map(drop)
}
