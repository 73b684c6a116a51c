//! The expansion used for prediction.

use super::{Coefficients, KernelExpansion, KernelRow, LinearInput};
use crate::float::Real;
use crate::ops::SimdBuffer;

/// The expansion used for prediction, with its coefficients, which may be averaged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Predictor<'a, T: Real> {
    pub(crate) expansion: &'a KernelExpansion<T>,
    pub(crate) coefficients: &'a Coefficients<T>,
    /// The half width of prediction intervals in units of the expected error; None predicts scores.
    pub(crate) half_width: Option<f64>,
}

impl<'a, T: Real> Predictor<'a, T> {
    /// An expansion with its own coefficients.
    pub(crate) fn new(expansion: &'a KernelExpansion<T>) -> Self {
        Self { expansion, coefficients: expansion.coefficients(), half_width: None }
    }

    /// The number of values per row: scores, or the two ends of an interval.
    pub(crate) fn values_per_row(&self) -> usize {
        if self.half_width.is_some() { 2 } else { self.expansion.outputs() }
    }

    /// Replaces the score of a row, in the first of two values, by the ends of its interval.
    #[inline]
    pub(crate) fn widen_to_interval(&self, row: KernelRow<'_, T>, values: &mut [T]) {
        if let (Some(half_width), [lower, upper]) = (self.half_width, values) {
            let (f, half) = (lower.to_f64(), half_width * self.expansion.expected_error(row));
            (*lower, *upper) = (T::from_f64(f - half), T::from_f64(f + half));
        }
    }

    /// Completes the unscaled scores `f` of the kernel: adds the scores of the linear term, and multiplies by the factor.
    /// If `x` is a difference from another row, `from` has the values of the linear term for this row.
    #[inline]
    pub(crate) fn complete_scores(
        &self,
        (x, from): (LinearInput<'_, T>, Option<&SimdBuffer<T>>),
        values: &mut SimdBuffer<T>,
        f: &mut [T],
    ) {
        if let Some(linear) = self.coefficients.linear() {
            linear.values(self.expansion.ops(), x, values);
            if let Some(from) = from {
                values.add(from);
            }
            linear.add_to(values, f);
        }
        let factor = self.expansion.factor();
        for f in f {
            *f = T::from_f64(f.to_f64() * factor);
        }
    }
}
