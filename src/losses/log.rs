//! The log loss: `ln(1 + e^{-y f})`; many classes: `-ln p_y` with the softmax p.

use super::Derivative;
use crate::float::Real;
use crate::label::Label;

/// Derivatives shorter than the tolerance count as zero, or every example would become a support vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Log {
    pub(crate) tolerance: f64,
}

impl Derivative for Log {
    #[inline(always)]
    fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool {
        match label {
            Label::Sign(y) | Label::Value(y) => {
                let wrong = 1.0 / (1.0 + (y * f[0].to_f64() / unit).exp());
                row[0] = T::from_f64(y * wrong);
                wrong >= self.tolerance
            }
            Label::Class(y) => softmax_descent(y as usize, f, unit, row) >= self.tolerance,
        }
    }
}

/// Writes `e_y - p` with the softmax p of `f / unit`, and returns its length.
#[inline(always)]
fn softmax_descent<T: Real>(y: usize, f: &[T], unit: f64, row: &mut [T]) -> f64 {
    let most = f.iter().fold(-T::INFINITY, |most, &f| if f > most { f } else { most }).to_f64();
    let power = |f: T| ((f.to_f64() - most) / unit).exp();
    let sum: f64 = f.iter().map(|&f| power(f)).sum();
    let mut square = 0.0;
    for (c, (a, &f)) in row.iter_mut().zip(f).enumerate() {
        let descent = if c == y { 1.0 - power(f) / sum } else { -power(f) / sum };
        *a = T::from_f64(descent);
        square += descent * descent;
    }
    square.sqrt()
}

/// The probabilities of all classes that scores of the log loss stand for: `1/(1 + e^{-f})` of the second of two, the
/// softmax of many.
pub(crate) fn probabilities<T: Real>(f: &[T], out: &mut Vec<T>) {
    if let [f] = f {
        let second = 1.0 / (1.0 + (-f.to_f64()).exp());
        let first = 1.0 / (1.0 + f.to_f64().exp());
        out.extend([first, second].map(T::from_f64));
        return;
    }
    let most = f.iter().fold(-T::INFINITY, |most, &f| if f > most { f } else { most }).to_f64();
    let power = |f: &T| (f.to_f64() - most).exp();
    let sum: f64 = f.iter().map(power).sum();
    out.extend(f.iter().map(|f| T::from_f64(power(f) / sum)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_derivatives_of_the_log_loss_count_as_zero() {
        let log = Log { tolerance: 1e-3 };
        let mut row = [0.0];
        // 1/(1 + e^f) is 1e-3 at f = 6.9068.
        assert!(log.descent::<f64>(Label::Sign(1.0), &[6.9], 1.0, &mut row));
        assert!(!log.descent::<f64>(Label::Sign(1.0), &[6.91], 1.0, &mut row));
        // Far away nothing overflows.
        assert!(log.descent::<f64>(Label::Sign(-1.0), &[1e6], 1.0, &mut row) && row == [-1.0]);
        let mut row = [0.0; 3];
        assert!(log.descent::<f64>(Label::Class(0), &[-1e9, 1e9, 0.0], 1e-3, &mut row));
        assert_eq!(row, [1.0, -1.0, 0.0]);
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
