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

use crate::expansion::Scored;
use crate::float::Real;

/// An update rule. Scores and coefficients are unscaled ([`crate::expansion`]). The scale of the scores of example `t`
/// is `scale(t - 1)`, before the example; its coefficients are added after the decay, so their scale is `scale(t)`.
pub(crate) trait UpdateRule {
    /// Computes the coefficients `alpha` of the example (one per output) from its scores. Returns false if the example
    /// adds nothing; `alpha` is unspecified then.
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool;
}
