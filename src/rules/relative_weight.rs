//! Weights relative to their mean, which act as numbers of rows.

use crate::count::{MAX_COUNT, saturating_inc};
use crate::error::{Result, check_model};
use crate::persist::{Persist, Tensors};

/// The running mean of the weights. A row of weight w is learned as `w / mean` rows spread over the stream.
///
/// Weights are counted in units of the first weight and rounded to single precision. So equal weights are
/// exactly 1, and a factor common to all weights cancels.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RelativeWeight {
    /// The unit: the weight of the first row.
    first: f64,
    /// The sum of the weights, in units.
    sum: f64,
    /// The number of rows.
    n: u64,
}

impl RelativeWeight {
    /// Adds a weight, and returns it relative to the mean of all weights so far.
    #[inline(always)]
    pub(crate) fn observe(&mut self, weight: f64) -> f64 {
        if self.n == 0 {
            self.first = weight;
        }
        let units = f64::from(((weight / self.first) as f32).min(f32::MAX));
        saturating_inc(&mut self.n);
        self.sum = (self.sum + units).min(f64::MAX);
        if units == 1.0 && self.sum == self.n as f64 {
            return 1.0; // without the division
        }
        units * self.n as f64 / self.sum
    }
}

/// How a row of relative weight q is learned: it acts as q rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RowShare {
    /// The part of a step that the row takes, at most 1.
    pub(super) step: f64,
    /// The number of rows that the row acts as, at least 1.
    pub(super) rows: f64,
}

impl RowShare {
    #[inline(always)]
    pub(super) fn new(q: f64) -> Self {
        Self { step: q.min(1.0), rows: q.max(1.0) }
    }
}

impl Persist for RelativeWeight {
    fn save(&self, out: &mut Tensors) {
        out.set("first_weight", self.first);
        out.set("weights", self.sum);
        out.set("weighted_rows", self.n);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        (self.first, self.sum) = (from.finite("first_weight")?, from.finite("weights")?);
        self.n = from.count("weighted_rows")?;
        let is_valid = if self.n == 0 {
            (self.first, self.sum) == (0.0, 0.0)
        } else {
            self.first > 0.0 && self.sum > 0.0 && self.n <= MAX_COUNT
        };
        check_model(is_valid, "the mean of the weights is out of range")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_are_1_and_a_common_factor_cancels() {
        let mut equal = RelativeWeight::default();
        assert!((0..1000).all(|_| equal.observe(0.1) == 1.0));
        let weights = [0.3, 1.0, 7.7, 0.123_456_789, 30.0, 1e-5];
        for factor in [3.0, 0.1, 1e9, 1e-9] {
            let (mut a, mut b) = (RelativeWeight::default(), RelativeWeight::default());
            for weight in weights.repeat(100) {
                assert_eq!(a.observe(weight).to_bits(), b.observe(weight * factor).to_bits());
            }
        }
    }

    #[test]
    fn shares_by_hand() {
        let mut mean = RelativeWeight::default();
        assert_eq!([1.0, 3.0, 2.0].map(|weight| mean.observe(weight)), [1.0, 1.5, 1.0]);
        assert_eq!(RowShare::new(4.0), RowShare { step: 1.0, rows: 4.0 });
        assert_eq!(RowShare::new(0.25), RowShare { step: 0.25, rows: 1.0 });
    }
}
