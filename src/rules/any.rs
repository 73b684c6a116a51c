//! An update rule chosen at run time: one `match` per call.

use super::{EpsilonInsensitivePa, Mira, Ogd, PassiveAggressive, Perceptron, RobustMira, Sgd, UpdateRule};
use crate::added_outputs::AddedOutputs;
use crate::batch::{Example, Label, Task};
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::expansion::{KernelExpansion, OnEdit, Scored};
use crate::float::Real;
use crate::persist::{Persist, Tensors};

/// One of the update rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnyRule {
    Sgd(Sgd),
    PassiveAggressive(PassiveAggressive),
    Perceptron(Perceptron),
    Mira(Mira),
    Ogd(Ogd),
    RobustMira(RobustMira),
    EpsilonInsensitivePa(EpsilonInsensitivePa),
}

impl AnyRule {
    /// The share of the targets' variance that recent predictions left unexplained; None for rules that do
    /// not track it.
    pub(crate) fn unexplained_variance(&self) -> Option<f64> {
        if let Self::EpsilonInsensitivePa(rule) = self { Some(rule.unexplained_variance()) } else { None }
    }

    /// Pools what the rule knows about targets from the rules of models that are combined, by shares that sum to 1.
    pub(crate) fn pool<'a>(&mut self, parts: impl Iterator<Item = (&'a Self, f64)> + Clone) {
        if let Self::EpsilonInsensitivePa(rule) = self {
            rule.pool(parts.filter_map(|(part, share)| {
                if let Self::EpsilonInsensitivePa(part) = part { Some((part, share)) } else { None }
            }));
        }
    }
}

/// The changes of all coefficients at once, in their order for a row.
impl AnyRule {
    /// Before the row is scored: a rule that decays moves a scale that has become small into the coefficients, and the
    /// regression of online-kernel adapts their unit to the targets. Until [`AnyRule::decay`] sets the new scale, the
    /// expansion's scale is stale. That is harmless: rules read their own scale, and until then only the error count
    /// reads the expansion's. The rule that folds here (OGD) only classifies, where a positive scale changes no error.
    #[inline(always)]
    pub(crate) fn fold<T: Real>(
        &mut self,
        example: &Example,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
    ) {
        expansion.multiply_coefficients(self.fold_scale(example.t), derived_state);
        expansion.set_unit(self.unit(example.label, expansion.unit()), derived_state);
    }

    /// `w <- (1 - eta lambda) w`: the scale after row `t`, one number for all coefficients.
    #[inline(always)]
    pub(crate) fn decay<T: Real>(&self, t: u64, expansion: &mut KernelExpansion<T>) {
        expansion.set_scale(self.scale(t));
    }

    /// Projects the model of row `t` onto the rule's ball; `sq_norm` is the squared norm of the unscaled model.
    #[inline(always)]
    pub(crate) fn project<T: Real>(
        &mut self,
        t: u64,
        sq_norm: f64,
        expansion: &mut KernelExpansion<T>,
        derived_state: &mut impl OnEdit<T>,
    ) {
        expansion.multiply_coefficients(self.project_to_ball(t, sq_norm), derived_state);
        expansion.set_scale(self.scale(t)); // the projection is a part of the scale
    }
}

/// The answers of rules that some rules give, and the usual answers of all others.
impl AnyRule {
    /// Takes a scale that has become small out of the rule before example `t` is scored: the rule starts again from the
    /// scale 1, and the caller multiplies the coefficients by the scale returned. Returns 1 if the scale is not small.
    #[inline(always)]
    fn fold_scale(&mut self, t: u64) -> f64 {
        if let Self::Ogd(rule) = self { rule.fold_scale(t) } else { 1.0 }
    }

    /// The unit of scores and coefficients from an example with this label on, a power of two; `unit` is the
    /// present one. In regression it is near the standard deviation of the targets, so that neither constants
    /// nor the range of the float type make results depend on the unit in which targets are measured. It is 1
    /// for rules that do not track it.
    #[inline(always)]
    fn unit(&self, label: Label, unit: f64) -> f64 {
        if let Self::EpsilonInsensitivePa(rule) = self { rule.unit(label, unit) } else { unit }
    }

    /// Adds a target to the statistics of the targets. Returns whether they start anew, because the targets
    /// have another level or unit; false for rules that do not track them.
    #[inline(always)]
    pub(crate) fn observe_target(&mut self, label: Label) -> bool {
        if let Self::EpsilonInsensitivePa(rule) = self { rule.observe_target(label) } else { false }
    }

    /// The standard deviation of the targets so far; 0 for rules that do not track it.
    #[inline(always)]
    pub(crate) fn target_std(&self) -> f64 {
        if let Self::EpsilonInsensitivePa(rule) = self { rule.target_std() } else { 0.0 }
    }

    /// A prediction, in the unit of the targets, limited to the range of the targets so far; unchanged for
    /// rules that do not track it.
    #[inline(always)]
    pub(crate) fn limited<T: Real>(&self, f: T) -> T {
        if let Self::EpsilonInsensitivePa(rule) = self { rule.limited(f) } else { f }
    }

    /// Whether the label of a row with these scores can change the model.
    #[inline(always)]
    pub(crate) fn needs_label<T: Real>(&self, f: &[T]) -> bool {
        if let Self::PassiveAggressive(rule) = self { rule.needs_label(f) } else { true }
    }

    /// The scale of the model after example `t`: an absolute value, not a factor per example, so that rounding errors
    /// do not accumulate and integer coefficients stay exact.
    #[inline(always)]
    pub(super) fn scale(&self, t: u64) -> f64 {
        match self {
            Self::Sgd(rule) => rule.scale(t),
            Self::Ogd(rule) => rule.scale(t),
            _ => 1.0,
        }
    }

    /// Projects the model onto the rule's ball, given the squared norm of the unscaled model. It runs after the
    /// maintenance of each example that was inserted or absorbed. Returns the factor by which to multiply the
    /// coefficients; it is 1 except when the product of projections has become small.
    #[inline(always)]
    pub(super) fn project_to_ball(&mut self, t: u64, sq_norm: f64) -> f64 {
        if let Self::Sgd(rule) = self { rule.project_to_ball(t, sq_norm) } else { 1.0 }
    }

    /// Whether the projection reads the norm.
    pub(crate) fn reads_norm(&self) -> bool {
        if let Self::Sgd(rule) = self { rule.reads_norm() } else { false }
    }

    /// The gradient error of a change of the unscaled model by norm 1 at example `t`: `scale(t) / eta_t`, or
    /// 1 for rules without step sizes.
    #[inline(always)]
    pub(crate) fn gradient_error_factor(&self, t: u64) -> f64 {
        match self {
            Self::Sgd(rule) => rule.gradient_error_factor(),
            Self::Ogd(rule) => rule.gradient_error_factor(t),
            _ => 1.0,
        }
    }
}

impl UpdateRule for AnyRule {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        match self {
            Self::Sgd(rule) => rule.coefficients(scored, alpha),
            Self::PassiveAggressive(rule) => rule.coefficients(scored, alpha),
            Self::Perceptron(rule) => rule.coefficients(scored, alpha),
            Self::Mira(rule) => rule.coefficients(scored, alpha),
            Self::Ogd(rule) => rule.coefficients(scored, alpha),
            Self::RobustMira(rule) => rule.coefficients(scored, alpha),
            Self::EpsilonInsensitivePa(rule) => rule.coefficients(scored, alpha),
        }
    }
}

impl<T: Real> Component<T> for AnyRule {
    fn add_outputs(&mut self, _: AddedOutputs, task: Task) {
        if let Self::RobustMira(rule) = self {
            rule.add_classes(task.classes());
        }
    }

    fn save(&self, out: &mut Tensors) {
        let out = out.scope_mut("rule");
        match self {
            Self::Sgd(rule) => rule.save(out),
            Self::Ogd(rule) => rule.save(out),
            Self::RobustMira(rule) => rule.save(out),
            Self::EpsilonInsensitivePa(rule) => rule.save(out),
            Self::PassiveAggressive(_) | Self::Perceptron(_) | Self::Mira(_) => {}
        }
    }

    fn load(&mut self, from: &Tensors, _: &Loading) -> Result<()> {
        let from = from.scope("rule")?;
        match self {
            Self::Sgd(rule) => rule.load(from),
            Self::Ogd(rule) => rule.load(from),
            Self::RobustMira(rule) => rule.load(from),
            Self::EpsilonInsensitivePa(rule) => rule.load(from),
            Self::PassiveAggressive(_) | Self::Perceptron(_) | Self::Mira(_) => Ok(()),
        }
    }
}
