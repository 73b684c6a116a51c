//! Learning of the linear term.

use super::{KernelExpansion, LinearInput, LinearStep, Rescaling};
use crate::batch::Row;
use crate::float::Real;

impl<T: Real> KernelExpansion<T> {
    /// Whether the expansion has a linear term.
    pub(crate) fn has_linear(&self) -> bool {
        self.linear_step.is_some()
    }

    /// The largest factor of `|x|^2 + 1` in the linear kernel; 0 without a linear term.
    pub(crate) fn max_linear_rate(&self) -> f64 {
        self.linear_step.as_ref().map_or(0.0, LinearStep::max_rate)
    }

    /// Learns the linear term from an example with the coefficients `alpha`. Its row must be the row scored last: a
    /// second-order step uses what [`LinearStep::squared_norm`] kept of it.
    pub(crate) fn learn_linear(&mut self, alpha: &[T], x: LinearInput<'_, T>) {
        if let Some(mut step) = self.linear_step.take() {
            self.step_linear(alpha, step.learn_direction(x));
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
