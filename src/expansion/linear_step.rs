//! Learning of the linear term.

use super::arow::Arow;
use super::{KernelExpansion, LinearInput};
use crate::batch::Row;
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;

/// Standardised values x of a feature that become `(x - shift) ratio`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rescaling {
    pub(crate) feature: usize,
    pub(crate) shift: f64,
    pub(crate) ratio: f64,
}

/// The step of the linear term along a row, and the squared norm of the row in the linear kernel.
#[derive(Debug, Clone)]
pub(crate) enum LinearStep<T: Real> {
    /// First order: along `(x, 1)`, weighted by `rate = linear / (d + 1)`.
    FirstOrder { linear: f64, rate: f64 },
    /// Second order: along `S (x, 1)`; the covariance S starts as `linear I` (Crammer, Kulesza and Dredze 2009, AROW).
    Arow(Arow<T>),
}

/// `V += factor alpha x`, `v0 += constant alpha`.
type Step<'a, T> = (f64, f64, LinearInput<'a, T>);

impl<T: Real> LinearStep<T> {
    /// First-order steps, for rows of `features` features.
    pub(crate) fn first_order(linear: f64, features: usize) -> Self {
        Self::FirstOrder { linear, rate: linear / (features as f64 + 1.0) }
    }

    /// Second-order steps, for rows of `features` features, with or without excess.
    pub(crate) fn arow(linear: f64, features: usize, has_excess: bool) -> Self {
        Self::Arow(Arow::new(linear, features, has_excess))
    }

    /// Converts the covariance at a change of the standardisation.
    pub(super) fn rescale(&mut self, change: Rescaling) {
        if let Self::Arow(arow) = self {
            arow.rescale(change);
        }
    }

    /// The squared norm of a row in the linear kernel; second-order steps keep `S (x, 1)` for [`LinearStep::step`].
    #[inline(always)]
    pub(super) fn squared_norm(&mut self, x: LinearInput<'_, T>) -> f64 {
        match self {
            Self::FirstOrder { rate, .. } => *rate * (x.squared_norm().to_f64() + 1.0),
            Self::Arow(arow) => arow.squared_norm(x),
        }
    }

    /// The step along the row of the last [`LinearStep::squared_norm`].
    #[inline(always)]
    pub(super) fn step<'a>(&'a mut self, x: LinearInput<'a, T>) -> Step<'a, T> {
        match self {
            Self::FirstOrder { rate, .. } => (*rate, *rate, x),
            Self::Arow(arow) => arow.step(),
        }
    }

    /// Whether the linear term extends beyond the clip of standardisation.
    pub(super) fn has_excess(&self) -> bool {
        match self {
            Self::FirstOrder { .. } => false,
            Self::Arow(arow) => arow.has_excess(),
        }
    }

    /// The largest factor of `|x|^2 + 1` in [`LinearStep::squared_norm`].
    pub(super) fn max_rate(&self) -> f64 {
        match self {
            Self::FirstOrder { rate, .. } => *rate,
            Self::Arow(arow) => arow.variance(),
        }
    }

    /// Appends features; the covariance of the present features does not change.
    pub(super) fn add_features(&mut self, features: usize) {
        match self {
            Self::FirstOrder { linear, rate } => *rate = *linear / (features as f64 + 1.0),
            Self::Arow(arow) => arow.add_features(features),
        }
    }

    /// Writes the covariance.
    pub(super) fn save(&self, out: &mut Tensors) {
        if let Self::Arow(arow) = self {
            arow.save(out);
        }
    }

    /// Restores the covariance.
    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        match self {
            Self::FirstOrder { .. } => Ok(()),
            Self::Arow(arow) => arow.load(from),
        }
    }
}

impl<T: Real> KernelExpansion<T> {
    /// Whether the expansion has a linear term.
    pub(crate) fn has_linear(&self) -> bool {
        self.linear_step.is_some()
    }

    /// The largest factor of `|x|^2 + 1` in the linear kernel; 0 without a linear term.
    pub(crate) fn max_linear_rate(&self) -> f64 {
        self.linear_step.as_ref().map_or(0.0, LinearStep::max_rate)
    }

    /// Learns the linear term from an example with the coefficients `alpha`, whose row was scored last.
    pub(crate) fn learn_linear(&mut self, alpha: &[T], x: LinearInput<'_, T>) {
        if let Some(mut step) = self.linear_step.take() {
            self.step_linear(alpha, step.step(x));
            self.linear_step = Some(step);
        }
    }

    /// Starts regression from the target of the first row: `v0 += y`. Returns false, and changes nothing, if
    /// there is no linear term.
    pub(crate) fn start_linear(&mut self, y: f64) -> bool {
        let has_linear = self.has_linear();
        if has_linear {
            self.step_linear(&[T::from_f64(y / self.unit())], (1.0, 1.0, Row::Sparse(&[], &[]).into()));
        }
        has_linear
    }

    /// Converts the linear term at a change of the standardisation, so that it predicts the same for a raw row. Support
    /// vectors stay where they are.
    pub(crate) fn rescale(&mut self, change: Rescaling) {
        if let Some(linear) = self.support.coefficients.linear_mut() {
            linear.rescale(change);
        }
        if let Some(step) = &mut self.linear_step {
            step.rescale(change);
        }
    }

    /// The learning step of the linear term, if there is one.
    pub(crate) fn linear_step(&self) -> Option<&LinearStep<T>> {
        self.linear_step.as_ref()
    }

    /// Sets the learning step of the linear term, for example to the step of another expansion.
    pub(crate) fn set_linear_step(&mut self, step: Option<LinearStep<T>>) {
        self.linear_step = step;
    }
}
