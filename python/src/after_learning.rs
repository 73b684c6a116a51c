//! The checks of a model before and after it learns rows.

use crate::array_input::AnyRows;
use crate::batch::{Errors, errors};
use crate::error::to_python;
use crate::float_type::{NumpyFloat, with_learner};
use crate::methods::typed_learner;
use crate::native_model::NativeModel;
use budgetrs::Rows;
use budgetrs::columns::Columns;
use pyo3::prelude::*;
use std::sync::Arc;

/// The smallest batch that is always checked.
const MIN_ROWS: usize = 30;
/// Smaller batches and single rows are checked whenever the number of rows has doubled, and once in this many rows.
const ROWS_PER_CHECK: u64 = 256;

/// Whether the model is to be checked after `rows` more rows, `n_seen` in all.
pub(crate) fn is_due(n_seen: u64, rows: usize) -> bool {
    let before = n_seen.saturating_sub(rows as u64);
    let has_doubled = n_seen.leading_zeros() < before.leading_zeros();
    rows >= MIN_ROWS || has_doubled || n_seen / ROWS_PER_CHECK > before / ROWS_PER_CHECK
}

impl NativeModel {
    /// Warns of columns that should probably not be categorical, before `rows` rows with these columns are learned.
    pub(crate) fn warn_of_categories(
        &self,
        py: Python<'_>,
        columns: Option<&Arc<Columns>>,
        rows: u64,
    ) -> PyResult<()> {
        let Some(columns) = columns.filter(|columns| columns.has_categorical()) else { return Ok(()) };
        let n_seen = self.shared.read_holding_gil(py, |model| {
            let is_done = model.has_columns(columns) || model.spec.spec().hash_features.is_some();
            let n_seen = model.learner().map_or(0, |any| with_learner!(any, l => l.counts().n_seen));
            Ok((!is_done).then_some(n_seen))
        })?;
        let Some(n_seen) = n_seen else { return Ok(()) };
        self.warnings.warn_of_categories(py, columns, n_seen + rows)
    }

    /// Warns after a batch was learned, or a single row, which is None. `middle` has the errors in the middle of a large
    /// batch.
    pub(crate) fn warn_after_learning(
        slf: &Bound<'_, Self>,
        rows: Option<AnyRows<'_>>,
        middle: Option<Errors>,
    ) -> PyResult<()> {
        let (this, py, n_rows) = (slf.get(), slf.py(), rows.map_or(1, AnyRows::len));
        let figures = this.shared.read_holding_gil(py, |model| {
            let Some(any) = model.learner() else { return Ok(None) };
            Ok(with_learner!(any, l => is_due(l.counts().n_seen, n_rows).then(|| {
                let outliers = this.warnings.new_outliers(model, rows);
                (model.open_classes, l.baselines().label_changes(), errors(l), outliers)
            })))
        })?;
        let Some((open_classes, label_changes, errors, outliers)) = figures else { return Ok(()) };
        let arguments = (slf, n_rows, open_classes, label_changes, errors, middle, outliers);
        this.warnings.checks(py)?.call_method1("after_learning", arguments).map(drop)
    }

    /// Warns if nearly all kernel values of a batch are 0 or 1.
    pub(crate) fn warn_of_kernel_values<T: NumpyFloat>(
        slf: &Bound<'_, Self>,
        rows: &Rows<'_, T>,
    ) -> PyResult<()> {
        let (this, py) = (slf.get(), slf.py());
        if rows.len() < MIN_ROWS {
            return Ok(());
        }
        let checks = this.warnings.checks(py)?;
        let order: Vec<usize> = checks.call_method1("kernel_sample", (slf, rows.len()))?.extract()?;
        if order.is_empty() {
            return Ok(());
        }
        let basis = this.shared.read(py, |model| {
            let learner = typed_learner::<T>(model)?;
            let values = learner.basis(rows, &order).map_err(to_python)?;
            Ok(T::matrix(values, [order.len(), learner.n_basis()]))
        })?;
        checks.call_method1("warn_of_basis", (slf, basis.into_array(py)?)).map(drop)
    }
}
