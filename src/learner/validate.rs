//! Checks of a whole batch before the first row is learned.

use super::{Learner, Rows, Targets};
use crate::batch::Task;
use crate::count::{MAX_COUNT, MAX_WEIGHT};
use crate::error::{Error, Result};
use crate::float::{Real, max};
use crate::input::{Bandwidth, RowBuffers};
use crate::kernel::AnyKernel;
use crate::ops::starts_block;

#[cfg(test)]
thread_local! {
    /// The number of checks of rows' values in this thread.
    pub(super) static CHECKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// What rows are checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckedFor {
    /// The rows will be learned: gamma and the statistics of the input change from row to row, as in training.
    Learning,
    /// The rows will be scored by the present model.
    Scoring,
}

impl<T: Real> Learner<T> {
    /// Checks a batch before it is learned. The rows must have the model's number of features (with `hash_features`:
    /// any number of columns), the classes must be known, the weights must lie from 0 to 1e9, and the values must be
    /// finite (or NaN, if NaN is a missing value).
    ///
    /// No row may be so large that its scores could overflow. For a row `x` of weight `w`, the norm and `max(1, w)^2
    /// k(x, x)` must not exceed 1e28 in `f32`, 1e140 in `f64`. The norm is `|x|^2` of the standardised row, or `|x|_1`
    /// for a kernel of absolute differences. Rows of weight 0 are skipped and may have any norm. With `hash_features`
    /// the hashed row is checked. With balanced classes, w is the upper bound of the balanced weight.
    ///
    /// # Errors
    /// The first invalid row, target or weight.
    pub fn validate(&self, rows: &Rows<'_, T>, targets: Targets<'_>, weights: Option<&[f64]>) -> Result<()> {
        self.check_for_task(self.progress.task, rows, targets, weights)
    }

    /// [`Learner::validate`] for a model of another task.
    pub(super) fn check_for_task(
        &self,
        task: Task,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
    ) -> Result<()> {
        self.check_shape(rows)?;
        self.check_count(rows.len())?;
        targets.check(rows.len(), task)?;
        check_weights(rows.len(), weights)?;
        self.check_values(rows, weights, CheckedFor::Learning)
    }

    /// Whether rows with features that the model does not have yet are valid without doubt, so that adding
    /// the features to the model and then learning the rows cannot fail. False also where the answer needs a
    /// model with the features.
    pub(crate) fn accepts_with_new_features(
        &self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        is_open: bool,
    ) -> bool {
        let task = if is_open { self.task_after(targets) } else { Ok(self.progress.task) };
        self.progress.counts.n_seen > 0
            && !self.input.has_given_scaling()
            && rows.columns() >= self.expansion.features()
            && rows.check_shape(rows.columns()).is_ok()
            && self.check_count(rows.len()).is_ok()
            && task.is_ok_and(|task| {
                targets.check(rows.len(), task).is_ok()
                    && self.spec.check_size::<T>(rows.columns(), task).is_ok()
            })
            && check_weights(rows.len(), weights).is_ok()
            && self.are_bounded(rows, weights, CheckedFor::Learning)
    }

    /// Checks that the counters can count `rows` more rows.
    pub(super) fn check_count(&self, rows: usize) -> Result<()> {
        let n_seen = self.progress.counts.n_seen;
        if n_seen.saturating_add(rows as u64) <= MAX_COUNT {
            return Ok(());
        }
        let expected = format!("rows up to number {MAX_COUNT}");
        Err(Error::shape("X", expected, format!("{rows} more after {n_seen}")))
    }

    /// Whether rows of a valid shape, with valid weights, have values that may be learned.
    pub(super) fn accepts_values(&self, rows: &Rows<'_, T>, weights: Option<&[f64]>) -> bool {
        self.check_values(rows, weights, CheckedFor::Learning).is_ok()
    }

    /// Checks rows before they are scored.
    pub(super) fn check_for_scoring(&self, rows: &Rows<'_, T>) -> Result<()> {
        self.check_shape(rows)?;
        self.check_values(rows, None, CheckedFor::Scoring)
    }

    /// Checks the number of columns, and the structure of sparse rows.
    fn check_shape(&self, rows: &Rows<'_, T>) -> Result<()> {
        let any_columns = self.input.accepts_any_columns();
        rows.check_shape(if any_columns { rows.columns() } else { self.expansion.features() })
    }

    /// Checks that all values are finite and no row is too large: all rows at once if possible, else row by row.
    fn check_values(&self, rows: &Rows<'_, T>, weights: Option<&[f64]>, purpose: CheckedFor) -> Result<()> {
        #[cfg(test)]
        CHECKS.set(CHECKS.get() + 1);
        if self.are_bounded(rows, weights, purpose) {
            return Ok(());
        }
        self.check_row_by_row(rows, weights, (purpose, false), 0..rows.len())
    }

    /// Checks rows again in the order in which they are learned, if that decides whether they are valid: a standardised
    /// row depends on the rows before it, and the kernel values of the kernels poly and linear are not bounded.
    pub(super) fn check_in_order(
        &self,
        rows: &Rows<'_, T>,
        weights: Option<&[f64]>,
        order: Option<&[usize]>,
    ) -> Result<()> {
        if self.expansion.kernel().has_bounded_diag::<T>() || !self.input.makes_dense() {
            return Ok(());
        }
        let purpose = (CheckedFor::Learning, self.progress.repeated);
        match order {
            Some(order) => self.check_row_by_row(rows, weights, purpose, order.iter().copied()),
            None => self.check_row_by_row(rows, weights, purpose, 0..rows.len()),
        }
    }

    /// The fast check of all rows at once, of at least as many features as the model has; false where rows must be
    /// checked one by one.
    fn are_bounded(&self, rows: &Rows<'_, T>, weights: Option<&[f64]>, purpose: CheckedFor) -> bool {
        let max_weight = weights.into_iter().flatten().fold(1.0, |max_weight, &w| max(max_weight, w));
        let max_weight = self.max_weight(max_weight, purpose);
        let max_stat = self.expansion.kernel().max_row_stat(T::MAX_SQ_NORM / (2.0 * max_weight * max_weight));
        let allowed = self.max_squared_norm(max_weight);
        // The factors 2 and 4 are allowances for rounding, so that this fast check never accepts a batch that the exact
        // check rejects. A sparse row without stored values satisfies every bound. No row satisfies a negative or NaN
        // bound, so the exact check reports it.
        let bounds_are_valid = [max_stat, allowed].iter().all(|bound| *bound >= 0.0);
        let max_squared_norm = max_stat.min(T::MAX_SQ_NORM).min(allowed) / 4.0;
        let features =
            if self.input.accepts_any_columns() { self.expansion.features() } else { rows.columns() };
        let bound = T::from_f64(max_squared_norm / features as f64);
        let gamma_is_final = purpose == CheckedFor::Scoring || self.input.has_final_gamma();
        let bounds_are_final = gamma_is_final || max_stat == f64::INFINITY;
        bounds_are_valid
            && bounds_are_final
            && !self.input.row_transform().rejects_numbers()
            && self.input.are_bounded(rows, max_squared_norm, bound)
    }

    /// The largest weight with which a row of this weight may be learned.
    fn max_weight(&self, weight: f64, purpose: CheckedFor) -> f64 {
        match purpose {
            CheckedFor::Learning => self.progress.max_weight(weight),
            CheckedFor::Scoring => weight,
        }
    }

    /// The largest `|x|^2` of a row of this weight for which neither metric nor linear term overflow.
    fn max_squared_norm(&self, weight: f64) -> f64 {
        let rate = self.expansion.max_linear_rate();
        let linear =
            if rate > 0.0 { T::MAX_SQ_NORM / (4.0 * rate * weight * weight) - 1.0 } else { f64::INFINITY };
        linear.min(self.input.max_squared_norm(T::MAX_SQ_NORM))
    }

    /// The exact check. For rows that will be learned, copies of the scaler and of the moments of gamma change from row
    /// to row, as in training.
    #[cold]
    fn check_row_by_row(
        &self,
        rows: &Rows<'_, T>,
        weights: Option<&[f64]>,
        (purpose, repeated): (CheckedFor, bool),
        order: impl Iterator<Item = usize>,
    ) -> Result<()> {
        let mut bandwidth = match purpose {
            CheckedFor::Learning => self.input.bandwidth().clone(),
            CheckedFor::Scoring => Bandwidth::Constant,
        };
        let mut input = self.input.row_transform().clone();
        let (mut buffer, mut buffers) = (Vec::new(), RowBuffers::default());
        let (ops, features) = (self.expansion.ops(), self.expansion.features());
        let (mut kernel, mut t) = (self.expansion.kernel(), self.progress.counts.n_seen);
        for row in order {
            let raw = rows.row(row, &mut buffer);
            input.check_finite(raw, row).map_err(|error| self.spec.with_remedy(error))?;
            let weight = weights.map_or(1.0, |w| w[row]);
            if weight == 0.0 {
                continue;
            }
            let weight = self.max_weight(weight, purpose);
            if let Some(sum) = input.infinite_sum(raw, &mut buffers) {
                let name = "the columns of a feature, summed,";
                return Err(too_large::<T>(row, name, T::MAX_SQ_NORM, sum.to_f64()));
            }
            t += 1;
            let linear_input = match purpose {
                CheckedFor::Learning => {
                    if starts_block(t) {
                        input.begin_block(t, 0.0);
                    }
                    input.fit_transform((t, repeated), ops, raw, &mut buffers)
                }
                CheckedFor::Scoring => input.transform(ops, raw, &mut buffers),
            };
            let x = linear_input.clipped;
            let row_stat = kernel.row_stat(x);
            // The negated comparisons reject NaN.
            let is_bounded = row_stat.to_f64() <= T::MAX_SQ_NORM;
            if !is_bounded {
                let name = kernel.accumulation().stat_name();
                return Err(too_large::<T>(row, name, T::MAX_SQ_NORM, row_stat.to_f64()));
            }
            let (squared_norm, allowed) =
                (linear_input.squared_norm().to_f64(), self.max_squared_norm(max(weight, 1.0)));
            let is_bounded = squared_norm <= allowed;
            if !is_bounded {
                return Err(too_large::<T>(row, "|x|^2", allowed, squared_norm));
            }
            if let Some(gamma) = bandwidth.observe(t, x, weight, features, input.scaler.as_ref()) {
                kernel = kernel.with_gamma(gamma);
                if let Bandwidth::Running(_, moments) = &bandwidth {
                    // The new gamma applies to all rows so far.
                    let largest = T::from_f64(moments.max_squared_norm);
                    check_kernel_value(row, kernel, largest, moments.max_weight)?;
                }
            }
            check_kernel_value(row, kernel, row_stat, weight)?;
        }
        Ok(())
    }
}

/// Checks `max(1, weight)^2 k(x, x)` of a row with the statistic `row_stat`.
fn check_kernel_value<T: Real>(row: usize, kernel: AnyKernel, row_stat: T, weight: f64) -> Result<()> {
    let weight = max(weight, 1.0);
    let value = weight * weight * kernel.diag(row_stat).to_f64();
    if value <= T::MAX_SQ_NORM {
        return Ok(());
    }
    let what = if weight > 1.0 { "sample_weight^2 k(x, x)" } else { "k(x, x)" };
    let gamma = kernel.gamma().map_or(String::new(), |gamma| format!(" at gamma = {gamma:e}"));
    Err(too_large::<T>(row, &format!("{what}{gamma}"), T::MAX_SQ_NORM, value))
}

fn too_large<T: Real>(row: usize, what: &str, max: f64, got: f64) -> Error {
    let expected = format!("{what} <= {max:e} in {}", T::NAME);
    Error::TooLarge { row, expected, got: format!("{got:.3e}") }
}

fn check_weights(rows: usize, weights: Option<&[f64]>) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() != rows {
        return Err(Error::shape("sample_weight", format!("{rows} entries"), weights.len()));
    }
    match weights.iter().enumerate().find(|(_, w)| !(0.0..=MAX_WEIGHT).contains(*w)) {
        Some((row, got)) => Err(Error::entry("sample_weight", "from 0 to 1e9 in every row", got, row)),
        None => Ok(()),
    }
}
