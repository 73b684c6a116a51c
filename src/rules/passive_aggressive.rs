//! Passive-aggressive steps (Crammer et al. 2006; Wang and Vucetic 2010, section 2).

use super::{Example, UpdateRule};
use crate::float::Real;
use crate::label::Label;
use crate::losses::{Penalty, direction, gap, margin};
use crate::persist::Persist;

/// The step `tau v` on an example with loss `H > 0`: it minimises `1/2 |w - w_t|^2 + C penalty(H(w))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PassiveAggressive {
    pub(crate) penalty: Penalty,
    /// The papers' C; an example's weight multiplies it.
    pub(crate) c: f64,
    /// Half the width of the tube without loss in regression.
    pub(crate) epsilon: f64,
}

/// The largest C of an example, its weight included: squares of sums of such coefficients fit into single precision.
pub(super) const MAX_CAP: f64 = 1e15;

/// An example with a loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MarginLoss {
    /// `H`, the loss, > 0.
    pub(crate) loss: f64,
    /// `|v|^2` of the direction: 1, and 2 for many classes.
    pub(crate) square: f64,
    /// `C` times the example's weight, 1e15 at most.
    pub(crate) cap: f64,
}

impl PassiveAggressive {
    /// The violation of an example with these scores, and the strongest rival; none where it asks for no step.
    #[inline(always)]
    pub(crate) fn violation<T: Real>(&self, example: &Example<T>, f: &[T]) -> Option<(MarginLoss, usize)> {
        let (loss, rival) = match example.label {
            Label::Value(y) => ((y - f[0].to_f64()).abs() - self.epsilon, 0),
            label => {
                let (margin, rival) = margin(label, f);
                if self.penalty == Penalty::Ramp && margin < -T::ONE {
                    return None;
                }
                (1.0 - margin.to_f64(), rival)
            }
        };
        let square = example.label.square();
        let cap = (self.c * example.weight).min(MAX_CAP);
        (loss > 0.0).then_some((MarginLoss { loss, square, cap }, rival))
    }

    /// The step's length where `s` is the squared length of what it moves along: `phi_t`, or a projection of it.
    #[inline(always)]
    pub(crate) fn step(&self, of: MarginLoss, s: f64) -> f64 {
        let MarginLoss { loss, square, cap } = of;
        match self.penalty {
            Penalty::Linear | Penalty::Ramp => cap.min(loss / (square * s)),
            Penalty::Squared => loss / (square * s + 0.5 / cap),
        }
    }

    /// What the step costs: `1/2 tau^2 |v|^2 s + C penalty(H - tau |v|^2 s)`.
    #[inline(always)]
    pub(crate) fn objective(&self, of: MarginLoss, s: f64) -> f64 {
        let tau = self.step(of, s);
        let move_by = tau * of.square * s;
        let left = (of.loss - move_by).max(0.0);
        let rest = if self.penalty == Penalty::Squared { left * left } else { left };
        0.5 * tau * move_by + of.cap * rest
    }
}

/// Its parameters say it all.
impl Persist for PassiveAggressive {}

impl UpdateRule for PassiveAggressive {
    /// On the ramp loss a row whose prediction is sure, `|f| > 1` or a gap of more than 1 between the two best classes,
    /// changes nothing whatever its label (Wang and Vucetic 2010, section 4).
    #[inline(always)]
    fn needs_label<T: Real>(&self, f: &[T]) -> bool {
        self.penalty != Penalty::Ramp || gap(f) <= T::ONE
    }

    #[inline(always)]
    fn coefficients<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool {
        let Some((violation, rival)) = self.violation(example, f) else { return false };
        let tau = T::from_f64(self.step(violation, example.k_tt.to_f64()));
        match example.label {
            Label::Value(y) => row[0] = if y > f[0].to_f64() { tau } else { -tau },
            label => direction(label, rival, tau, row),
        }
        true
    }
}
