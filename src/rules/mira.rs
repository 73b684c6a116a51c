//! MIRA, the margin-infused relaxed algorithm (Crammer and Singer 2003; Crammer, Kandola and Singer 2003).

use super::UpdateRule;
use super::passive_aggressive::MAX_CAP;
use crate::batch::Label;
use crate::expansion::Scored;
use crate::float::{Real, max};

/// MIRA: the smallest change of the model that gives the example a margin of beta over every rival, with steps of at
/// most C. The steps tau minimise `1/2 k_tt sum_r tau_r^2 + sum_r B_r tau_r` subject to `tau_r <= C [r = y]` and
/// `sum_r tau_r = 0`, with `B_r = f_r + beta [r != y]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mira {
    /// The required margin.
    pub(crate) beta: f64,
    /// C, the cap on steps; the weight of an example multiplies it.
    pub(crate) c: f64,
    /// The rivals above the label and their excesses `e_r`, while a step is computed; otherwise empty.
    rivals: Vec<(usize, f64)>,
}

impl Mira {
    pub(crate) fn new(beta: f64, c: f64) -> Self {
        Self { beta, c, rivals: Vec::new() }
    }
}

impl UpdateRule for Mira {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        self.step(scored, scored.example.weight, scored.k_tt.to_f64(), alpha)
    }
}

impl Mira {
    /// The step on an example, with another weight and another `k_tt` than its own.
    #[inline(always)]
    pub(super) fn step<T: Real>(
        &mut self,
        Scored { example, f, .. }: &Scored<'_, T>,
        weight: f64,
        k_tt: f64,
        alpha: &mut [T],
    ) -> bool {
        let cap = (self.c * weight).min(MAX_CAP);
        match example.label {
            Label::Sign(y) | Label::Value(y) => {
                let tau = ((self.beta - y * f[0].to_f64()) / k_tt).min(cap);
                alpha[0] = T::from_f64(y * tau);
                tau > 0.0
            }
            Label::Class(y) => self.steps(y as usize, f, k_tt, cap, alpha),
        }
    }

    /// The solution for more than two classes. Over the rivals r with `e_r = B_r - B_y > 0`, theta is such that
    /// `sum_r max(0, e_r - theta) = min(theta, C k_tt)`. Then `tau_r = -max(0, e_r - theta)/k_tt`, and `tau_y` is minus
    /// the sum of all `tau_r`. This is a projection onto a simplex. All scores are relative to the label's score or, if
    /// the cap is active, to the largest excess, so that neither a large C nor a small C loses digits.
    #[inline(always)]
    fn steps<T: Real>(&mut self, y: usize, f: &[T], k_tt: f64, cap: f64, alpha: &mut [T]) -> bool {
        let (own, cap) = (f[y].to_f64(), cap * k_tt);
        let excess = |f: &T| f.to_f64() - own + self.beta;
        let (before, after) = (&f[..y], &f[y + 1..]);
        let largest = before.iter().chain(after).map(excess).fold(0.0, max);
        if largest <= 0.0 {
            return false;
        }
        // theta is at least half of the largest excess, and at least the largest excess minus C k_tt.
        let least = max(0.5 * largest, largest - cap);
        self.rivals.clear();
        self.rivals.reserve(f.len());
        for (r, f) in f.iter().enumerate() {
            let excess = excess(f);
            if excess >= least && r != y {
                self.rivals.push((r, excess));
            }
        }
        let all = || self.rivals.iter().map(|(_, e)| *e);
        let uncapped = raise_threshold(all, |sum, count| sum / (count + 1.0));
        let (origin, theta) = if uncapped <= cap {
            (0.0, uncapped)
        } else {
            let max_excess = all().fold(0.0, max);
            let relative = || all().map(|e| e - max_excess);
            (max_excess, raise_threshold(relative, |sum, count| (sum - cap) / count))
        };
        let mut total = 0.0;
        alpha.fill(T::ZERO);
        for (r, e) in self.rivals.drain(..) {
            let step = (e - origin - theta).max(0.0) / k_tt;
            total += step;
            alpha[r] = T::from_f64(-step);
        }
        alpha[y] = T::from_f64(total);
        total > 0.0
    }
}

/// The threshold theta that equals `update(sum, count)` of the entries above theta (Michelot 1986). It is raised from
/// below, each time over the entries still above it, and is exact after at most one round per entry.
#[inline(always)]
fn raise_threshold<I: Iterator<Item = f64>>(
    entries: impl Fn() -> I,
    update: impl Fn(f64, f64) -> f64,
) -> f64 {
    let (mut theta, mut last_count) = (f64::NEG_INFINITY, usize::MAX);
    loop {
        let above = entries().filter(|e| *e > theta);
        let (sum, count) = above.fold((0.0, 0), |(sum, count), e| (sum + e, count + 1));
        // Rounding of the last sum may leave no entry above theta, or one more than before.
        if count >= last_count || count == 0 {
            return theta;
        }
        (theta, last_count) = (update(sum, count as f64), count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Example;
    use crate::rules::tests;
    use crate::testing::fixed_cases;
    use proptest::prelude::*;

    fn learn(rule: &mut Mira, label: Label, k_tt: f64, f: &[f64], alpha: &mut [f64]) -> bool {
        tests::learn(rule, Example::new(label, 1, 1.0), k_tt, f, alpha)
    }

    /// `1/2 k_tt |tau|^2 + B . tau`
    fn objective(b: &[f64], k_tt: f64, tau: &[f64]) -> f64 {
        tau.iter().zip(b).map(|(tau, b)| 0.5 * k_tt * tau * tau + b * tau).sum()
    }

    proptest! {
        #![proptest_config(fixed_cases(2000))]

        /// Checks the Karush-Kuhn-Tucker conditions of the quadratic program, and that no feasible step nearby has a
        /// lower objective.
        #[test]
        fn steps_solve_the_quadratic_program(
            f in prop::collection::vec(-2.0..2.0f64, 3..8),
            y in 0..3usize,
            (beta, c, k_tt) in (0.0..1.0f64, 0.01..3.0f64, 0.1..4.0f64),
            move_by in prop::collection::vec(-1e-3..1e-3f64, 8),
            (smaller, longer) in (0..20i32, 0..30i32),
        ) {
            // If C and 1/k_tt are multiplied by a common factor, the steps are too, with equal digits.
            let (small, long) = (10f64.powi(-smaller), 10f64.powi(longer));
            for (c, k_tt, factor) in [(c / long, k_tt * long, long), (c * small, k_tt / small, 1.0 / small)] {
                let (mut rule, mut plain) = (Mira::new(beta, c), Mira::new(beta, c * factor));
                let (mut tau, mut expected) = (vec![0.0; f.len()], vec![0.0; f.len()]);
                let moves = learn(&mut rule, Label::Class(y as u32), k_tt, &f, &mut tau);
                let other = learn(&mut plain, Label::Class(y as u32), k_tt / factor, &f, &mut expected);
                prop_assert_eq!(moves, other);
                let max_step = expected.iter().fold(0.0, |max_step: f64, e| max_step.max(e.abs()));
                for (tau, expected) in tau.iter().zip(&expected) {
                    prop_assert!(!moves || (tau * factor - expected).abs() <= 1e-12 * max_step);
                }
            }
            let mut rule = Mira::new(beta, c);
            let mut tau = vec![9.0; f.len()];
            let moves = learn(&mut rule, Label::Class(y as u32), k_tt, &f, &mut tau);
            let b: Vec<f64> = (0..f.len()).map(|r| f[r] + if r == y { 0.0 } else { beta }).collect();
            let cap = |r: usize| if r == y { c } else { 0.0 };
            prop_assert_eq!(moves, b.iter().any(|b_r| *b_r > b[y]));
            if !moves {
                return Ok(());
            }
            prop_assert!(tau.iter().sum::<f64>().abs() < 1e-12);
            for r in 0..f.len() {
                prop_assert!(tau[r] <= cap(r) + 1e-12);
                prop_assert!(r == y || b[r] > b[y] || tau[r] == 0.0);
            }
            let min = objective(&b, k_tt, &tau);
            // A feasible point nearby: the step at the label is minus the sum of the steps at its rivals.
            let mut other: Vec<f64> = (0..f.len()).map(|r| (tau[r] + move_by[r]).min(cap(r))).collect();
            let rivals: f64 = (0..f.len()).filter(|r| *r != y).map(|r| other[r]).sum();
            other[y] = -rivals;
            if other[y] <= c {
                prop_assert!(objective(&b, k_tt, &other) >= min - 1e-12);
            }
        }

        #[test]
        fn two_classes_are_clipped(f in -2.0..2.0f64, beta in 0.0..1.0f64, c in 0.01..3.0f64, k_tt in 0.1..4.0f64) {
            let (mut rule, mut alpha) = (Mira::new(beta, c), [9.0]);
            for y in [-1.0, 1.0] {
                let expected = ((beta - y * f) / k_tt).clamp(0.0, c);
                let moves = learn(&mut rule, Label::Sign(y), k_tt, &[f], &mut alpha);
                prop_assert_eq!(moves, expected > 0.0);
                if moves {
                    prop_assert!((alpha[0] - y * expected).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn the_smallest_cap_is_reached_exactly() {
        let (mut rule, mut tau) = (Mira::new(0.01, 1e-20), [0.0; 4]);
        assert!(learn(&mut rule, Label::Class(0), 1.0, &[0.1, 0.7, 0.7, 0.3], &mut tau));
        assert_eq!(tau, [1e-20, -0.5e-20, -0.5e-20, 0.0]);
    }

    #[test]
    fn steps_by_hand() {
        // Two rivals above the label: e = (0.5, 0.3), and theta is (0.5 + 0.3)/3.
        let (mut rule, mut tau) = (Mira::new(0.0, 1.0), [0.0; 3]);
        assert!(learn(&mut rule, Label::Class(2), 1.0, &[0.5, 0.3, 0.0], &mut tau));
        let theta = 0.8 / 3.0;
        for (found, expected) in tau.into_iter().zip([theta - 0.5, theta - 0.3, theta]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }
}
