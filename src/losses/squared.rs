//! Half the squared error of regression: `1/2 (y - f)^2`.

use super::derivative::Residual;

/// Its derivative is the residual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Squared;

impl Residual for Squared {
    #[inline(always)]
    fn slope(self, residual: f64) -> f64 {
        residual
    }
}
