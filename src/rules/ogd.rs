//! Online gradient descent with a constant step on the hinge loss (Zhao et al. 2012, BOGD without its budget).

use super::{Example, UpdateRule};
use crate::error::Result;
use crate::float::Real;
use crate::losses::{direction, margin};
use crate::persist::{Persist, Tensors};

/// `w <- (1 - eta lambda) w`, and `+ eta v phi_t` where the margin before it is under 1. The decay is the scale,
/// `(1 - eta lambda)^(t - s)`, moved into the coefficients at an example s whenever it has become small.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ogd {
    /// The step, > 0.
    eta: f64,
    /// `1 - eta lambda`, > 0.
    decay: f64,
    /// Examples before the scale was last moved.
    since: u64,
}

/// A scale under which it is moved into the coefficients.
const FOLD: f64 = 0.5;

impl Ogd {
    /// With the papers' lambda, `eta * alpha < 1`.
    pub(crate) fn new(eta: f64, alpha: f64) -> Self {
        Self { eta, decay: 1.0 - eta * alpha, since: 0 }
    }

    /// `decay^n` by squaring, so that it has the same bits everywhere.
    #[inline(always)]
    fn after(&self, mut n: u64) -> f64 {
        let (mut power, mut product) = (self.decay, 1.0);
        while n > 0 {
            if n & 1 == 1 {
                product *= power;
            }
            power *= power;
            n >>= 1;
        }
        product
    }
}

impl UpdateRule for Ogd {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool {
        let (margin, rival) = margin(example.label, f);
        // Before the decay; without rounding to T, which could not hold a large one.
        if margin.to_f64() * self.scale(example.t - 1) >= 1.0 {
            return false;
        }
        let step = self.eta * example.weight / self.scale(example.t);
        direction(example.label, rival, T::from_f64(step), row);
        true
    }

    #[inline(always)]
    fn fold_scale(&mut self, t: u64) -> f64 {
        let scale = self.scale(t - 1);
        if scale >= FOLD {
            return 1.0;
        }
        self.since = t - 1;
        scale
    }

    #[inline(always)]
    fn scale(&self, t: u64) -> f64 {
        self.after(t.saturating_sub(self.since))
    }

    #[inline(always)]
    fn inv_step_size(&self, t: u64) -> f64 {
        self.scale(t) / self.eta
    }
}

impl Persist for Ogd {
    fn save(&self, out: &mut Tensors) {
        out.set("since", self.since);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.since = from.count("since")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Label;

    #[test]
    fn the_scale_and_what_is_moved_of_it_decay_at_every_example() {
        let mut rule = Ogd::new(0.5, 0.2);
        let mut moved = 1.0;
        for t in 1..500u64 {
            moved *= rule.fold_scale(t);
            let expected = 0.9f64.powi(t as i32);
            assert!((rule.scale(t) * moved / expected - 1.0).abs() < 1e-12);
            assert!(rule.scale(t) > 0.4);
        }
    }

    #[test]
    fn margins_are_those_before_the_decay() {
        let mut rule = Ogd::new(0.5, 0.2);
        let example = |t| Example::<f64>::new(Label::Sign(-1.0), t, 2.0, 1.0);
        let mut row = [0.0];
        // At t = 3 the scale is 0.81: a raw score of -1/0.81 is a margin of 1.
        assert!(!rule.coefficients(&example(3), &[-1.0 / 0.81 - 1e-9], &mut row));
        assert!(rule.coefficients(&example(3), &[-1.0 / 0.81 + 1e-9], &mut row));
        assert!((row[0] * rule.scale(3) + 1.0).abs() < 1e-12);
    }
}
