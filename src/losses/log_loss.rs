//! The log loss: `ln(1 + e^{-y f})`; for more than two classes `-ln p_y` with the softmax p.

use crate::batch::Label;
use crate::float::Real;

/// The log loss. Gradients with a norm below the tolerance count as zero; otherwise every example would become a
/// support vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LogLoss {
    pub(crate) tolerance: f64,
}

impl LogLoss {
    #[inline(always)]
    pub(super) fn neg_gradient<T: Real>(
        self,
        label: Label,
        f: &[T],
        inv_scale: f64,
        alpha: &mut [T],
    ) -> bool {
        match label {
            Label::Sign(y) | Label::Value(y) => {
                let p_wrong = 1.0 / (1.0 + (y * f[0].to_f64() / inv_scale).exp());
                alpha[0] = T::from_f64(y * p_wrong);
                p_wrong >= self.tolerance
            }
            Label::Class(y) => softmax_neg_gradient(y as usize, f, inv_scale, alpha) >= self.tolerance,
        }
    }
}

/// Writes `e_y - p` with the softmax p of `f / inv_scale`, and returns its norm.
#[inline(always)]
fn softmax_neg_gradient<T: Real>(y: usize, f: &[T], inv_scale: f64, alpha: &mut [T]) -> f64 {
    let max = f.iter().fold(-T::INFINITY, |max, &f| if f > max { f } else { max }).to_f64();
    let power = |f: T| ((f.to_f64() - max) / inv_scale).exp();
    let sum: f64 = f.iter().map(|&f| power(f)).sum();
    let mut sq_norm = 0.0;
    for (c, (a, &f)) in alpha.iter_mut().zip(f).enumerate() {
        let neg_derivative = if c == y { 1.0 - power(f) / sum } else { -power(f) / sum };
        *a = T::from_f64(neg_derivative);
        sq_norm += neg_derivative * neg_derivative;
    }
    sq_norm.sqrt()
}

/// Appends the probability of each class under the log loss: for two classes the sigmoid `1/(1 + e^{-f})` is the
/// probability of the second; otherwise the softmax of the scores.
pub(crate) fn probabilities<T: Real>(f: &[T], out: &mut Vec<T>) {
    if let [f] = f {
        let second = 1.0 / (1.0 + (-f.to_f64()).exp());
        let first = 1.0 / (1.0 + f.to_f64().exp());
        out.extend([first, second].map(T::from_f64));
        return;
    }
    let max = f.iter().fold(-T::INFINITY, |max, &f| if f > max { f } else { max }).to_f64();
    let power = |f: &T| (f.to_f64() - max).exp();
    let sum: f64 = f.iter().map(power).sum();
    out.extend(f.iter().map(|f| T::from_f64(power(f) / sum)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_gradients_count_as_zero() {
        let log = LogLoss { tolerance: 1e-3 };
        let mut alpha = [0.0];
        // 1/(1 + e^f) is 1e-3 at f = 6.9068.
        assert!(log.neg_gradient::<f64>(Label::Sign(1.0), &[6.9], 1.0, &mut alpha));
        assert!(!log.neg_gradient::<f64>(Label::Sign(1.0), &[6.91], 1.0, &mut alpha));
        // Extreme scores do not overflow.
        assert!(log.neg_gradient::<f64>(Label::Sign(-1.0), &[1e6], 1.0, &mut alpha) && alpha == [-1.0]);
        let mut alpha = [0.0; 3];
        assert!(log.neg_gradient::<f64>(Label::Class(0), &[-1e9, 1e9, 0.0], 1e-3, &mut alpha));
        assert_eq!(alpha, [1.0, -1.0, 0.0]);
    }

    #[test]
    fn probabilities_by_hand() {
        let of = |f: &[f64]| {
            let mut all = Vec::new();
            probabilities(f, &mut all);
            all
        };
        assert_eq!(of(&[0.0]), [0.5, 0.5]);
        let expected = [0.5, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0];
        assert!(of(&[3.0f64.ln(), 0.0, 0.0, 0.0]).iter().zip(expected).all(|(p, e)| (p - e).abs() < 1e-15));
        assert_eq!(of(&[-1e9]), [1.0, 0.0]);
        assert_eq!(of(&[1e300, -1e300, 0.0]), [1.0, 0.0, 0.0]);
    }
}
