//! What a loss is to gradient descent, and the losses of the residual `y - f`.

use crate::float::Real;
use crate::label::Label;

/// The derivative of a loss.
pub(crate) trait Derivative: Copy {
    /// Writes `-l'`, the direction of descent, into `row` for scores `f / unit`; false where it is zero.
    fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool;
}

/// A loss of regression.
pub(crate) trait Residual: Copy {
    /// Minus the derivative with respect to f, from the residual `y - f`.
    fn slope(self, residual: f64) -> f64;
}

impl<L: Residual> Derivative for L {
    #[inline(always)]
    fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool {
        // The checked specification has no classes with a loss of regression.
        let (Label::Value(y) | Label::Sign(y)) = label else { return false };
        let descent = self.slope(y - f[0].to_f64() / unit);
        row[0] = T::from_f64(descent);
        descent != 0.0
    }
}

/// The sign of a residual, 0 of 0.
#[inline(always)]
pub(super) fn sign(residual: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual.signum() }
}
