//! The regression rule of `online-kernel`: PA-I on the epsilon-insensitive loss, in standard deviations of the targets.

use super::targets::Targets;
use super::{RelativeWeight, RowShare, UpdateRule};
use crate::batch::Label;
use crate::constants::{MAX_SQ_ERROR, running_weight};
use crate::error::{Result, check_model};
use crate::expansion::Scored;
use crate::float::Real;
use crate::persist::{Persist, Tensors};

/// The lower bound of `1 - p`, the factor of the cap.
const MIN_CAP_FACTOR: f64 = 0.25;

/// The unit of the coefficients stays within this factor of the standard deviation of the targets.
const UNIT_RANGE: f64 = 64.0;

/// The smallest unit in units of the present target: an outlier must not leave the range of the float type.
const MIN_UNIT: f64 = 1e-12;

/// The standard deviation of a normal variable over its mean absolute deviation, `sqrt(pi / 2)`.
const STD_OF_MEAN_DEVIATION: f64 = 1.2533;

/// PA-I on standardised targets. With the standard deviation s of the targets so far and the error
/// `a = |y - f| / s > e`, the step is `s min((a - e) / k_tt, C_t)`. The cap is
/// `C_t = C0 max(1/4, 1 - p) / sqrt(n)` with the running mean p of `min(a^2, 4)` and the effective number of
/// rows n: the less of the targets' variance the model explains, the shorter the steps.
///
/// The width is `e = epsilon min(1, 1.2533 m / s)` with the mean absolute deviation m of the targets: most
/// deviations of skewed targets are much smaller than s. Predictions are limited to the range of the targets
/// seen.
///
/// A row whose weight is q times the mean acts as about q rows ([`RowShare`]): with less than one it takes a
/// part of the step. The cap is multiplied by q.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EpsilonInsensitivePa {
    c0: f64,
    decay: bool,
    epsilon: f64,
    targets: Targets,
    /// p, the running mean of clipped squared errors.
    mean_sq_error: f64,
    weights: RelativeWeight,
}

impl EpsilonInsensitivePa {
    pub(crate) fn new(c0: f64, decay: bool, epsilon: f64) -> Self {
        let (targets, weights) = (Targets::default(), RelativeWeight::default());
        Self { c0, decay, epsilon, targets, mean_sq_error: 1.0, weights }
    }

    /// p, the share of the targets' variance that recent predictions left unexplained.
    pub(crate) fn unexplained_variance(&self) -> f64 {
        self.mean_sq_error
    }

    /// Pools the statistics of the parts' targets, by shares that sum to 1, and replaces p by its mean.
    pub(crate) fn pool<'a>(&mut self, parts: impl Iterator<Item = (&'a Self, f64)> + Clone) {
        let parts = parts.filter(|(part, share)| part.targets.n > 0 && *share > 0.0);
        let shares: f64 = parts.clone().map(|(_, share)| share).sum();
        if shares > 0.0 {
            let mean = parts.clone().map(|(part, share)| share * part.mean_sq_error).sum::<f64>() / shares;
            self.mean_sq_error = mean.min(MAX_SQ_ERROR);
            self.targets.pool(parts.map(|(part, share)| (&part.targets, share)));
        }
    }

    /// The half width of the tube without steps, in standard deviations s of the targets.
    fn width(&self, s: f64) -> f64 {
        self.epsilon * (STD_OF_MEAN_DEVIATION * self.targets.mean_deviation() / s).min(1.0)
    }
}

/// The largest power of two up to x > 0, limited to the range in which it has an inverse.
fn power_of_two(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    f64::from_bits(x.clamp(1e-300, 1e300).to_bits() & !MANTISSA)
}

impl UpdateRule for EpsilonInsensitivePa {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        let Scored { example, f, k_tt, unit, .. } = scored;
        let Label::Value(y) = example.label else { return false };
        let weight = self.weights.observe(example.weight);
        let s = self.target_std();
        if s <= 0.0 {
            return false;
        }
        let error = y - f[0].to_f64() * unit;
        let a = error.abs() / s;
        self.mean_sq_error += ((a * a).min(MAX_SQ_ERROR) - self.mean_sq_error) * running_weight(example.t);
        let width = self.width(s);
        if a <= width {
            return false;
        }
        let divisor = if self.decay { example.effective_n.max(1.0).sqrt() } else { 1.0 };
        let share = RowShare::new(weight).step;
        let cap = weight * self.c0 * (1.0 - self.mean_sq_error).max(MIN_CAP_FACTOR) / divisor;
        let step = (share * (a - width) / k_tt.to_f64()).min(cap) * s;
        alpha[0] = T::from_f64((step / unit).copysign(error));
        true
    }
}

impl EpsilonInsensitivePa {
    /// A power of two near the standard deviation of the targets; before that is known, near the first target.
    #[inline(always)]
    pub(super) fn unit(&self, label: Label, unit: f64) -> f64 {
        let Label::Value(y) = label else { return unit };
        let s = self.target_std();
        // Without a deviation, all targets before are the mean, and so is the model's constant.
        let size = if s > 0.0 { s.max(y.abs() * MIN_UNIT) } else { y.abs().max(self.targets.mean.abs()) };
        // The unit before the first target that is not 0 says nothing.
        let is_first = s == 0.0 && self.targets.mean == 0.0;
        let is_near = !is_first && size < unit * UNIT_RANGE && size * UNIT_RANGE > unit;
        if is_near || size == 0.0 { unit } else { power_of_two(size) }
    }

    pub(super) fn observe_target(&mut self, label: Label) -> bool {
        if let Label::Value(y) = label { self.targets.observe(y) } else { false }
    }

    pub(super) fn target_std(&self) -> f64 {
        self.targets.std()
    }

    #[inline(always)]
    pub(super) fn limited<T: Real>(&self, f: T) -> T {
        let [min, max] = self.targets.range;
        if min <= max { T::from_f64(f.to_f64().clamp(min, max)) } else { f }
    }
}

impl Persist for EpsilonInsensitivePa {
    fn save(&self, out: &mut Tensors) {
        self.targets.save(out);
        self.weights.save(out);
        out.set("loss", self.mean_sq_error);
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.targets.load(from)?;
        self.weights.load(from)?;
        self.mean_sq_error = from.finite("loss")?;
        check_model(
            (0.0..=MAX_SQ_ERROR).contains(&self.mean_sq_error),
            "the mean squared error is out of range",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Example;
    use crate::rules::tests;

    fn learn(
        rule: &mut EpsilonInsensitivePa,
        (t, y): (u64, f64),
        k_tt: f64,
        f: f64,
        alpha: &mut [f64],
    ) -> bool {
        rule.observe_target(Label::Value(y));
        tests::learn(rule, Example::new(Label::Value(y), t, 1.0), k_tt, &[f], alpha)
    }

    #[test]
    fn steps_by_hand() {
        let mut rule = EpsilonInsensitivePa::new(20.0, true, 0.3);
        let mut alpha = [0.0];
        let mut step = |y: f64, t: u64, f: f64| {
            let moves = learn(&mut rule, (t, y), 2.0, f, &mut alpha);
            moves.then_some(alpha[0])
        };
        assert_eq!(step(10.0, 1, 0.0), None, "the standard deviation of one target is 0");
        // Mean 12, standard deviation 2, mean absolute deviation 1: a = 2, and the step is 2 (2 - e)/2, below the cap.
        let found = step(14.0, 2, 10.0).unwrap();
        assert!((found - (2.0 - 0.3 * 1.2533 / 2.0)).abs() < 1e-12, "{found}");
        // The standard deviation is sqrt(8/3), the mean absolute deviation 2/3, and the error is within the width.
        assert_eq!(step(12.0, 3, 12.2), None);
        let found = step(12.0, 4, 14.0).unwrap();
        let (s, width) = (2f64.sqrt(), 0.3 * 1.2533 * 0.5 / 2f64.sqrt());
        assert!((found + s * (s - width) / 2.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn units_are_powers_of_two_near_the_deviation() {
        let mut rule = EpsilonInsensitivePa::new(1.0, true, 0.1);
        assert_eq!(rule.unit(Label::Value(0.0), 1.0), 1.0, "a target of 0 says nothing about the unit");
        assert_eq!(rule.unit(Label::Value(-1000.0), 1.0), 512.0);
        let mut zeros = EpsilonInsensitivePa::new(1.0, true, 0.1);
        zeros.observe_target(Label::Value(0.0));
        assert_eq!(zeros.unit(Label::Value(3.0), 1.0), 2.0, "the first target that is not 0 sets the unit");
        for (t, y) in (1..).zip([1000.0, 1001.0, 1000.0, 1001.0]) {
            learn(&mut rule, (t, y), 1.0, y, &mut [0.0]);
            let keeps_unit = rule.unit(Label::Value(1e-9), 512.0) == 512.0;
            assert_eq!(keeps_unit, t == 1, "after one target the constant of the model is 1000");
        }
        assert_eq!(rule.unit(Label::Value(1000.0), 512.0), 0.25, "the deviation is about 0.5");
        assert_eq!(rule.unit(Label::Value(1000.0), 8.0), 8.0, "near enough");
        assert_eq!(rule.unit(Label::Value(1e15), 8.0), 512.0, "an outlier is at most 1e12 units");
        assert_eq!(power_of_two(f64::MIN_POSITIVE / 8.0), power_of_two(1e-300));
    }

    #[test]
    fn the_width_of_skewed_targets_is_smaller() {
        let mut rule = EpsilonInsensitivePa::new(1e6, false, 0.1);
        for t in 1..=100_u64 {
            let y = if t % 10 == 0 { 10.0 } else { 0.0 };
            learn(&mut rule, (t, y), 1.0, y, &mut [0.0]);
        }
        // Standard deviation 3, and a mean absolute deviation of 1.6119, each target from the mean so far.
        let s = rule.target_std();
        assert!((s - 3.0).abs() < 1e-9, "{s}");
        assert!((rule.width(s) - 0.1 * 1.2533 * 1.6119 / 3.0).abs() < 1e-5, "{}", rule.width(s));
        assert_eq!([-1.0, 4.0, 11.0].map(|f: f64| rule.limited(f)), [0.0, 4.0, 10.0]);
        assert_eq!(EpsilonInsensitivePa::new(1.0, true, 0.1).limited(7.0), 7.0, "no target was seen");
    }

    #[test]
    fn the_cap_falls_with_the_error() {
        let step = |error: f64| {
            let mut rule = EpsilonInsensitivePa::new(0.01, false, 0.0);
            let mut alpha = [0.0];
            for t in 1..=2000_u64 {
                let y = if t % 2 == 0 { 1.0 } else { -1.0 };
                learn(&mut rule, (t, y), 1.0, y - error, &mut alpha);
            }
            alpha[0]
        };
        assert!((step(0.1) - 0.01 * 0.99).abs() < 1e-4, "{}", step(0.1));
        assert!((step(2.0) - 0.01 * 0.25).abs() < 1e-4, "{}", step(2.0));
    }
}
