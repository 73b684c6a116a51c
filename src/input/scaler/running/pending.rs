//! Sums of rows that mean and deviation do not include yet.

use crate::error::{Result, check_model};
use crate::ops::BLOCK_ROWS;
use crate::ops::moments::PendingSums;
use crate::persist::Tensors;

/// The number of a feature's rows up to which mean and deviation are updated at every row.
pub(crate) const WARMUP_ROWS: u64 = 256;

/// The sums of each feature's values since the start of the block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PendingMoments {
    /// The number of rows that are pending in all features, in addition to `rows`.
    common_rows: u64,
    /// For each feature, the number of further values in its sums.
    rows: Vec<u64>,
    /// The sums of the bounded differences from the mean.
    sums: Vec<f64>,
    /// The sums of the squares of these differences.
    squares: Vec<f64>,
}

impl PendingMoments {
    pub(super) fn new(features: usize) -> Self {
        let zeros = || vec![0.0; features];
        Self { common_rows: 0, rows: vec![0; features], sums: zeros(), squares: zeros() }
    }

    /// Counts a row of which every value is added to the sums.
    pub(super) fn add_row(&mut self) -> PendingSums<'_> {
        self.common_rows += 1;
        PendingSums { sums: &mut self.sums, squares: &mut self.squares }
    }

    /// Adds one value to the sums of its feature.
    pub(super) fn add(&mut self, feature: usize, difference: f64) {
        self.rows[feature] += 1;
        self.sums[feature] += difference;
        self.squares[feature] += difference * difference;
    }

    /// The number of values in the sums of a feature.
    fn count(&self, feature: usize) -> u64 {
        self.common_rows + self.rows[feature]
    }

    /// Removes all values of a feature.
    pub(super) fn clear(&mut self, feature: usize) {
        self.distribute_common_rows();
        self.rows[feature] = 0;
        (self.sums[feature], self.squares[feature]) = (0.0, 0.0);
    }

    fn distribute_common_rows(&mut self) {
        if self.common_rows > 0 {
            self.rows.iter_mut().for_each(|rows| *rows += self.common_rows);
            self.common_rows = 0;
        }
    }

    /// Removes all values. Calls `merge` for each feature that had any, with feature, number and sums.
    pub(super) fn drain(&mut self, mut merge: impl FnMut(usize, u64, (f64, f64))) {
        for feature in 0..self.rows.len() {
            let count = self.count(feature);
            if count > 0 {
                merge(feature, count, (self.sums[feature], self.squares[feature]));
            }
        }
        self.common_rows = 0;
        self.rows.fill(0);
        self.sums.fill(0.0);
        self.squares.fill(0.0);
    }

    pub(super) fn add_features(&mut self, features: usize, rows: u64) {
        self.distribute_common_rows();
        self.rows.resize(features, rows);
        self.sums.resize(features, 0.0);
        self.squares.resize(features, 0.0);
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        let features = self.rows.len();
        if (0..features).all(|feature| self.count(feature) == 0) {
            return;
        }
        let out = out.scope_mut("pending");
        out.put("rows", &[features], (0..features).map(|feature| self.count(feature) as f64));
        for (name, numbers) in [("sums", &self.sums), ("squares", &self.squares)] {
            out.put(name, &[features], numbers.iter().copied());
        }
    }

    pub(super) fn load(&mut self, from: &Tensors, n_seen: u64) -> Result<()> {
        let features = self.sums.len();
        *self = Self::new(features);
        if !from.contains("pending") {
            return Ok(());
        }
        let from = from.scope("pending")?;
        let rows: Vec<f64> = from.get("rows", &[features])?;
        (self.sums, self.squares) = (from.get("sums", &[features])?, from.get("squares", &[features])?);
        let max_rows = n_seen.min(BLOCK_ROWS as u64) as f64;
        let is_valid = rows.iter().all(|rows| rows.fract() == 0.0 && (0.0..=max_rows).contains(rows))
            && rows.iter().any(|rows| *rows > 0.0)
            && self.sums.iter().all(|sum| sum.is_finite())
            && self.squares.iter().all(|squares| squares.is_finite() && *squares >= 0.0);
        check_model(is_valid, "the pending rows of the scaler are invalid")?;
        self.rows = rows.iter().map(|rows| *rows as u64).collect();
        Ok(())
    }
}

/// The number of rows up to `t` that are not in the statistics of a feature with all values inside.
pub(super) fn pending_rows(t: u64) -> u64 {
    let since_warmup = t.saturating_sub(WARMUP_ROWS);
    if since_warmup == 0 { 0 } else { (since_warmup - 1) % BLOCK_ROWS as u64 + 1 }
}
