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

/// Evaluates an expression that is generic over the rule.
macro_rules! with_rule {
    ($any:expr, $rule:ident => $op:expr) => {
        match $any {
            AnyRule::Sgd($rule) => $op,
            AnyRule::PassiveAggressive($rule) => $op,
            AnyRule::Perceptron($rule) => $op,
            AnyRule::Mira($rule) => $op,
            AnyRule::Ogd($rule) => $op,
            AnyRule::RobustMira($rule) => $op,
            AnyRule::EpsilonInsensitivePa($rule) => $op,
        }
    };
}

impl AnyRule {
    /// The share of the targets' variance that recent predictions left unexplained; None for rules that do
    /// not track it.
    pub(crate) fn unexplained_variance(&self) -> Option<f64> {
        if let Self::EpsilonInsensitivePa(rule) = self { Some(rule.unexplained_variance()) } else { None }
    }
}

impl AnyRule {
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
    /// Before the row is scored: moves a scale that has become small into the coefficients, and adapts their
    /// unit to the targets. [`AnyRule::decay`] sets the scale that is left.
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

impl UpdateRule for AnyRule {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        with_rule!(self, rule => rule.coefficients(scored, alpha))
    }

    #[inline(always)]
    fn fold_scale(&mut self, t: u64) -> f64 {
        with_rule!(self, rule => rule.fold_scale(t))
    }

    #[inline(always)]
    fn unit(&self, label: Label, unit: f64) -> f64 {
        with_rule!(self, rule => rule.unit(label, unit))
    }

    #[inline(always)]
    fn observe_target(&mut self, label: Label) -> bool {
        with_rule!(self, rule => rule.observe_target(label))
    }

    #[inline(always)]
    fn target_std(&self) -> f64 {
        with_rule!(self, rule => rule.target_std())
    }

    #[inline(always)]
    fn limited<T: Real>(&self, f: T) -> T {
        with_rule!(self, rule => rule.limited(f))
    }

    fn add_classes(&mut self, classes: usize) {
        with_rule!(self, rule => rule.add_classes(classes));
    }

    #[inline(always)]
    fn needs_label<T: Real>(&self, f: &[T]) -> bool {
        with_rule!(self, rule => rule.needs_label(f))
    }

    #[inline(always)]
    fn scale(&self, t: u64) -> f64 {
        with_rule!(self, rule => rule.scale(t))
    }

    #[inline(always)]
    fn project_to_ball(&mut self, t: u64, sq_norm: f64) -> f64 {
        with_rule!(self, rule => rule.project_to_ball(t, sq_norm))
    }

    fn reads_norm(&self) -> bool {
        with_rule!(self, rule => rule.reads_norm())
    }

    #[inline(always)]
    fn gradient_error_factor(&self, t: u64) -> f64 {
        with_rule!(self, rule => rule.gradient_error_factor(t))
    }
}

impl Persist for AnyRule {
    fn save(&self, out: &mut Tensors) {
        with_rule!(self, rule => rule.save(out));
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        with_rule!(self, rule => rule.load(from))
    }
}

impl<T: Real> Component<T> for AnyRule {
    fn add_outputs(&mut self, _: AddedOutputs, task: Task) {
        self.add_classes(task.classes());
    }

    fn save(&self, out: &mut Tensors) {
        Persist::save(self, out.scope_mut("rule"));
    }

    fn load(&mut self, from: &Tensors, _: &Loading) -> Result<()> {
        Persist::load(self, from.scope("rule")?)
    }
}
