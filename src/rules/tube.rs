//! The regression rule of the online kernel machine: passive-aggressive steps in units of the targets' deviation.

use super::{Example, UpdateRule};
use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Label;
use crate::persist::{Persist, Tensors};

/// The running loss is that of rows with at most this squared error, in deviations.
const MOST: f64 = 4.0;

/// The least share of a row in the running loss, and rows that count before the first.
const LEAST_SHARE: f64 = 0.001;
const BEFORE: f64 = 20.0;

/// The least part of the cap that is left where nothing can be predicted.
const LEAST_CAP: f64 = 0.25;

/// PA-I with a tube of half width epsilon: with `a = |y - f| / s`, s the deviation of the targets so far, the step is
/// `s min((a - epsilon) / k_tt, C_t)` and `C_t = C0 max(1/4, 1 - p) / sqrt(t)`, p the running mean of `min(a^2, 4)`:
/// the less of the targets can be predicted, the shorter the steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EpsilonInsensitivePa {
    c0: f64,
    decay: bool,
    epsilon: f64,
    /// Of the targets.
    rows: u64,
    mean: f64,
    squares: f64,
    /// p
    loss: f64,
}

impl EpsilonInsensitivePa {
    pub(crate) fn new(c0: f64, decay: bool, epsilon: f64) -> Self {
        Self { c0, decay, epsilon, rows: 0, mean: 0.0, squares: 0.0, loss: 1.0 }
    }

    /// Takes a target into account (Welford's rule), as one that is at most `2 sqrt(n)` deviations from the mean of n;
    /// the first that differs whole.
    fn observe(&mut self, y: f64) {
        saturating_inc(&mut self.rows);
        let farthest = if self.squares > 0.0 { 2.0 * self.squares.sqrt() } else { f64::INFINITY };
        let difference = (y - self.mean).clamp(-farthest, farthest);
        let step = difference / self.rows as f64;
        self.mean += step;
        self.squares += difference * (difference - step);
    }
}

impl UpdateRule for EpsilonInsensitivePa {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool {
        let Label::Value(y) = example.label else { return false };
        self.observe(y);
        let s = self.target_std();
        if s <= 0.0 {
            return false;
        }
        let error = y - f[0].to_f64();
        let a = error.abs() / s;
        self.loss += ((a * a).min(MOST) - self.loss) * (1.0 / (example.t as f64 + BEFORE)).max(LEAST_SHARE);
        if a <= self.epsilon {
            return false;
        }
        let fall = if self.decay { example.effective_n.max(1.0).sqrt() } else { 1.0 };
        let cap = example.weight * self.c0 * (1.0 - self.loss).max(LEAST_CAP) / fall;
        let step = ((a - self.epsilon) / example.k_tt.to_f64()).min(cap) * s;
        row[0] = T::from_f64(step.copysign(error));
        true
    }

    /// The deviation of the targets so far.
    fn target_std(&self) -> f64 {
        (self.squares / self.rows.max(1) as f64).max(0.0).sqrt()
    }

    fn restart(&mut self) {
        self.loss = self.loss.min(0.5);
    }
}

impl Persist for EpsilonInsensitivePa {
    fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        out.set("mean", self.mean);
        out.set("squares", self.squares);
        out.set("loss", self.loss);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.rows = from.count("rows")?;
        (self.mean, self.squares) = (from.finite("mean")?, from.finite("squares")?);
        self.loss = from.finite("loss")?;
        if self.squares >= 0.0 && (0.0..=MOST).contains(&self.loss) {
            Ok(())
        } else {
            Err(Error::Model("the moments of the targets must be those of a run".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_by_hand() {
        let mut rule = EpsilonInsensitivePa::new(20.0, true, 0.3);
        let mut row = [0.0];
        let mut propose = |y: f64, t: u64, f: f64| {
            let moves = rule.coefficients(&Example::new(Label::Value(y), t, 1.0, 2.0), &[f], &mut row);
            moves.then_some(row[0])
        };
        assert_eq!(propose(10.0, 1, 0.0), None, "one target has no deviation");
        // Mean 12, deviation 2: a = 2, the step is 2 (2 - 0.3)/2, far under the cap.
        let step = propose(14.0, 2, 10.0).unwrap();
        assert!((step - 1.7).abs() < 1e-12, "{step}");
        // Within the tube: deviation sqrt(8/3).
        assert_eq!(propose(12.0, 3, 12.4), None);
        let step = propose(12.0, 4, 14.0).unwrap();
        assert!((step + 2f64.sqrt() * (2f64.sqrt() - 0.3) / 2.0).abs() < 1e-12, "{step}");
        // A sum of squares of 8: a broken target counts as one that is 2 sqrt(8) above the mean of 12.
        propose(1e30, 5, 12.0);
        assert!((rule.mean - (12.0 + 32f64.sqrt() / 5.0)).abs() < 1e-12, "{}", rule.mean);
        assert!((rule.squares - (8.0 + 32.0 * 0.8)).abs() < 1e-12, "{}", rule.squares);
    }

    #[test]
    fn the_cap_falls_with_what_cannot_be_predicted() {
        let step = |errors: f64| {
            let mut rule = EpsilonInsensitivePa::new(0.01, false, 0.0);
            let mut row = [0.0];
            for t in 1..=2000_u64 {
                let y = if t % 2 == 0 { 1.0 } else { -1.0 };
                rule.coefficients(&Example::new(Label::Value(y), t, 1.0, 1.0), &[y - errors], &mut row);
            }
            row[0]
        };
        assert!((step(0.1) - 0.01 * 0.99).abs() < 1e-4, "{}", step(0.1));
        assert!((step(2.0) - 0.01 * 0.25).abs() < 1e-4, "{}", step(2.0));
    }
}
