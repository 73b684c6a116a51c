//! The absolute error beyond a tube: `max(0, |y - f| - epsilon)`.

use super::derivative::{Residual, sign};

/// Residuals within the tube cost nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EpsilonInsensitive {
    /// Half the width of the tube.
    pub(crate) epsilon: f64,
}

impl Residual for EpsilonInsensitive {
    #[inline(always)]
    fn slope(self, residual: f64) -> f64 {
        if residual.abs() > self.epsilon { sign(residual) } else { 0.0 }
    }
}
