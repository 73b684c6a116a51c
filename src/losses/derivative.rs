//! Losses with a derivative, for gradient descent.

use crate::batch::Label;
use crate::float::Real;

/// A loss that has a derivative with respect to the scores.
pub(crate) trait DifferentiableLoss: Copy {
    /// Writes `-l'` for the scores `f / inv_scale` into `alpha`. Returns false if it is zero.
    ///
    /// Scores come unscaled, so that the hinge loss can compare with one product instead of dividing each score.
    fn neg_gradient<T: Real>(self, label: Label, f: &[T], inv_scale: f64, alpha: &mut [T]) -> bool;
}

/// A regression loss, a function of the residual `y - f`.
pub(crate) trait ResidualLoss: Copy {
    /// Minus the derivative with respect to f.
    fn neg_derivative(self, residual: f64) -> f64;
}

impl<L: ResidualLoss> DifferentiableLoss for L {
    #[inline(always)]
    fn neg_gradient<T: Real>(self, label: Label, f: &[T], inv_scale: f64, alpha: &mut [T]) -> bool {
        // A checked specification has these losses in regression only.
        let Label::Value(y) = label else { return false };
        let neg_derivative = self.neg_derivative(y - f[0].to_f64() / inv_scale);
        alpha[0] = T::from_f64(neg_derivative);
        neg_derivative != 0.0
    }
}

/// The sign of a residual; 0 for 0.
#[inline(always)]
pub(super) fn sign(residual: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual.signum() }
}
