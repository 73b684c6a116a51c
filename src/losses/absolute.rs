//! The absolute error of regression: `|y - f|`.

use super::derivative::{Residual, sign};

/// Its derivative is the residual's sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Absolute;

impl Residual for Absolute {
    #[inline(always)]
    fn slope(self, residual: f64) -> f64 {
        sign(residual)
    }
}
