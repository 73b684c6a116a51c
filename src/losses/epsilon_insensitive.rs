//! The epsilon-insensitive loss of regression: `max(0, |y - f| - epsilon)`.

use super::derivative::{ResidualLoss, sign};

/// The epsilon-insensitive loss: zero for errors of at most epsilon, else linear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EpsilonInsensitive {
    /// The largest error without loss.
    pub(crate) epsilon: f64,
}

impl ResidualLoss for EpsilonInsensitive {
    #[inline(always)]
    fn neg_derivative(self, residual: f64) -> f64 {
        if residual.abs() > self.epsilon { sign(residual) } else { 0.0 }
    }
}
