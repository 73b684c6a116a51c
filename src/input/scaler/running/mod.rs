//! Standardisation by the mean and deviation of the rows learned so far.

mod features;
mod file;
mod history;
mod kept_scale;
mod pending;
mod samples;
mod spread;
#[cfg(test)]
mod tests;

use crate::batch::Row;
use crate::expansion::Rescaling;
use crate::float::Real;
use crate::input::Excess;
use crate::ops::fences::{Fences, InsideRow, InsideValues};
use crate::ops::moments::{self, CLIP, MAX_EXCESS, MomentWeights, Statistics};
use crate::ops::{BLOCK_ROWS, Ops};
use history::History;
use kept_scale::{KeptScale, Moments};
use pending::PendingMoments;
pub(crate) use pending::WARMUP_ROWS;
use samples::{SAMPLE_VALUES, Samples};

/// The number of votes with which a repeated value is reported: a few equal outliers may be chance.
const CLEAR_VOTES: u32 = 10;

/// `clip((x_j - mean_j) / deviation_j, +-3)` with the mean and deviation of the rows learned (Welford's rule; Chan et
/// al. 1983 for many rows at once); a constant feature is only shifted. Up to a feature's row 256 the statistics
/// include the present row; after it they are updated every 32 rows. With forgetting they use at most
/// `max(window_rows, effective_n_before)` rows, read every 32 rows: over a shorter window the means would be too noisy.
/// Support vectors keep the values that they were inserted with: rescaling them at every change of a deviation would
/// make the first updates unstable.
///
/// Each feature has bounds ([`Fences`]), 30 median absolute deviations on both sides of the median of 32 values sampled from up to
/// 2,048 recent rows. A value outside never changes the statistics, and is clipped like any other. If many successive
/// values are outside, or almost constant, the feature starts anew.
///
/// A value counts as at most `2 sqrt(n)` deviations from the mean of n rows, unless the deviation is zero: so the first
/// bounds come before a corrupt value has flattened a feature.
///
/// In regression, rows are standardised by a centre and a scale that stay the same while mean and deviation are near
/// ([`KeptScale`]).
///
/// A missing value (NaN) becomes 0 (the mean; in regression the centre), and does not change the state of its feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunningScaler<T: Real> {
    /// The number of rows learned.
    t: u64,
    /// The entry of `counts` of a feature whose value was inside its bounds in every row.
    rows: u64,
    /// The window that the user has set; `None` without forgetting.
    window_rows: Option<u64>,
    /// The present window, which is longer while more rows are effective; `None` without forgetting.
    max_rows: Option<u64>,
    /// Whether NaN is a missing value.
    accepts_nan: bool,
    /// Whether values beyond the clip are passed on.
    has_excess: bool,
    n_restarts: u64,
    /// The effective number of rows in the statistics of each feature.
    counts: Vec<u64>,
    mean: Vec<f64>,
    /// The sums of squared deviations from the mean.
    m2: Vec<f64>,
    /// One over the standard deviation; 1 for a constant feature.
    inv_std: Vec<f64>,
    /// Centre and scale, if they are not mean and deviation; only with excess, which regression has.
    kept: Option<KeptScale>,
    pending: PendingMoments,
    fences: Fences,
    inside: InsideValues,
    histories: Vec<History>,
    samples: Samples<T>,
    /// Rows before this one are treated feature by feature only if a value lies outside its bounds.
    next_row_by_feature: u64,
}

/// The bytes of a feature: 15 numbers in vectors, its history and its sampled values.
pub(crate) const fn feature_bytes<T: Real>() -> usize {
    15 * size_of::<f64>() + size_of::<History>() + SAMPLE_VALUES * (size_of::<T>() + 1)
}

impl<T: Real> RunningScaler<T> {
    /// The number of features.
    pub(crate) fn n_features(&self) -> usize {
        self.counts.len()
    }

    /// The scaler before the first row.
    pub(crate) fn new(
        features: usize,
        window_rows: Option<u64>,
        accepts_nan: bool,
        has_excess: bool,
    ) -> Self {
        let zeros = || vec![0.0; features];
        Self {
            t: 0,
            rows: 0,
            window_rows,
            max_rows: window_rows,
            accepts_nan,
            has_excess,
            n_restarts: 0,
            counts: vec![0; features],
            mean: zeros(),
            m2: zeros(),
            inv_std: vec![1.0; features],
            kept: has_excess.then(|| KeptScale::new(features)),
            pending: PendingMoments::new(features),
            fences: Fences::new(features),
            inside: InsideValues::new(features),
            histories: vec![History::starting_after(0); features],
            samples: Samples::new(features),
            next_row_by_feature: 0,
        }
    }

    /// Updates the statistics with row `t`, and returns the standardised row in `buffer`.
    pub(super) fn fit_transform<'a>(
        &mut self,
        ops: Ops<T>,
        (t, repeated): (u64, bool),
        x: Row<'_, T>,
        (buffer, excess): (&'a mut Vec<T>, &mut Excess<T>),
    ) -> Row<'a, T> {
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        self.t = t;
        if self.t <= WARMUP_ROWS {
            moments::count_rows(&mut self.rows, 1, self.max_rows);
        }
        let is_usual = self.t < self.next_row_by_feature;
        let row = is_usual.then(|| ops.count_inside(&self.fences, &mut self.inside, buffer)).flatten();
        if let Some(row) = row {
            if row == InsideRow::EndsRun {
                self.next_row_by_feature = self.t + 1;
            }
            let (centre, inv_scale) = standard(self.kept.as_ref(), &self.mean, &self.inv_std);
            let statistics = Statistics { mean: &self.mean, m2: &self.m2, centre, inv_scale };
            ops.defer_and_standardize(&statistics, self.pending.add_row(), buffer);
        } else {
            self.observe_by_feature(buffer, repeated);
            self.follow();
            self.standardize(ops, buffer);
        }
        self.find_excess(x, buffer, excess);
        Row::Dense(buffer)
    }

    /// Merges the pending rows into mean and deviation before row `t`, the first of a block.
    pub(super) fn begin_block(&mut self, t: u64, effective_n_before: f64) {
        self.max_rows = self.window_rows.map(|window_rows| window_rows.max(effective_n_before as u64));
        if t - 1 > WARMUP_ROWS {
            moments::count_rows(&mut self.rows, BLOCK_ROWS as u64, self.max_rows);
        }
        let Self { max_rows, counts, mean, m2, inv_std, pending, .. } = self;
        pending.drain(|j, rows, sums| {
            MomentWeights::after(&mut counts[j], m2[j], rows, sums, *max_rows).observe_sums(
                sums,
                &mut mean[j],
                &mut m2[j],
                &mut inv_std[j],
            );
        });
        if let Some(mut kept) = self.kept.take() {
            kept.changes.clear();
            (0..self.mean.len()).for_each(|j| kept.change(j, self.moments(j)));
            self.kept = Some(kept);
        }
    }

    fn moments(&self, j: usize) -> Moments {
        let mostly_constant = self.fences.mad()[j] == 0.0;
        Moments { count: self.counts[j], mean: self.mean[j], inv_std: self.inv_std[j], mostly_constant }
    }

    /// Sets centre and scale of features that do not keep them.
    fn follow(&mut self) {
        if let Some(mut kept) = self.kept.take() {
            (0..self.mean.len()).for_each(|j| kept.follow(j, self.moments(j)));
            self.kept = Some(kept);
        }
    }

    /// The changes of centre and scale at the start of the present block.
    pub(super) fn changes(&self) -> &[Rescaling] {
        self.kept.as_ref().map_or(&[], |kept| &kept.changes)
    }

    /// The standardised row, in `buffer`.
    pub(super) fn transform<'a>(
        &self,
        ops: Ops<T>,
        x: Row<'_, T>,
        (buffer, excess): (&'a mut Vec<T>, &mut Excess<T>),
    ) -> Row<'a, T> {
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        self.standardize(ops, buffer);
        self.find_excess(x, buffer, excess);
        Row::Dense(buffer)
    }

    /// The standardised value of one feature, and its excess, with the bits of [`RunningScaler::transform`].
    #[inline(always)]
    pub(crate) fn transform_value(&self, feature: usize, x: T) -> (T, T) {
        let (centre, inv_scale) = self.standard();
        let (centre, inv_scale) = (centre[feature], inv_scale[feature]);
        let z = moments::standardized(x, centre, inv_scale);
        let has_excess = self.has_excess && z.to_f64().abs() >= CLIP;
        (z, if has_excess { T::from_f64(moments::excess(x.to_f64(), centre, inv_scale)) } else { T::ZERO })
    }

    /// Writes the excesses of a row; `clipped` is the standardised row.
    #[inline(always)]
    #[expect(clippy::needless_bitwise_bool, reason = "a branch per value would prevent vectorisation")]
    fn find_excess(&self, x: Row<'_, T>, clipped: &[T], excess: &mut Excess<T>) {
        excess.clear();
        if !self.has_excess {
            return;
        }
        excess.reserve(self.mean.len());
        let limit = T::from_f64(CLIP * CLIP);
        if clipped.iter().fold(false, |any, z| any | (*z * *z >= limit)) {
            self.push_excess(x, clipped, excess);
        }
    }

    #[cold]
    fn push_excess(&self, x: Row<'_, T>, clipped: &[T], excess: &mut Excess<T>) {
        let (centre, inv_scale) = self.standard();
        for (j, z) in clipped.iter().enumerate() {
            if z.to_f64().abs() >= CLIP {
                let value = moments::excess(x.get(j).to_f64(), centre[j], inv_scale[j]);
                if value != 0.0 {
                    excess.push(j, T::from_f64(value));
                }
            }
        }
    }

    #[inline(always)]
    fn standardize(&self, ops: Ops<T>, x: &mut [T]) {
        let (centre, inv_scale) = self.standard();
        ops.standardize(centre, inv_scale, x);
    }

    /// The mean and one over the deviation that rows are standardised by.
    fn standard(&self) -> (&[f64], &[f64]) {
        standard(self.kept.as_ref(), &self.mean, &self.inv_std)
    }

    /// A copy whose statistics do not change, so that it needs no recent values and no maximum of effective rows.
    pub(super) fn frozen(&self) -> Self {
        let features = self.mean.len();
        Self {
            counts: self.counts.clone(),
            mean: self.mean.clone(),
            m2: self.m2.clone(),
            inv_std: self.inv_std.clone(),
            kept: self.kept.clone(),
            ..Self::new(features, None, self.accepts_nan, self.has_excess)
        }
    }

    /// Whether two scalers transform rows equally.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        (self.accepts_nan, self.standard()) == (other.accepts_nan, other.standard())
    }

    /// Whether rows have an excess beyond the clip.
    pub(crate) fn has_excess(&self) -> bool {
        self.has_excess
    }

    pub(crate) fn accepts_nan(&self) -> bool {
        self.accepts_nan
    }

    /// The number of times that a feature started anew.
    pub(crate) fn n_restarts(&self) -> u64 {
        self.n_restarts
    }

    /// The features with a value that repeats outside their bounds, these values and their votes.
    pub(super) fn repeated_outliers(&self) -> impl Iterator<Item = (usize, f64, u32)> {
        let votes = self.histories.iter().map(|history| history.vote).enumerate();
        votes.filter_map(|(j, vote)| {
            let is_clear = vote.votes >= CLEAR_VOTES && !self.fences.contains(j, vote.value);
            is_clear.then_some((j, vote.value, vote.votes))
        })
    }

    /// Whether all values are finite or validly missing, and clipped values have squares of at most `bound`.
    pub(super) fn is_bounded(&self, x: Row<'_, T>, bound: T) -> bool {
        // Without a branch per value, so that the loop is vectorised.
        let values = x.values().iter();
        let is_valid = if self.accepts_nan {
            values.fold(true, |is_valid, x| is_valid & (x.is_finite() | x.is_nan()))
        } else {
            values.fold(true, |is_valid, x| is_valid & x.is_finite())
        };
        let max_excess = if self.has_excess { MAX_EXCESS } else { 0.0 };
        is_valid && CLIP * CLIP + max_excess * max_excess <= bound.to_f64()
    }

    /// Appends features that were zero in every row.
    pub(super) fn add_features(&mut self, features: usize) {
        self.counts.resize(features, self.rows);
        self.mean.resize(features, 0.0);
        self.m2.resize(features, 0.0);
        self.inv_std.resize(features, 1.0);
        self.kept.iter_mut().for_each(|kept| kept.add_features(features));
        self.pending.add_features(features, pending::pending_rows(self.t));
        self.fences.add_features(features);
        self.inside.add_features(features);
        let zeros = History::of_zeros(self.t);
        self.histories.resize(features, zeros);
        self.samples.add_features(features, zeros.sample_len());
    }
}

/// [`RunningScaler::standard`]
fn standard<'a>(kept: Option<&'a KeptScale>, mean: &'a [f64], inv_std: &'a [f64]) -> (&'a [f64], &'a [f64]) {
    kept.map_or((mean, inv_std), |kept| (&kept.centre, &kept.inv_scale))
}
