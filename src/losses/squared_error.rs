//! Half the squared error of regression: `1/2 (y - f)^2`.

use super::derivative::ResidualLoss;

/// Half the squared error; minus the derivative is the residual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SquaredError;

impl ResidualLoss for SquaredError {
    #[inline(always)]
    fn neg_derivative(self, residual: f64) -> f64 {
        residual
    }
}
