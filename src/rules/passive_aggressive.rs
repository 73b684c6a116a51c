//! The passive-aggressive rule (Crammer et al. 2006; Wang and Vucetic 2010, section 2).

use super::UpdateRule;
use crate::batch::Label;
use crate::expansion::Scored;
use crate::float::Real;
use crate::losses::{Penalty, margin, score_gap, write_direction};
use crate::params::CheckedSpec;

/// The passive-aggressive rule: on an example with loss `H > 0`, the step `tau v` minimises
/// `1/2 |w - w_t|^2 + C penalty(H(w))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PassiveAggressive {
    pub(crate) penalty: Penalty,
    /// C, the weight of the loss (PA-I: the largest step); the weight of an example multiplies it.
    pub(crate) c: f64,
    /// In regression, the largest error without loss.
    pub(crate) epsilon: f64,
}

/// The largest C times the weight of an example: squared sums of such coefficients fit into single precision.
pub(super) const MAX_CAP: f64 = 1e15;

/// The loss of an example, and the numbers that its step depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MarginLoss {
    /// `H`, the loss, > 0.
    pub(crate) loss: f64,
    /// `|v|^2` of the direction: 1, or 2 for more than two classes.
    pub(crate) v_sq_norm: f64,
    /// `C` times the weight of the example, at most 1e15.
    pub(crate) weighted_c: f64,
}

impl PassiveAggressive {
    /// The rule with the loss and C of checked parameters.
    pub(crate) fn new(checked: &CheckedSpec) -> Self {
        let spec = checked.spec();
        let penalty = spec.loss.entry().penalty;
        let penalty = penalty.expect("the checked specification has a loss that the rule takes");
        Self { penalty, c: spec.c, epsilon: spec.loss_parameters.epsilon }
    }

    /// The loss of an example with these scores, and the strongest rival; `None` if the rule makes no step.
    #[inline(always)]
    pub(crate) fn margin_loss<T: Real>(&self, scored: &Scored<'_, T>) -> Option<(MarginLoss, usize)> {
        let Scored { example, f, .. } = scored;
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
        let v_sq_norm = example.label.square();
        let weighted_c = (self.c * example.weight).min(MAX_CAP);
        (loss > 0.0).then_some((MarginLoss { loss, v_sq_norm, weighted_c }, rival))
    }

    /// The step size tau, where `s` is the squared norm of `phi_t`, or of its projection onto the support vectors.
    #[inline(always)]
    pub(crate) fn step(&self, of: MarginLoss, s: f64) -> f64 {
        let MarginLoss { loss, v_sq_norm, weighted_c } = of;
        match self.penalty {
            Penalty::Linear | Penalty::Ramp => weighted_c.min(loss / (v_sq_norm * s)),
            Penalty::Squared => loss / (v_sq_norm * s + 0.5 / weighted_c),
        }
    }

    /// The objective of the step: `1/2 tau^2 |v|^2 s + C penalty(H - tau |v|^2 s)`.
    #[inline(always)]
    pub(crate) fn objective(&self, of: MarginLoss, s: f64) -> f64 {
        let tau = self.step(of, s);
        let decrease = tau * of.v_sq_norm * s;
        let rest = (of.loss - decrease).max(0.0);
        let penalty = if self.penalty == Penalty::Squared { rest * rest } else { rest };
        0.5 * tau * decrease + of.weighted_c * penalty
    }
}

impl UpdateRule for PassiveAggressive {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        let Some((margin_loss, rival)) = self.margin_loss(scored) else { return false };
        let tau = T::from_f64(self.step(margin_loss, scored.k_tt.to_f64()));
        match scored.example.label {
            Label::Value(y) => alpha[0] = if y > scored.f[0].to_f64() { tau } else { -tau },
            label => write_direction(label, rival, tau, alpha),
        }
        true
    }
}

impl PassiveAggressive {
    /// With the ramp loss, a row whose prediction is confident does not change the model, whatever its label: `|f| >
    /// 1`, or for more than two classes a gap above 1 between the two best scores (Wang and Vucetic 2010, section 4).
    #[inline(always)]
    pub(super) fn needs_label<T: Real>(&self, f: &[T]) -> bool {
        self.penalty != Penalty::Ramp || score_gap(f) <= T::ONE
    }
}
