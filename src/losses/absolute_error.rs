//! The absolute error of regression: `|y - f|`.

use super::derivative::{ResidualLoss, sign};

/// The absolute error; minus the derivative is the sign of the residual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AbsoluteError;

impl ResidualLoss for AbsoluteError {
    #[inline(always)]
    fn neg_derivative(self, residual: f64) -> f64 {
        sign(residual)
    }
}
