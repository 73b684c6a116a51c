//! The model used for prediction.

use super::{Coefficients, KernelExpansion, LinearInput};
use crate::float::Real;
use crate::ops::SimdBuffer;

/// The model used for prediction: support vectors, and their coefficients, which may be averaged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Predictor<'a, T: Real> {
    pub(crate) model: &'a KernelExpansion<T>,
    pub(crate) coefficients: &'a Coefficients<T>,
}

impl<'a, T: Real> Predictor<'a, T> {
    /// A model with its own coefficients.
    pub(crate) fn new(model: &'a KernelExpansion<T>) -> Self {
        Self { model, coefficients: model.coefficients() }
    }

    /// Adds the scores of the linear term to `f`, and multiplies `f` by the scale.
    #[inline]
    pub(crate) fn add_linear(&self, x: LinearInput<'_, T>, values: &mut SimdBuffer<T>, f: &mut [T]) {
        if let Some(linear) = self.coefficients.linear() {
            linear.values(self.model.ops(), x, values);
            linear.add_to(values, f);
        }
        let scale = self.model.scale();
        for f in f {
            *f = T::from_f64(f.to_f64() * scale);
        }
    }
}
