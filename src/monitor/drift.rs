//! Drift detection: which model predicts, and how many of the past rows still count.

#[cfg(test)]
mod tests;

use super::Adwin;
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::persist::{Persist, Tensors};

/// The models that are compared: a long mean, a short one, and the last model.
pub(crate) const MODELS: usize = 3;
const LONG: usize = 0;
const LAST: usize = 2;

/// The share of a row in the running losses.
const RATE: f64 = 0.002;

/// The first rows, during which nothing is forgotten gradually, and the smallest effective number of rows after it.
const MIN_EFFECTIVE_N: f64 = 200.0;

/// The share of the effective number of rows that each row of a gradual drift forgets.
const GRADUAL_FORGETTING: f64 = 0.001;
/// The smallest effective number of rows after an abrupt drift.
const MIN_WINDOW: u64 = 32;

/// The coefficients are discarded if the recent loss has risen by this share of the distance from the loss before to the
/// loss of always predicting the most frequent class (in regression: to 0.5, twice the loss of predicting the mean).
const DISCARD_ABOVE: f64 = 0.3;

/// The share of a row in the running frequencies of classes.
const MIN_SHARE: f64 = 0.01;

/// An abrupt drift: averages restart from the last model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChangeDetected {
    /// Whether the coefficients of the last model are of no use either.
    pub(crate) discard_coefficients: bool,
}

/// The effective number of rows that the model rests on, from the losses of three models.
///
/// Losses lie in `[0, 1]`; in classification they are 0 or 1. The long mean predicts unless another model has been better
/// by half a standard deviation. If the last model is better by a whole one (gradual drift), the effective number of rows
/// falls with each row; if the losses of the predicting model jump ([`Adwin`], abrupt drift), it falls to the length of
/// the remaining window.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drift {
    /// The effective number of rows.
    effective_n: f64,
    /// The running losses.
    losses: [f64; MODELS],
    /// The running frequencies of the classes.
    shares: Vec<f64>,
    window: Adwin,
    n_changes: u64,
}

impl Drift {
    /// The detector before the first row; 0 classes in regression.
    pub(crate) fn new(classes: usize) -> Self {
        let window = Adwin::new();
        Self { effective_n: 0.0, losses: [0.5; MODELS], shares: vec![0.0; classes], window, n_changes: 0 }
    }

    /// Adds classes.
    pub(crate) fn add_classes(&mut self, classes: usize) {
        self.shares.resize(classes, 0.0);
    }

    /// The effective number of rows, the present one included.
    #[inline(always)]
    pub(crate) fn effective_n(&self) -> f64 {
        self.effective_n
    }

    /// Abrupt drifts so far.
    pub(crate) fn n_changes(&self) -> u64 {
        self.n_changes
    }

    /// The standard deviation of a running loss.
    #[inline(always)]
    fn deviation(&self) -> f64 {
        let p = self.losses[LONG];
        (p * (1.0 - p) * RATE).sqrt()
    }

    /// The model that predicts: the long mean, or the best one that is better by half a standard deviation.
    #[inline(always)]
    pub(crate) fn predictor(&self) -> usize {
        let (mut best, mut least) = (LONG, self.losses[LONG] - 0.5 * self.deviation());
        for (model, &loss) in self.losses.iter().enumerate().skip(1) {
            if loss < least {
                (best, least) = (model, loss);
            }
        }
        best
    }

    /// Whether the last model is better than the long mean by half a standard deviation.
    #[inline(always)]
    pub(crate) fn is_drifting(&self) -> bool {
        self.losses[LAST] < self.losses[LONG] - 0.5 * self.deviation()
    }

    /// Observes the losses of a row before it is learned as the `t`-th.
    #[inline(always)]
    pub(crate) fn observe(
        &mut self,
        t: u64,
        class: Option<usize>,
        losses: [f64; MODELS],
    ) -> Option<ChangeDetected> {
        let predicted = losses[self.predictor()];
        self.effective_n += 1.0;
        for (mean, loss) in self.losses.iter_mut().zip(losses) {
            *mean += (loss - *mean) * RATE;
        }
        let rate = (1.0 / t as f64).max(MIN_SHARE);
        for (other, share) in self.shares.iter_mut().enumerate() {
            *share += (f64::from(u8::from(Some(other) == class)) - *share) * rate;
        }
        let gradually = t as f64 > MIN_EFFECTIVE_N && !self.shares.is_empty();
        if gradually && self.losses[LAST] < self.losses[LONG] - self.deviation() {
            self.effective_n =
                (self.effective_n - 1.0 - GRADUAL_FORGETTING * self.effective_n).max(MIN_EFFECTIVE_N);
        }
        self.window.add(predicted).map(|before| self.change_detected(before))
    }

    #[cold]
    fn change_detected(&mut self, before: f64) -> ChangeDetected {
        saturating_inc(&mut self.n_changes);
        self.effective_n = self.effective_n.min(self.window.len().max(MIN_WINDOW) as f64);
        let most = self.shares.iter().copied().fold(0.0, f64::max);
        // In regression the mean of the targets has a loss of about 1/4.
        let guessing = if self.shares.is_empty() { 0.5 } else { 1.0 - most };
        ChangeDetected {
            discard_coefficients: self.window.mean() > before + DISCARD_ABOVE * (guessing - before).max(0.0),
        }
    }
}

impl Persist for Drift {
    fn save(&self, out: &mut Tensors) {
        out.set("age", self.effective_n);
        out.put("losses", &[MODELS], self.losses);
        out.put("shares", &[self.shares.len()], self.shares.iter().copied());
        out.set("alarms", self.n_changes);
        self.window.save(out.scope_mut("window"));
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.effective_n = from.finite("age")?;
        let losses: Vec<f64> = from.get("losses", &[MODELS])?;
        self.losses.copy_from_slice(&losses);
        self.shares = from.get("shares", &[self.shares.len()])?;
        self.n_changes = from.count("alarms")?;
        self.window.load(from.scope("window")?)?;
        let mut parts = self.losses.iter().chain(&self.shares);
        // Each observed row adds 1 at most.
        let oldest = MIN_EFFECTIVE_N.max(self.window.seen() as f64);
        if (0.0..=oldest).contains(&self.effective_n) && parts.all(|part| (0.0..=1.0).contains(part)) {
            Ok(())
        } else {
            Err(Error::Model("ages, losses and frequencies must be those of a run".into()))
        }
    }
}
