//! Drift detection: the model used for prediction, and the effective number of rows.

#[cfg(test)]
mod tests;

use super::Adwin;
use crate::constants::{FEW_ROWS, LOSS_RATE, running_weight};
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::persist::{Persist, Tensors};

/// The number of compared models: the mean and the last model.
pub(crate) const MODELS: usize = 2;
const MEAN: usize = 0;
const LAST: usize = 1;

/// Gradual drift is not detected in the first 200 rows, and never lowers the effective number of rows below 200.
const MIN_EFFECTIVE_N: f64 = 200.0;

/// The share of the effective number of rows that each row of gradual drift forgets.
const GRADUAL_FORGETTING: f64 = 0.001;

/// The coefficients are discarded if the recent loss has risen by this share of the distance between two losses: the
/// loss before the drift, and the loss of always predicting the most frequent class (in regression 0.5, twice the loss
/// of predicting the mean).
const DISCARD_ABOVE: f64 = 0.3;

/// The number of drifts whose rows are known.
const SHOWN_DRIFTS: usize = 16;

/// An abrupt drift. The means of past models restart from the last model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AbruptDrift {
    /// Whether the coefficients of the last model are useless too.
    pub(crate) discard_coefficients: bool,
}

/// The drift detector: it chooses the model used for prediction, and computes the effective number of rows, from the
/// losses of the mean and the last model.
///
/// Losses lie in `[0, 1]`; in classification they are 0 or 1. The loss of a row counts in proportion to its
/// weight: the share of the largest recent weight. A model that learns to predict a class of large weight
/// makes more mistakes, but smaller losses. The mean is used for prediction unless the last model is better
/// by half a standard deviation. Gradual drift: if the last model is better by a whole standard deviation,
/// the effective number of rows falls with each row. After an abrupt drift, when the losses of the model used
/// for prediction jump ([`Adwin`]), the effective number of rows is the length of the remaining window.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DriftDetector {
    /// The effective number of rows, including the last observed row.
    effective_n: f64,
    /// The running losses.
    losses: [f64; MODELS],
    /// The largest recent weight of a row: it falls by [`LOSS_RATE`] with each row.
    max_weight: f64,
    /// The running frequencies of the classes, by weight.
    frequencies: Vec<f64>,
    window: Adwin,
    /// The number of abrupt drifts.
    n_drifts: u64,
    /// The numbers of the rows of the last drifts, the newest last; 0 before the first drifts.
    drift_rows: [u64; SHOWN_DRIFTS],
}

impl DriftDetector {
    /// The detector before the first row; 0 classes in regression.
    pub(crate) fn new(classes: usize) -> Self {
        Self {
            effective_n: 0.0,
            losses: [0.5; MODELS],
            max_weight: 0.0,
            frequencies: vec![0.0; classes],
            window: Adwin::new(),
            n_drifts: 0,
            drift_rows: [0; SHOWN_DRIFTS],
        }
    }

    /// Adds classes.
    pub(crate) fn add_classes(&mut self, classes: usize) {
        self.frequencies.resize(classes, 0.0);
    }

    /// The effective number of rows, including the last observed row.
    #[inline(always)]
    pub(crate) fn effective_n(&self) -> f64 {
        self.effective_n
    }

    /// The number of abrupt drifts so far.
    pub(crate) fn n_drifts(&self) -> u64 {
        self.n_drifts
    }

    /// The numbers of the rows of the last drifts, at most 16, the newest last.
    pub(crate) fn drift_rows(&self) -> &[u64] {
        let shown = self.n_drifts.min(SHOWN_DRIFTS as u64) as usize;
        &self.drift_rows[SHOWN_DRIFTS - shown..]
    }

    /// Counts a drift at row `t`.
    fn count_drift(&mut self, t: u64) {
        saturating_inc(&mut self.n_drifts);
        self.drift_rows.rotate_left(1);
        self.drift_rows[SHOWN_DRIFTS - 1] = t;
    }

    /// The standard deviation of a running loss.
    #[inline(always)]
    fn loss_std(&self) -> f64 {
        let p = self.losses[MEAN];
        (p * (1.0 - p) * LOSS_RATE).sqrt()
    }

    /// Whether the last model is better than the mean by half a standard deviation: then it is used for prediction.
    #[inline(always)]
    pub(crate) fn is_drifting(&self) -> bool {
        self.losses[LAST] < self.losses[MEAN] - 0.5 * self.loss_std()
    }

    /// Counts a row that was learned before.
    #[inline(always)]
    pub(crate) fn observe_repeated(&mut self) {
        self.effective_n += 1.0;
    }

    /// Observes the losses of row `t`, which has this weight, before the row is learned. Returns an abrupt
    /// drift, if one is detected.
    #[inline(always)]
    pub(crate) fn observe(
        &mut self,
        t: u64,
        class: Option<usize>,
        losses: [f64; MODELS],
        weight: f64,
    ) -> Option<AbruptDrift> {
        self.max_weight = weight.max(self.max_weight * (1.0 - LOSS_RATE));
        // Rounded, so that a factor common to all weights cancels.
        let share = f64::from((weight / self.max_weight) as f32);
        let losses = losses.map(|loss| share * loss);
        let predicted = losses[if self.is_drifting() { LAST } else { MEAN }];
        self.effective_n += 1.0;
        for (mean, loss) in self.losses.iter_mut().zip(losses) {
            *mean += (loss - *mean) * LOSS_RATE;
        }
        let rate = running_weight(t);
        for (other, frequency) in self.frequencies.iter_mut().enumerate() {
            *frequency += (if Some(other) == class { share } else { 0.0 } - *frequency) * rate;
        }
        let detects_gradual = t as f64 > MIN_EFFECTIVE_N && !self.frequencies.is_empty();
        if detects_gradual && self.losses[LAST] < self.losses[MEAN] - self.loss_std() {
            let n = self.effective_n;
            // After an abrupt drift it is below the minimum already, and grows with each row.
            self.effective_n = (n - 1.0 - GRADUAL_FORGETTING * n).max(MIN_EFFECTIVE_N.min(n));
        }
        self.window.add(predicted).map(|before| self.record_drift(t, before))
    }

    /// Counts an abrupt drift at row `t` before which the mean loss was `before`, and forgets the rows before it.
    #[cold]
    fn record_drift(&mut self, t: u64, before: f64) -> AbruptDrift {
        self.count_drift(t);
        self.effective_n = self.effective_n.min(self.window.len() as f64);
        let highest = self.frequencies.iter().copied().fold(0.0, f64::max);
        // In regression, predicting the mean of the targets has a loss of about 1/4.
        let total: f64 = self.frequencies.iter().sum();
        let guessing = if self.frequencies.is_empty() { 0.5 } else { total - highest };
        let bound = before + DISCARD_ABOVE * (guessing - before).max(0.0);
        AbruptDrift { discard_coefficients: self.window.mean() > bound }
    }
}

impl DriftDetector {
    /// Counts a drift at row `t` after which nothing of the model is left: the targets have another level or unit.
    #[cold]
    pub(super) fn restart(&mut self, t: u64) {
        self.count_drift(t);
        self.effective_n = self.effective_n.min(FEW_ROWS as f64);
        self.losses = [0.5; MODELS];
        self.window = Adwin::new();
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        out.set("effective_n", self.effective_n);
        out.put("losses", &[MODELS], self.losses);
        out.set("max_weight", self.max_weight);
        out.put("frequencies", &[self.frequencies.len()], self.frequencies.iter().copied());
        out.set("n_drifts", self.n_drifts);
        out.put("drift_rows", &[SHOWN_DRIFTS], self.drift_rows.map(|row| row as f64));
        self.window.save(out.scope_mut("window"));
    }

    /// Loads a detector that was saved after `n_seen` rows.
    pub(super) fn load(&mut self, from: &Tensors, n_seen: u64) -> Result<()> {
        self.effective_n = from.finite("effective_n")?;
        let losses: Vec<f64> = from.get("losses", &[MODELS])?;
        self.losses.copy_from_slice(&losses);
        self.max_weight = from.finite("max_weight")?;
        self.frequencies = from.get("frequencies", &[self.frequencies.len()])?;
        self.n_drifts = from.count("n_drifts")?;
        let rows: Vec<f64> = from.get("drift_rows", &[SHOWN_DRIFTS])?;
        self.drift_rows.iter_mut().zip(&rows).for_each(|(to, row)| *to = *row as u64);
        let are_rows = self.drift_rows.iter().zip(&rows).all(|(to, row)| *to as f64 == *row)
            && self.drift_rows.is_sorted()
            && self.drift_rows[SHOWN_DRIFTS - 1] <= n_seen
            && self.drift_rows.iter().filter(|row| **row > 0).count() == self.drift_rows().len();
        self.window.load(from.scope("window")?)?;
        let mut rates = self.losses.iter().chain(&self.frequencies);
        // Each observed row adds at most 1.
        if (0.0..=MIN_EFFECTIVE_N.max(n_seen as f64)).contains(&self.effective_n)
            && rates.all(|rate| (0.0..=1.0).contains(rate))
            && self.max_weight >= 0.0
            && are_rows
        {
            Ok(())
        } else {
            let reason = "the drift detector's effective number of rows, losses, weight, frequencies or rows of drifts are out of range";
            Err(Error::Model(reason.into()))
        }
    }
}
