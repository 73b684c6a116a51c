//! Feature hashing and standardisation of one row.

use super::{Categories, FeatureHasher, HashedRow, MissingValues, RowBuffers, RunningScaler, Scaler};
use crate::batch::Row;
use crate::error::Result;
use crate::expansion::{LinearInput, Rescaling};
use crate::float::Real;
use crate::ops::Ops;

/// The steps from a raw row to `x`: feature hashing, standardisation and factors of categories, all optional.
/// Metric learning maps `x` to `z`.
#[derive(Debug, Clone)]
pub(crate) struct RowTransform<T: Real> {
    pub(crate) hasher: Option<FeatureHasher>,
    pub(crate) scaler: Option<Scaler<T>>,
    /// Factors of one-hot features; only with a running scaler.
    pub(crate) categories: Option<Categories<T>>,
    /// Numbers that are NaN to the scaler.
    pub(crate) missing_values: Option<MissingValues<T>>,
}

impl<T: Real> RowTransform<T> {
    /// Begins a block of the stream with row `t`; `effective_n_before` is the effective number of rows before row `t`.
    #[inline(always)]
    pub(crate) fn begin_block(&mut self, t: u64, effective_n_before: f64) {
        if let Some(scaler) = &mut self.scaler {
            scaler.begin_block(t, effective_n_before);
        }
    }

    /// Updates the statistics with row `t`, and transforms the row.
    #[inline(always)]
    pub(crate) fn fit_transform<'a>(
        &mut self,
        (t, repeated): (u64, bool),
        ops: Ops<T>,
        raw: Row<'a, T>,
        RowBuffers { marked, hashed, scaled, excess }: &'a mut RowBuffers<T>,
    ) -> LinearInput<'a, T> {
        let raw = self.unscaled(raw, hashed, marked);
        match (&mut self.scaler, &mut self.categories) {
            (Some(scaler), Some(categories)) => {
                scaler.fit_transform(ops, (t, repeated), raw, (scaled, excess));
                categories.observe(raw);
                categories.apply(scaled, excess);
                excess.of(Row::Dense(scaled))
            }
            (Some(scaler), None) => {
                let x = scaler.fit_transform(ops, (t, repeated), raw, (scaled, excess));
                excess.of(x)
            }
            (None, _) => raw.into(),
        }
    }

    /// The hashed and standardised row.
    #[inline(always)]
    pub(crate) fn transform<'a>(
        &self,
        ops: Ops<T>,
        raw: Row<'a, T>,
        RowBuffers { marked, hashed, scaled, excess }: &'a mut RowBuffers<T>,
    ) -> LinearInput<'a, T> {
        let raw = self.unscaled(raw, hashed, marked);
        match (&self.scaler, &self.categories) {
            (Some(scaler), Some(categories)) => {
                scaler.transform(ops, raw, (scaled, excess));
                categories.apply(scaled, excess);
                excess.of(Row::Dense(scaled))
            }
            (Some(scaler), None) => {
                let x = scaler.transform(ops, raw, (scaled, excess));
                excess.of(x)
            }
            (None, _) => raw.into(),
        }
    }

    /// The raw row that is standardised: hashed, and with NaN for missing values. A sparse row stays sparse, unless zero
    /// stands for a missing value.
    #[inline(always)]
    pub(super) fn unscaled<'a>(
        &self,
        raw: Row<'a, T>,
        hashed: &'a mut HashedRow<T>,
        marked: &'a mut Vec<T>,
    ) -> Row<'a, T> {
        let raw = self.hasher.as_ref().map_or(raw, |hasher| hasher.hash_row(raw, hashed));
        self.missing_values.as_ref().map_or(raw, |values| self.mark(values, raw, marked))
    }

    /// The running statistics, if rows are standardised by them.
    pub(crate) fn running(&self) -> Option<&RunningScaler<T>> {
        self.scaler.as_ref().and_then(Scaler::running)
    }

    /// Replaces the numbers that stand for a missing value by NaN.
    fn mark<'a>(&self, values: &MissingValues<T>, raw: Row<'a, T>, marked: &'a mut Vec<T>) -> Row<'a, T> {
        let features = self.running().map_or(0, RunningScaler::n_features);
        values.mark(raw, self.categories.as_ref(), features, marked)
    }

    /// Whether rows may have numbers that raise errors as NaN does.
    pub(crate) fn rejects_numbers(&self) -> bool {
        self.missing_values.is_some() && !self.accepts_nan()
    }

    /// Checks that all values are finite, or missing if missing values are accepted; `row` is the index of the row in
    /// its batch.
    pub(crate) fn check_finite(&self, raw: Row<'_, T>, row: usize) -> Result<()> {
        raw.check_finite(row, self.accepts_nan())?;
        match &self.missing_values {
            Some(values) if !self.accepts_nan() => values.check_none(raw, self.categories.as_ref(), row),
            _ => Ok(()),
        }
    }

    /// The first sum of a hashed row that is not finite.
    pub(crate) fn infinite_sum(&self, raw: Row<'_, T>, buffers: &mut RowBuffers<T>) -> Option<T> {
        let hasher = self.hasher.as_ref()?;
        hasher.hash_row(raw, &mut buffers.hashed).values().iter().copied().find(|x| !x.is_finite())
    }

    /// The changes of the transformed features at the start of the present block.
    pub(super) fn changes(&self) -> impl Iterator<Item = Rescaling> {
        let changes = self.scaler.as_ref().map_or(&[][..], Scaler::changes).iter();
        changes.map(|change| {
            let factor = self.categories.as_ref().map_or(1.0, |categories| categories.factor(change.feature));
            Rescaling { shift: factor * change.shift, ..*change }
        })
    }

    /// Whether two pipelines multiply one-hot features by equal factors.
    pub(crate) fn has_equal_factors(&self, other: &Self) -> bool {
        match (&self.categories, &other.categories) {
            (Some(a), Some(b)) => a.has_equal_factors(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// The largest number of values beyond the clip in a row.
    pub(crate) fn max_excess(&self, features: usize) -> usize {
        if self.running().is_some_and(RunningScaler::has_excess) { features } else { 0 }
    }

    /// Whether NaN is a missing value.
    pub(crate) fn accepts_nan(&self) -> bool {
        self.running().is_some_and(RunningScaler::accepts_nan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{level, starts_block};
    use crate::rng::Rng;

    /// A feature with a trend as a number, and as one of 40 categories, which are multiplied by 0.5.
    #[test]
    fn changes_are_in_units_of_the_transformed_row() {
        let mut categories = Categories::new(41);
        categories.set_columns(&std::array::from_fn::<_, 41, _>(|j| (j > 0).then_some(0)));
        let mut transform = RowTransform {
            hasher: None,
            scaler: Some(Scaler::Running(RunningScaler::new(41, None, false, true))),
            categories: Some(categories),
            missing_values: None,
        };
        let (ops, mut rng, mut changes) = (Ops::at(level()), Rng::new(1), [0, 0]);
        let mut buffers = RowBuffers::default();
        for t in 1..=600 {
            let trend = 0.02 * t as f64;
            let raw: [f64; 41] = std::array::from_fn(|j| rng.normal() + if j < 2 { trend } else { 0.0 });
            let raw = Row::Dense(&raw);
            transform.transform(ops, raw, &mut buffers);
            let before = buffers.scaled.clone();
            if starts_block(t) {
                transform.begin_block(t, 0.0);
            }
            transform.fit_transform((t, false), ops, raw, &mut buffers);
            for change in transform.changes().filter(|change| starts_block(t) && change.feature < 2) {
                let (before, after) = (before[change.feature], buffers.scaled[change.feature]);
                let limit = if change.feature == 0 { 3.0 } else { 1.5 };
                if before.abs() < limit {
                    assert!(((before - change.shift) * change.ratio - after).abs() < 1e-9);
                    changes[change.feature] += 1;
                }
            }
        }
        assert!(changes.iter().all(|changes| *changes >= 3), "{changes:?}");
    }
}
