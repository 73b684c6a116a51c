//! Update rules: the coefficients that an example adds to the model. One file each.

mod any;
mod epsilon_insensitive_pa;
mod mira;
mod ogd;
mod passive_aggressive;
mod perceptron;
mod relative_weight;
mod robust_mira;
mod sgd;
mod targets;
#[cfg(test)]
mod tests;

pub(crate) use any::AnyRule;
pub(crate) use epsilon_insensitive_pa::EpsilonInsensitivePa;
pub(crate) use mira::Mira;
pub(crate) use ogd::Ogd;
pub(crate) use passive_aggressive::{MarginLoss, PassiveAggressive};
pub(crate) use perceptron::Perceptron;
pub(crate) use relative_weight::RelativeWeight;
use relative_weight::RowShare;
pub(crate) use robust_mira::RobustMira;
pub(crate) use sgd::Sgd;

use crate::batch::Label;
use crate::expansion::Scored;
use crate::float::Real;
use crate::persist::Persist;

/// An update rule. Scores and coefficients are unscaled: the model is `w = scale * sum_j alpha_j phi_j`. The
/// scores of example `t` have the scale before the example, `scale(t - 1)`; its coefficients are added after
/// the decay, so they have the scale `scale(t)`.
pub(crate) trait UpdateRule: Persist {
    /// Computes the coefficients `alpha` of the example (one per output) from its scores. Returns false if the example
    /// adds nothing; `alpha` is unspecified then.
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool;

    /// The factor by which to multiply the coefficients before example `t` is scored, divided out of the scale. It is 1
    /// except when the scale has become small.
    #[inline(always)]
    fn fold_scale(&mut self, _t: u64) -> f64 {
        1.0
    }

    /// The unit of scores and coefficients from an example with this label on, a power of two; `unit` is the
    /// present one. In regression it is near the standard deviation of the targets, so that neither constants
    /// nor the range of the float type make results depend on the unit in which targets are measured. It is 1
    /// for rules that do not track it.
    #[inline(always)]
    fn unit(&self, _label: Label, unit: f64) -> f64 {
        unit
    }

    /// Adds a target to the statistics of the targets. Returns whether they start anew, because the targets
    /// have another level or unit; false for rules that do not track them.
    #[inline(always)]
    fn observe_target(&mut self, _label: Label) -> bool {
        false
    }

    /// The standard deviation of the targets so far; 0 for rules that do not track it.
    fn target_std(&self) -> f64 {
        0.0
    }

    /// A prediction, in the unit of the targets, limited to the range of the targets so far; unchanged for
    /// rules that do not track it.
    #[inline(always)]
    fn limited<T: Real>(&self, f: T) -> T {
        f
    }

    /// Makes room for new classes; `_classes` is the new total.
    fn add_classes(&mut self, _classes: usize) {}

    /// Whether the label of a row with these scores can change the model.
    #[inline(always)]
    fn needs_label<T: Real>(&self, _f: &[T]) -> bool {
        true
    }

    /// The scale of the model after example `t`: an absolute value, not a factor per example, so that rounding errors
    /// do not accumulate and integer coefficients stay exact.
    fn scale(&self, _t: u64) -> f64 {
        1.0
    }

    /// Projects the model onto the rule's ball, given the squared norm of the unscaled model. It runs after the
    /// maintenance of each example that was inserted or absorbed. Returns the factor by which to multiply the
    /// coefficients; it is 1 except when the product of projections has become small.
    fn project_to_ball(&mut self, _t: u64, _sq_norm: f64) -> f64 {
        1.0
    }

    /// Whether [`UpdateRule::project_to_ball`] reads the norm.
    fn reads_norm(&self) -> bool {
        false
    }

    /// The gradient error of a change of the unscaled model by norm 1 at example `t`: `scale(t) / eta_t`, or
    /// 1 for rules without step sizes.
    fn gradient_error_factor(&self, _t: u64) -> f64 {
        1.0
    }
}
