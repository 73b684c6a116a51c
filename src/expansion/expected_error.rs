//! Expected errors of an expansion, for prediction intervals.

use super::local_errors::{KernelRow, LocalErrors};
use super::{KernelExpansion, Slot};
use crate::float::Real;

impl<T: Real> KernelExpansion<T> {
    /// Adds expected errors to an empty expansion.
    pub(crate) fn keep_local_errors(&mut self) {
        debug_assert!(self.support.high == 0, "there would be no errors near stored support vectors");
        self.local_errors = Some(LocalErrors::new());
    }

    /// The expected absolute error of a row; 0 for an expansion without expected errors.
    #[inline(always)]
    pub(crate) fn expected_error(&self, row: KernelRow<'_, T>) -> f64 {
        self.local_errors
            .as_ref()
            .map_or(0.0, |errors| errors.expected(&self.support, row).error * self.unit())
    }

    /// Observes the absolute error of a row, and returns the error that was expected before.
    #[inline(always)]
    pub(crate) fn observe_local_error(&mut self, row: KernelRow<'_, T>, error: f64) -> f64 {
        let Self { support, local_errors, .. } = self;
        let unit = support.unit;
        local_errors.as_mut().map_or(0.0, |errors| errors.observe(support, row, error / unit) * unit)
    }

    /// The mean error of all rows; 0 for an expansion without expected errors.
    pub(crate) fn mean_error(&self) -> f64 {
        self.local_errors.as_ref().map_or(0.0, LocalErrors::mean) * self.unit()
    }

    /// The expected error near a support vector; None for an expansion without expected errors.
    pub(crate) fn error_near(&self, slot: Slot) -> Option<f64> {
        self.local_errors.as_ref().map(|errors| errors.get(slot) * self.unit())
    }

    /// Sets the expected errors near the support vectors, the oldest first, and the mean error after the rows
    /// of another expansion.
    pub(crate) fn set_errors(&mut self, near: &[f64], mean: f64, other: &Self) {
        let Self { support, local_errors, .. } = self;
        if let (Some(errors), Some(other)) = (local_errors, &other.local_errors) {
            let unit = support.unit;
            support.order.iter().zip(near).for_each(|(slot, error)| errors.set(slot, *error / unit));
            errors.set_mean(mean / unit, other);
        }
    }
}
