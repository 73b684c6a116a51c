//! Online gradient descent with a constant step size on the hinge loss (Zhao et al. 2012: BOGD without its budget).

use super::UpdateRule;
use crate::error::Result;
use crate::expansion::Scored;
use crate::float::Real;
use crate::losses::{margin, write_direction};
use crate::persist::{Persist, Tensors};

/// Online gradient descent: `w <- (1 - eta lambda) w + eta v phi_t [margin < 1]`. The decay is kept as the scale
/// `(1 - eta lambda)^(t - s)`; it moves into the coefficients at an example s when it has become small.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ogd {
    /// The step size, > 0.
    eta: f64,
    /// `1 - eta lambda`, > 0.
    decay: f64,
    /// s, the number of examples up to the last folding of the scale.
    folded_at: u64,
}

/// A scale below this moves into the coefficients.
const FOLD_BELOW: f64 = 0.5;

impl Ogd {
    /// A rule with `eta * lambda < 1`.
    pub(crate) fn new(eta: f64, lambda: f64) -> Self {
        Self { eta, decay: 1.0 - eta * lambda, folded_at: 0 }
    }

    /// `decay^n` by squaring: unlike `powi`, it has equal bits on every platform.
    #[inline(always)]
    fn decay_power(&self, mut n: u64) -> f64 {
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
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        let Scored { example, f, .. } = scored;
        let (margin, rival) = margin(example.label, f);
        // The margin before the decay, in f64 because it may exceed the range of f32.
        if margin.to_f64() * self.scale(example.t - 1) >= 1.0 {
            return false;
        }
        let step = self.eta * example.weight / self.scale(example.t);
        write_direction(example.label, rival, T::from_f64(step), alpha);
        true
    }
}

impl Ogd {
    #[inline(always)]
    pub(super) fn fold_scale(&mut self, t: u64) -> f64 {
        let scale = self.scale(t - 1);
        if scale >= FOLD_BELOW {
            return 1.0;
        }
        self.folded_at = t - 1;
        scale
    }

    #[inline(always)]
    pub(super) fn scale(&self, t: u64) -> f64 {
        self.decay_power(t.saturating_sub(self.folded_at))
    }

    #[inline(always)]
    pub(super) fn gradient_error_factor(&self, t: u64) -> f64 {
        self.scale(t) / self.eta
    }
}

impl Persist for Ogd {
    fn save(&self, out: &mut Tensors) {
        out.set("folded_at", self.folded_at);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.folded_at = from.count("folded_at")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Example, Label};
    use crate::rules::tests::learn;

    #[test]
    fn the_scale_times_the_folded_factors_decays_at_every_example() {
        let mut rule = Ogd::new(0.5, 0.2);
        let mut folded = 1.0;
        for t in 1..500u64 {
            folded *= rule.fold_scale(t);
            let expected = 0.9f64.powi(t as i32);
            assert!((rule.scale(t) * folded / expected - 1.0).abs() < 1e-12);
            assert!(rule.scale(t) > 0.4);
        }
    }

    #[test]
    fn margins_are_taken_before_the_decay() {
        let mut rule = Ogd::new(0.5, 0.2);
        let example = |t| Example::new(Label::Sign(-1.0), t, 2.0);
        let mut alpha = [0.0];
        // At t = 3 the scale is 0.81: an unscaled score of -1/0.81 is a margin of 1.
        assert!(!learn(&mut rule, example(3), 1.0, &[-1.0 / 0.81 - 1e-9], &mut alpha));
        assert!(learn(&mut rule, example(3), 1.0, &[-1.0 / 0.81 + 1e-9], &mut alpha));
        assert!((alpha[0] * rule.scale(3) + 1.0).abs() < 1e-12);
    }
}
