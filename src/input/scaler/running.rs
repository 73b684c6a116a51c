//! Standardisation by the mean and deviation of the rows learned so far.

use super::Arrival;
use crate::batch::Row;
use crate::count::MAX_COUNT;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::ops::moments::{self, CLIP, MomentWeights, PendingSums, Statistics};
use crate::ops::{BLOCK_ROWS, Ops, is_grid_row};
use crate::persist::Tensors;

/// The number of rows up to which mean and deviation are updated at every row.
pub(crate) const WARMUP_ROWS: u64 = 1024;

/// `clip((x_j - mean_j) / deviation_j, +-3)` with the mean and deviation of the rows learned (Welford's rule; Chan et
/// al. 1983 for many rows at once); a constant feature is only shifted. Up to row 1,024 the statistics include the
/// present row; after it they are updated every 32 rows. With forgetting they use at most
/// `max(window_rows, effective_n_before)` rows, read every 32 rows: over a shorter window the means would be too noisy.
/// Support vectors keep the values that they were inserted with: rescaling them at every change of a deviation would
/// make the first updates unstable.
///
/// A value counts as at most `2 sqrt(n)` deviations from the mean of n rows. One row then makes the variance at most
/// five times as large, so that two or three corrupt values do not flatten a feature. The limit does not apply while
/// the deviation is zero.
///
/// A missing value (NaN) becomes the mean, 0, and does not change the statistics of its feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunningScaler {
    /// The effective number of rows: all, or at most `max_rows`.
    rows: u64,
    /// The length of the window: the smallest value of `max_rows`; `None` without forgetting.
    window_rows: Option<u64>,
    /// The present upper bound of `rows`; `None` without forgetting.
    max_rows: Option<u64>,
    /// Whether NaN is a missing value.
    accepts_nan: bool,
    /// `rows` for each feature, once a value was missing.
    counts: Option<Vec<u64>>,
    mean: Vec<f64>,
    /// The sums of squared deviations from the mean.
    m2: Vec<f64>,
    /// One over the standard deviation; 1 for a constant feature.
    inv_std: Vec<f64>,
    pending: PendingMoments,
}

/// The sums of rows that are not yet in mean and deviation.
#[derive(Debug, Clone, PartialEq)]
struct PendingMoments {
    rows: u64,
    /// The sums of the bounded differences from the mean.
    sums: Vec<f64>,
    /// The sums of the squares of these differences.
    squares: Vec<f64>,
    /// For each feature, the number of rows whose value is missing.
    missing: Vec<u64>,
}

impl PendingMoments {
    fn new(features: usize) -> Self {
        let zeros = || vec![0.0; features];
        Self { rows: 0, sums: zeros(), squares: zeros(), missing: vec![0; features] }
    }

    fn clear(&mut self) {
        self.rows = 0;
        self.sums.fill(0.0);
        self.squares.fill(0.0);
        self.missing.fill(0);
    }

    fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        for (name, numbers) in [("sums", &self.sums), ("squares", &self.squares)] {
            out.put(name, &[numbers.len()], numbers.iter().copied());
        }
        out.put("missing", &[self.missing.len()], self.missing.iter().map(|rows| *rows as f64));
    }

    fn load(&mut self, from: &Tensors, n_seen: u64) -> Result<()> {
        let features = self.sums.len();
        self.rows = from.u64("rows")?;
        (self.sums, self.squares) = (from.get("sums", &[features])?, from.get("squares", &[features])?);
        let missing: Vec<f64> = from.get("missing", &[features])?;
        let is_valid = (1..=n_seen.min(BLOCK_ROWS as u64)).contains(&self.rows)
            && missing.iter().all(|rows| rows.fract() == 0.0 && (0.0..=self.rows as f64).contains(rows))
            && self.sums.iter().all(|sum| sum.is_finite())
            && self.squares.iter().all(|squares| squares.is_finite() && *squares >= 0.0);
        if !is_valid {
            return Err(Error::Model("the pending rows of the scaler are invalid".into()));
        }
        self.missing = missing.iter().map(|rows| *rows as u64).collect();
        Ok(())
    }

    fn widen(&mut self, features: usize) {
        self.sums.resize(features, 0.0);
        self.squares.resize(features, 0.0);
        self.missing.resize(features, 0);
    }
}

impl RunningScaler {
    /// The scaler before the first row.
    pub(crate) fn new(features: usize, window_rows: Option<u64>, accepts_nan: bool) -> Self {
        let zeros = || vec![0.0; features];
        Self {
            rows: 0,
            window_rows,
            max_rows: window_rows,
            accepts_nan,
            counts: None,
            mean: zeros(),
            m2: zeros(),
            inv_std: vec![1.0; features],
            pending: PendingMoments::new(features),
        }
    }

    /// Updates the statistics with a row, and returns the standardised row in `buffer`.
    pub(super) fn fit_transform<'a, T: Real>(
        &mut self,
        ops: Ops<T>,
        Arrival { t, effective_n_before }: Arrival,
        x: Row<'_, T>,
        buffer: &'a mut Vec<T>,
    ) -> Row<'a, T> {
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        if is_grid_row(t) {
            self.max_rows = self.window_rows.map(|window_rows| window_rows.max(effective_n_before as u64));
            self.merge_pending();
        }
        let has_counts =
            self.counts.is_some() || self.accepts_nan && buffer.iter().fold(false, |any, x| any | x.is_nan());
        match (has_counts, self.rows < WARMUP_ROWS) {
            (true, in_warmup) => {
                self.observe_by_feature(buffer, in_warmup);
                ops.standardize(&self.mean, &self.inv_std, buffer);
            }
            (false, true) => {
                let weights = MomentWeights::of_next(&mut self.rows, 1, self.max_rows);
                let (mean, m2, inv_std) = (&mut self.mean[..], &mut self.m2[..], &mut self.inv_std[..]);
                ops.observe_and_standardize(weights, Statistics { mean, m2, inv_std }, buffer);
            }
            (false, false) => {
                self.pending.rows += 1;
                let (mean, m2, inv_std) = (&mut self.mean[..], &mut self.m2[..], &mut self.inv_std[..]);
                let sums = PendingSums { sums: &mut self.pending.sums, squares: &mut self.pending.squares };
                ops.defer_and_standardize(&Statistics { mean, m2, inv_std }, sums, buffer);
            }
        }
        Row::Dense(buffer)
    }

    /// Updates the statistics with the values that are not missing, each feature with its own count of rows.
    #[cold]
    fn observe_by_feature<T: Real>(&mut self, x: &[T], in_warmup: bool) {
        let (rows, max_rows, pending) = (self.rows, self.max_rows, &mut self.pending);
        let counts = self.counts.get_or_insert_with(|| vec![rows; x.len()]);
        if in_warmup {
            MomentWeights::of_next(&mut self.rows, 1, max_rows);
            let moments = self.mean.iter_mut().zip(&mut self.m2).zip(&mut self.inv_std);
            for ((x, count), ((mean, m2), inv_std)) in x.iter().zip(counts).zip(moments) {
                if !x.is_nan() {
                    MomentWeights::of_next(count, 1, max_rows).observe(x.to_f64(), mean, m2, inv_std);
                }
            }
            return;
        }
        pending.rows += 1;
        let sums = pending.sums.iter_mut().zip(&mut pending.squares).zip(&mut pending.missing);
        for ((x, (mean, m2)), ((sum, square), missing)) in
            x.iter().zip(self.mean.iter().zip(&self.m2)).zip(sums)
        {
            if x.is_nan() {
                *missing += 1;
            } else {
                let difference = moments::bounded_difference(x.to_f64(), *mean, *m2);
                *sum += difference;
                *square += difference * difference;
            }
        }
    }

    /// Merges the pending rows into mean and deviation.
    fn merge_pending(&mut self) {
        if self.pending.rows == 0 {
            return;
        }
        let (max_rows, pending) = (self.max_rows, &self.pending);
        let weights = MomentWeights::of_next(&mut self.rows, pending.rows, max_rows);
        let moments = self.mean.iter_mut().zip(&mut self.m2).zip(&mut self.inv_std);
        let sums = pending.sums.iter().copied().zip(pending.squares.iter().copied());
        match &mut self.counts {
            None => {
                for (sums, ((mean, m2), inv_std)) in sums.zip(moments) {
                    weights.observe_sums(sums, mean, m2, inv_std);
                }
            }
            Some(counts) => {
                let counts = counts.iter_mut().zip(&pending.missing);
                for ((sums, (count, missing)), ((mean, m2), inv_std)) in sums.zip(counts).zip(moments) {
                    if pending.rows > *missing {
                        MomentWeights::of_next(count, pending.rows - missing, max_rows)
                            .observe_sums(sums, mean, m2, inv_std);
                    }
                }
            }
        }
        self.pending.clear();
    }

    /// The standardised row, in `buffer`.
    pub(super) fn transform<'a, T: Real>(
        &self,
        ops: Ops<T>,
        x: Row<'_, T>,
        buffer: &'a mut Vec<T>,
    ) -> Row<'a, T> {
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        ops.standardize(&self.mean, &self.inv_std, buffer);
        Row::Dense(buffer)
    }

    /// A copy whose statistics do not change, so that it needs no maximum of effective rows.
    pub(super) fn frozen(&self) -> Self {
        Self { window_rows: None, max_rows: None, ..self.clone() }
    }

    /// Whether two scalers transform rows equally.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        (self.accepts_nan, &self.mean, &self.inv_std) == (other.accepts_nan, &other.mean, &other.inv_std)
    }

    pub(super) fn accepts_nan(&self) -> bool {
        self.accepts_nan
    }

    /// Whether all values are finite or validly missing, and clipped values have squares of at most `bound`.
    pub(super) fn is_bounded<T: Real>(&self, x: Row<'_, T>, bound: T) -> bool {
        // Without a branch per value, so that the loop is vectorised.
        let values = x.values().iter();
        let is_valid = if self.accepts_nan {
            values.fold(true, |is_valid, x| is_valid & (x.is_finite() | x.is_nan()))
        } else {
            values.fold(true, |is_valid, x| is_valid & x.is_finite())
        };
        is_valid && CLIP * CLIP <= bound.to_f64()
    }

    pub(super) fn widen(&mut self, features: usize) {
        self.mean.resize(features, 0.0);
        self.m2.resize(features, 0.0);
        self.inv_std.resize(features, 1.0);
        if let Some(counts) = &mut self.counts {
            counts.resize(features, self.rows);
        }
        self.pending.widen(features);
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        if let Some(max_rows) = self.max_rows {
            out.set("most", max_rows);
        }
        if let Some(counts) = &self.counts {
            out.put("counts", &[counts.len()], counts.iter().map(|count| *count as f64));
        }
        for (name, numbers) in [("mean", &self.mean), ("squares", &self.m2), ("inverse", &self.inv_std)] {
            out.put(name, &[numbers.len()], numbers.iter().copied());
        }
        if self.pending.rows > 0 {
            self.pending.save(out.scope_mut("held"));
        }
    }

    /// Loads statistics that were saved after `n_seen` rows; `None` for frozen statistics, whose number of rows is
    /// unknown.
    pub(crate) fn load(&mut self, from: &Tensors, n_seen: Option<u64>) -> Result<()> {
        let features = self.mean.len();
        (self.mean, self.m2) = (from.get("mean", &[features])?, from.get("squares", &[features])?);
        self.inv_std = from.get("inverse", &[features])?;
        self.rows = from.u64("rows")?;
        let is_frozen = n_seen.is_none();
        let n_seen = n_seen.unwrap_or(MAX_COUNT);
        if let Some(window_rows) = self.window_rows {
            let max_rows = from.u64("most")?;
            if !(window_rows..=window_rows.max(n_seen)).contains(&max_rows) {
                return Err(Error::Model("the scaler has an invalid maximum of effective rows".into()));
            }
            self.max_rows = Some(max_rows);
        }
        let counts: Option<Vec<f64>> =
            if from.contains("counts") { Some(from.get("counts", &[features])?) } else { None };
        let is_count = |count: &f64| count.fract() == 0.0 && (0.0..=n_seen as f64).contains(count);
        let pending = if from.contains("held") { from.scope("held")?.u64("rows")? } else { 0 };
        let min_rows = self.window_rows.map_or(n_seen, |window_rows| n_seen.min(window_rows));
        let min_rows = if is_frozen { 0 } else { min_rows.saturating_sub(pending) };
        let is_valid = (min_rows..=n_seen).contains(&self.rows)
            && counts.as_ref().is_none_or(|counts| self.accepts_nan && counts.iter().all(is_count))
            && self.mean.iter().all(|mean| mean.is_finite())
            && self.m2.iter().all(|m2| m2.is_finite() && *m2 >= 0.0)
            && self.inv_std.iter().all(|inv_std| inv_std.is_finite() && *inv_std > 0.0);
        if !is_valid {
            return Err(Error::Model(
                "the statistics of the scaler do not fit the number of rows learned".into(),
            ));
        }
        if from.contains("held") {
            self.pending.load(from.scope("held")?, n_seen)?;
        }
        self.counts = counts.map(|counts| counts.iter().map(|count| *count as u64).collect());
        Ok(())
    }
}
