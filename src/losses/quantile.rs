//! The pinball loss of regression: `max(q (y - f), (q - 1) (y - f))`; its least mean is at the quantile q.

use super::derivative::{Residual, sign};

/// Residuals above zero cost q, those below zero `1 - q`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quantile {
    /// The quantile, between 0 and 1.
    pub(crate) q: f64,
}

impl Residual for Quantile {
    #[inline(always)]
    fn slope(self, residual: f64) -> f64 {
        match sign(residual) {
            s if s > 0.0 => self.q,
            s if s < 0.0 => self.q - 1.0,
            _ => 0.0,
        }
    }
}
