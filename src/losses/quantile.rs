//! The pinball loss of regression: `max(q (y - f), (q - 1) (y - f))`. Its expectation is smallest at the quantile q.

use super::derivative::{ResidualLoss, sign};

/// The pinball loss: slope q for positive residuals, `1 - q` for negative ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quantile {
    /// The quantile, between 0 and 1.
    pub(crate) q: f64,
}

impl ResidualLoss for Quantile {
    #[inline(always)]
    fn neg_derivative(self, residual: f64) -> f64 {
        match sign(residual) {
            s if s > 0.0 => self.q,
            s if s < 0.0 => self.q - 1.0,
            _ => 0.0,
        }
    }
}
