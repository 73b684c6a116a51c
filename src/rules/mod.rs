//! UpdateRule rules: what an example adds to the model.

mod any;
mod guarded;
mod mira;
mod ogd;
mod passive_aggressive;
mod perceptron;
mod sgd;
#[cfg(test)]
mod tests;
mod tube;

pub(crate) use any::AnyRule;
pub(crate) use guarded::RobustMira;
pub(crate) use mira::Mira;
pub(crate) use ogd::Ogd;
pub(crate) use passive_aggressive::{MarginLoss, PassiveAggressive};
pub(crate) use perceptron::{Perceptron, Trigger};
pub(crate) use sgd::Sgd;
pub(crate) use tube::EpsilonInsensitivePa;

use crate::float::Real;
use crate::label::Label;
use crate::persist::Persist;

/// One example on its way through the loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example<T: Real> {
    pub(crate) label: Label,
    /// The example counter, from 1 on.
    pub(crate) t: u64,
    /// The example's weight, > 0.
    pub(crate) weight: f64,
    /// `k(x_t, x_t)`, > 0.
    pub(crate) k_tt: T,
    /// Rows that count: t, less what is forgotten.
    pub(crate) effective_n: f64,
    /// Whether the stream is changing.
    pub(crate) drifting: bool,
}

impl<T: Real> Example<T> {
    /// Of a stream of which all rows count.
    #[inline(always)]
    pub(crate) fn new(label: Label, t: u64, weight: f64, k_tt: T) -> Self {
        Self { label, t, weight, k_tt, effective_n: t as f64, drifting: false }
    }
}

/// An update rule. Scores and coefficients are without the store's scale: `w = scale * sum_j alpha_j phi_j`.
pub(crate) trait UpdateRule: Persist {
    /// Writes the coefficients that the example would come with into `row`, from its scores `f`. False: it adds
    /// nothing.
    fn coefficients<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool;

    /// Before example `t` is scored: a factor that moves from the scale into the coefficients; mostly 1.
    #[inline(always)]
    fn fold_scale(&mut self, _t: u64) -> f64 {
        1.0
    }

    /// The deviation of the targets so far, where the rule knows it; else 0.
    fn target_std(&self) -> f64 {
        0.0
    }

    /// After an abrupt change of the stream: what the rule knows of the past is of no use.
    fn restart(&mut self) {}

    /// There are so many classes now, more than before.
    fn add_classes(&mut self, _classes: usize) {}

    /// Whether the label of a row with these scores can matter to the rule.
    #[inline(always)]
    fn needs_label<T: Real>(&self, _f: &[T]) -> bool {
        true
    }

    /// The store's scale after example `t`: absolute, never a factor, so that exact counts stay exact.
    fn scale(&self, _t: u64) -> f64 {
        1.0
    }

    /// After maintenance, on examples that inserted: the squared norm of the unscaled model may ask for a projection.
    /// Returns the factor that the coefficients must be multiplied with now; mostly 1.
    fn project_to_ball(&mut self, _t: u64, _norm2: f64) -> f64 {
        1.0
    }

    /// Whether [`UpdateRule::project_to_ball`] reads the norm.
    fn reads_norm(&self) -> bool {
        false
    }

    /// The gradient error of a change of the unscaled model by norm 1 at example `t`: `|Delta w| / eta_t`; without step
    /// sizes `|Delta w|`.
    fn inv_step_size(&self, _t: u64) -> f64 {
        1.0
    }
}
