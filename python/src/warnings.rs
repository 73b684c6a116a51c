//! Warnings about the rows that a model learns or predicts, each raised once: values that repeat far outside the range of
//! their feature, columns that should not be categorical or count the rows, unseen categories, labels that look like
//! numbers or come in long runs, and targets that the previous target predicts much better than the model.
//! `budgetrs._column_warnings` has the messages and most rules.

use crate::array_input::{AnyRows, with_rows};
use crate::float_type::with_learner;
use crate::shared_model::{SharedModel, learner_of};
use crate::squared_errors::SquaredErrors;
use budgetrs::columns::{Columns, ManyCategories, Table};
use budgetrs::{Classes, Task};
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::Mutex;

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

/// What a warning is about.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// A value that repeats far outside the range of this feature.
    RepeatedValue(usize),
    /// The number of categories of this column.
    Categories(String),
    /// Unseen categories of this column.
    UnseenCategories(String),
    Labels,
    /// The order of the labels.
    Runs,
    /// The kernel values of rows.
    KernelValues,
}

/// The warnings that a model has raised.
pub(crate) struct Warnings {
    /// What needs no check any more.
    done: Mutex<BTreeSet<Subject>>,
    /// The errors from which the model is compared with the previous target; None after the warning.
    compared: Mutex<Option<SquaredErrors>>,
}

impl Default for Warnings {
    fn default() -> Self {
        Self { done: Mutex::default(), compared: Mutex::new(Some(SquaredErrors::default())) }
    }
}

impl Warnings {
    /// Leaves out the checks of the labels, their order, the targets and the kernel values: for a model that was read.
    pub(crate) fn leave_first_checks(&self) {
        for subject in [Subject::Labels, Subject::Runs, Subject::KernelValues] {
            self.set_done(subject);
        }
        if let Ok(mut compared) = self.compared.lock() {
            *compared = None;
        }
    }

    pub(crate) fn is_done(&self, subject: &Subject) -> bool {
        self.done.lock().is_ok_and(|done| done.contains(subject))
    }

    /// Returns whether the check was not done before.
    pub(crate) fn set_done(&self, subject: Subject) -> bool {
        self.done.lock().is_ok_and(|mut done| done.insert(subject))
    }

    /// Warns after these rows were learned; None for a single row. `middle` has the errors in the middle of a large batch.
    pub(crate) fn after_learning(
        &self,
        py: Python<'_>,
        model: &SharedModel,
        rows: Option<AnyRows<'_>>,
        middle: Option<SquaredErrors>,
    ) -> PyResult<()> {
        self.warn_of_repeated_outliers(py, model, rows)?;
        self.warn_of_runs(py, model, rows.map_or(1, AnyRows::len) as u64)?;
        self.warn_of_previous_target(py, model, middle)
    }

    /// Warns of values that repeat far outside the range of their feature.
    fn warn_of_repeated_outliers(
        &self,
        py: Python<'_>,
        model: &SharedModel,
        rows: Option<AnyRows<'_>>,
    ) -> PyResult<()> {
        let (outliers, n_seen, columns) = model.read_holding_gil(py, |model| {
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
            if !self.set_done(Subject::RepeatedValue(feature)) {
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

    /// Warns of columns that should probably not be categorical after `rows` rows.
    pub(crate) fn warn_of_categories(&self, py: Python<'_>, columns: &Columns, rows: u64) -> PyResult<()> {
        for column in many(columns) {
            let subject = Subject::Categories(column.name.to_owned());
            if self.is_done(&subject) {
                continue;
            }
            let arguments = (column.name, column.sample, column.count, rows);
            let outcome = py.import(MODULE)?.call_method1("warn_of_categories", arguments);
            // A warning that is raised as an error is not raised again.
            let has_warned = outcome.as_ref().map_or(Ok(true), pyo3::types::PyAnyMethods::extract)?;
            if has_warned {
                self.set_done(subject);
            }
            outcome?;
        }
        Ok(())
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
        let is_done = |name: &str| self.is_done(&Subject::UnseenCategories(name.to_owned()));
        for found in columns.unseen_categories(table, is_done) {
            self.set_done(Subject::UnseenCategories(found.name.to_owned()));
            let counts = (found.rows, table.n_rows());
            let arguments = (found.name, found.unseen, found.nearest, found.known, counts);
            py.import(MODULE)?.call_method1("warn_of_unseen", arguments)?;
        }
        Ok(())
    }

    /// Warns of many labels that look like numbers or dates, unless the classes were given: text, or mostly different
    /// fractions, which raise an error in a batch.
    pub(crate) fn warn_of_labels(&self, py: Python<'_>, model: &SharedModel) -> PyResult<()> {
        if self.is_done(&Subject::Labels) {
            return Ok(());
        }
        let found = model.read_holding_gil(py, |model| {
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
        self.set_done(Subject::Labels);
        let module = py.import(MODULE)?;
        match found {
            Labels::Text(sample, count) => module.call_method1("warn_of_labels", (sample, count)),
            Labels::Fractions(first, count, rows) => {
                module.call_method1("warn_of_fractions", (first, count, rows))
            }
        }
        .map(drop)
    }

    /// Warns of labels in runs far longer than in random order, after `rows` rows were learned: at the end of large
    /// batches, and as often as the number of rows doubles.
    fn warn_of_runs(&self, py: Python<'_>, model: &SharedModel, rows: u64) -> PyResult<()> {
        if self.is_done(&Subject::Runs) {
            return Ok(());
        }
        let found = model.read_holding_gil(py, |model| {
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
        self.set_done(Subject::Runs);
        py.import(MODULE)?.call_method1("warn_of_runs", (changes as u64, n_new, expected)).map(drop)
    }

    /// Warns of targets that the previous target predicts much better than the model.
    fn warn_of_previous_target(
        &self,
        py: Python<'_>,
        model: &SharedModel,
        middle: Option<SquaredErrors>,
    ) -> PyResult<()> {
        let now = model.read_holding_gil(py, |model| {
            let Some(any) = model.learner() else { return Ok(None) };
            Ok(with_learner!(any, l => {
                (l.task() == Task::Regression).then(|| SquaredErrors::new(l.counts(), l.baselines()))
            }))
        })?;
        let found = now.and_then(|now| {
            let mut compared = self.compared.lock().ok()?;
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

/// Warns of a first column that counts the rows of the first table.
pub(crate) fn warn_of_index(name: &str, column: &Bound<'_, PyAny>) -> PyResult<()> {
    column.py().import(MODULE)?.call_method1("warn_of_index", (name, column)).map(drop)
}
