//! Update rules: what an example adds to the model.

mod any;
mod loss;
mod sgd;
#[cfg(test)]
mod tests;

pub(crate) use any::AnyUpdate;
pub use loss::Loss;
pub(crate) use loss::predicted;
pub(crate) use sgd::Sgd;

use crate::float::Real;
use crate::label::Label;

/// One example on its way through the loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example {
    pub(crate) label: Label,
    /// The example counter, from 1 on.
    pub(crate) t: u64,
    /// The example's weight, > 0.
    pub(crate) weight: f64,
}

/// An update rule. Scores and coefficients are without the store's scale: `w = scale * sum_j alpha_j phi_j`.
pub(crate) trait Update {
    /// Writes the coefficients that the example would come with into `row`, from its scores `f`. False: it adds nothing.
    fn propose<T: Real>(&mut self, example: &Example, f: &[T], row: &mut [T]) -> bool;

    /// The store's scale after example `t`: absolute, never a factor, so that exact counts stay exact.
    fn scale(&self, t: u64) -> f64;

    /// After maintenance, on examples that inserted: the squared norm of the unscaled model may ask for a projection.
    /// Gives the factor that the coefficients must be multiplied with now; mostly 1.
    fn settle(&mut self, t: u64, norm2: f64) -> f64;

    /// Whether [`Update::settle`] reads the norm.
    fn reads_norm(&self) -> bool;

    /// The gradient error of a change of the unscaled model by norm 1: `|Delta w| / eta_t`.
    fn gradient_error(&self) -> f64;
}
