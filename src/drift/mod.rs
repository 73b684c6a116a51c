//! Whether the stream has changed, and what of the past is still worth its weight.

mod adwin;
#[cfg(test)]
mod tests;

pub(crate) use adwin::Adwin;

use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::persist::{Persist, Tensors};

/// The models that are compared: a long mean, a short one, and the last model.
pub(crate) const MODELS: usize = 3;
const LONG: usize = 0;
const LAST: usize = 2;

/// The share of a row in the running losses.
const RATE: f64 = 0.002;

/// Rows before which nothing is forgotten gradually, and the least age that this leaves.
const LEAST_AGE: f64 = 200.0;

/// The share of the age that goes with each row of a gradual change, and the least age after an abrupt one.
const GRADUAL: f64 = 0.001;
const LEAST_WINDOW: u64 = 32;

/// Coefficients are given up where the recent loss has come this part of the way from the loss before to that of always
/// predicting the most frequent class; in regression, to 0.5, twice the loss of predicting the mean.
const DISCARD_ABOVE: f64 = 0.3;

/// The share of a row in the running frequencies of classes.
const LEAST_SHARE: f64 = 0.01;

/// What an abrupt change asks for: means restart from the last model, and perhaps its coefficients are of no use
/// either.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChangeDetected {
    pub(crate) discard_coefficients: bool,
}

/// How old the knowledge is that a model rests on, by what its losses say.
///
/// Losses lie in `[0, 1]`: 0 or 1 of a class. The long mean predicts unless another model has been better by half a
/// standard deviation. Where the last one is better by a whole one, the age falls row by row; where the losses of what
/// predicts jump ([`Adwin`]), to the length of the window that is left.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drift {
    /// Rows that count.
    age: f64,
    /// The running losses.
    losses: [f64; MODELS],
    /// The running frequencies of the classes.
    shares: Vec<f64>,
    window: Adwin,
    alarms: u64,
}

impl Drift {
    /// Before the first row; no classes in regression.
    pub(crate) fn new(classes: usize) -> Self {
        let window = Adwin::new();
        Self { age: 0.0, losses: [0.5; MODELS], shares: vec![0.0; classes], window, alarms: 0 }
    }

    /// There are so many classes now, more than before.
    pub(crate) fn add_classes(&mut self, classes: usize) {
        self.shares.resize(classes, 0.0);
    }

    /// Rows that count, the one that is being learned included.
    #[inline(always)]
    pub(crate) fn age(&self) -> f64 {
        self.age
    }

    /// Abrupt changes so far.
    pub(crate) fn alarms(&self) -> u64 {
        self.alarms
    }

    /// The standard deviation of a running loss.
    #[inline(always)]
    fn deviation(&self) -> f64 {
        let p = self.losses[LONG];
        (p * (1.0 - p) * RATE).sqrt()
    }

    /// The model that predicts: the long mean, or the best one that is clearly better.
    #[inline(always)]
    pub(crate) fn served(&self) -> usize {
        let (mut best, mut least) = (LONG, self.losses[LONG] - 0.5 * self.deviation());
        for (model, &loss) in self.losses.iter().enumerate().skip(1) {
            if loss < least {
                (best, least) = (model, loss);
            }
        }
        best
    }

    /// Whether the last model is clearly better than the long mean.
    #[inline(always)]
    pub(crate) fn is_drifting(&self) -> bool {
        self.losses[LAST] < self.losses[LONG] - 0.5 * self.deviation()
    }

    /// Takes the losses of a row into account, before it is learned as the `t`-th.
    #[inline(always)]
    pub(crate) fn observe(
        &mut self,
        t: u64,
        class: Option<usize>,
        losses: [f64; MODELS],
    ) -> Option<ChangeDetected> {
        let served = losses[self.served()];
        self.age += 1.0;
        for (mean, loss) in self.losses.iter_mut().zip(losses) {
            *mean += (loss - *mean) * RATE;
        }
        let rate = (1.0 / t as f64).max(LEAST_SHARE);
        for (other, share) in self.shares.iter_mut().enumerate() {
            *share += (f64::from(u8::from(Some(other) == class)) - *share) * rate;
        }
        let gradually = t as f64 > LEAST_AGE && !self.shares.is_empty();
        if gradually && self.losses[LAST] < self.losses[LONG] - self.deviation() {
            self.age = (self.age - 1.0 - GRADUAL * self.age).max(LEAST_AGE);
        }
        self.window.add(served).map(|before| self.alarm(before))
    }

    #[cold]
    fn alarm(&mut self, before: f64) -> ChangeDetected {
        saturating_inc(&mut self.alarms);
        self.age = self.age.min(self.window.len().max(LEAST_WINDOW) as f64);
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
        out.set("age", self.age);
        out.put("losses", &[MODELS], self.losses);
        out.put("shares", &[self.shares.len()], self.shares.iter().copied());
        out.set("alarms", self.alarms);
        self.window.save(out.scope_mut("window"));
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.age = from.finite("age")?;
        let losses: Vec<f64> = from.get("losses", &[MODELS])?;
        self.losses.copy_from_slice(&losses);
        self.shares = from.get("shares", &[self.shares.len()])?;
        self.alarms = from.count("alarms")?;
        self.window.load(from.scope("window")?)?;
        let mut parts = self.losses.iter().chain(&self.shares);
        // Each row that is observed makes it older by one at most.
        let oldest = LEAST_AGE.max(self.window.seen() as f64);
        if (0.0..=oldest).contains(&self.age) && parts.all(|part| (0.0..=1.0).contains(part)) {
            Ok(())
        } else {
            Err(Error::Model("ages, losses and frequencies must be those of a run".into()))
        }
    }
}
