//! The Huber loss of regression: `1/2 (y - f)^2` up to a residual of delta, then `delta (|y - f| - delta/2)`.

use super::derivative::Residual;

/// Squared near zero, linear far away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Huber {
    /// The residual from which it is linear.
    pub(crate) delta: f64,
}

impl Residual for Huber {
    #[inline(always)]
    fn slope(self, residual: f64) -> f64 {
        residual.clamp(-self.delta, self.delta)
    }
}
