//! The Huber loss of regression: `1/2 (y - f)^2` up to a residual of delta, then `delta (|y - f| - delta/2)`.

use super::derivative::ResidualLoss;

/// The Huber loss: squared for small residuals, linear for large ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Huber {
    /// The absolute residual above which the loss is linear.
    pub(crate) delta: f64,
}

impl ResidualLoss for Huber {
    #[inline(always)]
    fn neg_derivative(self, residual: f64) -> f64 {
        residual.clamp(-self.delta, self.delta)
    }
}
