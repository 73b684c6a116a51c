//! Thresholds of prediction sets, from the probabilities of rows before they were learned.

use super::{Calibration, Thresholds};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::losses::predicted_class;
use crate::ops::Ops;
use crate::persist::Tensors;

/// Smaller probabilities count as this.
const MIN_PROBABILITY: f64 = 1e-6;

/// A class belongs to the prediction set if `-ln p <= q`, and the predicted class always does. The score of a row is
/// `-ln p` of its class (Sadinle, Lei and Wasserman 2019: with true probabilities these are the smallest sets), 0 if
/// its class is predicted, and infinite if its class has never been seen.
#[derive(Debug, Clone)]
pub(crate) struct PredictionSets {
    thresholds: Thresholds,
    /// Whether each class has been seen.
    seen: Vec<bool>,
    /// A buffer of probabilities.
    p: Vec<f64>,
}

/// `-ln p`
fn score(p: f64) -> f64 {
    -p.max(MIN_PROBABILITY).ln()
}

impl PredictionSets {
    /// The thresholds before the first row.
    pub(crate) fn new(classes: usize) -> Self {
        Self { thresholds: Thresholds::new(score(0.0)), seen: vec![false; classes], p: vec![0.0; classes] }
    }

    pub(crate) fn add_classes(&mut self, classes: usize) {
        self.seen.resize(classes, false);
        self.p.resize(classes, 0.0);
    }

    /// Observes a row by its scores before it was learned, the calibration before the row, and its class. The very
    /// first row is left out: no class could be predicted.
    #[inline(always)]
    pub(crate) fn observe<T: Real>(
        &mut self,
        ops: Ops<T>,
        (f, calibration): (&[f64], &Calibration),
        class: usize,
    ) {
        if std::mem::replace(&mut self.seen[class], true) {
            let s =
                if predicted_class(f) == class { 0.0 } else { self.score_of(ops, (f, calibration), class) };
            self.thresholds.observe(s);
        } else if self.seen.iter().filter(|seen| **seen).count() > 1 {
            self.thresholds.observe(f64::INFINITY);
        }
    }

    #[inline(never)]
    fn score_of<T: Real>(
        &mut self,
        ops: Ops<T>,
        (f, calibration): (&[f64], &Calibration),
        class: usize,
    ) -> f64 {
        calibration.probabilities(ops, f, &mut self.p);
        score(self.p[class])
    }

    /// For each class whether it belongs to the set of a row with these probabilities, by the threshold q.
    pub(crate) fn of(p: &[f64], predicted: usize, q: f64) -> impl Iterator<Item = bool> {
        p.iter().enumerate().map(move |(class, &p)| class == predicted || score(p) <= q)
    }

    pub(crate) fn thresholds_mut(&mut self) -> &mut Thresholds {
        &mut self.thresholds
    }

    pub(crate) fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        self.thresholds.save(out);
        out.put("seen", &[self.seen.len()], self.seen.iter().map(|seen| u32::from(*seen)));
    }

    pub(crate) fn load(&mut self, from: &Tensors) -> Result<()> {
        self.thresholds.load(from)?;
        let seen: Vec<u32> = from.get("seen", &[self.seen.len()])?;
        if seen.iter().any(|seen| *seen > 1) {
            return Err(Error::Model("a class has been seen (1) or not (0)".into()));
        }
        self.seen.iter_mut().zip(seen).for_each(|(to, seen)| *to = seen == 1);
        Ok(())
    }
}
