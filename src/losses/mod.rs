//! Losses, by their derivative with respect to the scores.

use crate::float::Real;
use crate::label::Label;

/// A loss of stochastic gradient descent, with what it needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Descent {
    /// `max(0, 1 - margin)`; many classes: the margin over the strongest rival.
    Hinge,
    /// `ln(1 + e^{-y f})`; many classes: `-ln p_y` with the softmax p. Derivatives shorter than the tolerance count as
    /// zero, or every example would become a support vector.
    Log { tolerance: f64 },
    /// A loss of the residual `y - f`.
    Residual(Residual),
}

/// A loss of regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Residual {
    /// `1/2 (y - f)^2`
    Squared,
    /// `|y - f|`
    Absolute,
    /// `max(0, |y - f| - epsilon)`
    EpsilonInsensitive { epsilon: f64 },
    /// `1/2 (y - f)^2` up to a residual of delta, then `delta (|y - f| - delta/2)`
    Huber { delta: f64 },
    /// `max(q (y - f), (q - 1) (y - f))`: its least mean is at the quantile q
    Quantile { q: f64 },
}

impl Descent {
    /// Writes `-l'`, the direction of descent, into `row` for scores `f / unit`; false where it is zero.
    ///
    /// The scores come without their scale, so that for the hinge loss one multiplication of the constant 1 replaces a
    /// division of each.
    #[inline(always)]
    pub(crate) fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool {
        match (self, label) {
            (Self::Residual(loss), Label::Value(y) | Label::Sign(y)) => {
                let descent = loss.descent(y - f[0].to_f64() / unit);
                row[0] = T::from_f64(descent);
                descent != 0.0
            }
            (Self::Log { tolerance }, Label::Sign(y) | Label::Value(y)) => {
                let wrong = 1.0 / (1.0 + (y * f[0].to_f64() / unit).exp());
                row[0] = T::from_f64(y * wrong);
                wrong >= tolerance
            }
            (Self::Log { tolerance }, Label::Class(y)) => {
                softmax_descent(y as usize, f, unit, row) >= tolerance
            }
            (Self::Hinge | Self::Residual(_), label) => {
                let (margin, rival) = margin(label, f);
                if margin >= T::from_f64(unit) {
                    return false;
                }
                direction(label, rival, T::ONE, row);
                true
            }
        }
    }
}

impl Residual {
    /// Minus the derivative with respect to f, from the residual `y - f`.
    #[inline(always)]
    fn descent(self, residual: f64) -> f64 {
        let sign = if residual == 0.0 { 0.0 } else { residual.signum() };
        match self {
            Self::Squared => residual,
            Self::Absolute => sign,
            Self::EpsilonInsensitive { epsilon } => {
                if residual.abs() > epsilon {
                    sign
                } else {
                    0.0
                }
            }
            Self::Huber { delta } => residual.clamp(-delta, delta),
            Self::Quantile { q } => match sign {
                s if s > 0.0 => q,
                s if s < 0.0 => q - 1.0,
                _ => 0.0,
            },
        }
    }
}

/// Writes `e_y - p` with the softmax p of `f / unit`, and gives its length.
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

/// Writes `tau v`: the direction v is the sign of two classes; of many 1 at the label, -1 at the strongest rival.
#[inline(always)]
pub(crate) fn direction<T: Real>(label: Label, rival: usize, tau: T, row: &mut [T]) {
    match label {
        Label::Sign(y) | Label::Value(y) => row[0] = if y > 0.0 { tau } else { -tau },
        Label::Class(y) => {
            row.fill(T::ZERO);
            row[y as usize] = tau;
            row[rival] = -tau;
        }
    }
}

/// The margin, and for many classes the strongest rival; the lowest index wins ties.
#[inline(always)]
pub(crate) fn margin<T: Real>(label: Label, f: &[T]) -> (T, usize) {
    match label {
        Label::Sign(y) | Label::Value(y) => (if y > 0.0 { f[0] } else { -f[0] }, 0),
        Label::Class(y) => {
            let y = y as usize;
            let (mut rival, mut best) = (usize::from(y == 0), -T::INFINITY);
            for (r, &f) in f.iter().enumerate() {
                if r != y && f > best {
                    (rival, best) = (r, f);
                }
            }
            (f[y] - best, rival)
        }
    }
}

/// The class that the scores predict: two classes `f > 0` is the second; many: the lowest index wins ties.
#[inline(always)]
pub(crate) fn predicted<T: Real>(f: &[T]) -> usize {
    if let [f] = f {
        return usize::from(*f > T::ZERO);
    }
    let mut best = 0;
    for (c, &score) in f.iter().enumerate() {
        if score > f[best] {
            best = c;
        }
    }
    best
}

/// How sure the prediction is: `|f|` for two classes, for many the gap between the two best scores.
#[inline(always)]
pub(crate) fn gap<T: Real>(f: &[T]) -> T {
    if let [f] = f {
        return if *f < T::ZERO { -*f } else { *f };
    }
    let (mut best, mut second) = (-T::INFINITY, -T::INFINITY);
    for &f in f {
        if f > best {
            (best, second) = (f, best);
        } else if f > second {
            second = f;
        }
    }
    best - second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hinge_is_the_derivative() {
        // (scores, label, unit, expected -l')
        let binary = [(0.5, 1.0, 1.0, Some(1.0)), (0.5, -1.0, 1.0, Some(-1.0)), (1.0, 1.0, 1.0, None)];
        for (f, y, unit, expected) in binary {
            let mut row = [9.0];
            let some = Descent::Hinge.descent::<f64>(Label::Sign(y), &[f], unit, &mut row);
            assert_eq!(some.then_some(row[0]), expected, "f = {f}, y = {y}");
        }
        let mut row = [9.0; 3];
        assert!(!Descent::Hinge.descent::<f32>(Label::Class(1), &[0.2, 0.2, 0.2], 0.0, &mut row));
        assert!(Descent::Hinge.descent::<f32>(Label::Class(1), &[0.2, 0.2, 0.2], 1e-3, &mut row));
        assert_eq!(row, [-1.0, 1.0, 0.0]);
    }

    /// Each loss at scores `f`, as its definition has it.
    fn loss(of: Descent, label: Label, f: &[f64]) -> f64 {
        match (of, label) {
            (Descent::Hinge, label) => (1.0 - margin(label, f).0).max(0.0),
            (Descent::Log { .. }, Label::Class(y)) => {
                f.iter().map(|f| f.exp()).sum::<f64>().ln() - f[y as usize]
            }
            (Descent::Log { .. }, Label::Sign(y) | Label::Value(y)) => (-y * f[0]).exp().ln_1p(),
            (Descent::Residual(loss), Label::Value(y) | Label::Sign(y)) => {
                let r: f64 = y - f[0];
                match loss {
                    Residual::Squared => 0.5 * r * r,
                    Residual::Absolute => r.abs(),
                    Residual::EpsilonInsensitive { epsilon } => (r.abs() - epsilon).max(0.0),
                    Residual::Huber { delta } if r.abs() <= delta => 0.5 * r * r,
                    Residual::Huber { delta } => delta * (r.abs() - 0.5 * delta),
                    Residual::Quantile { q } => (q * r).max((q - 1.0) * r),
                }
            }
            (Descent::Residual(_), Label::Class(_)) => panic!("no loss of classes"),
        }
    }

    #[test]
    fn every_loss_descends_along_its_derivative() {
        let log = Descent::Log { tolerance: 1e-3 };
        let residuals = [
            Residual::Squared,
            Residual::Absolute,
            Residual::EpsilonInsensitive { epsilon: 0.3 },
            Residual::Huber { delta: 0.7 },
            Residual::Quantile { q: 0.9 },
        ];
        let values = [-2.05, -0.41, -0.1, 0.17, 0.44, 1.9];
        let mut cases: Vec<(Descent, Label, Vec<f64>)> = Vec::new();
        for f in values {
            for loss in residuals {
                cases.push((Descent::Residual(loss), Label::Value(0.35), vec![f]));
            }
            for y in [-1.0, 1.0] {
                cases.push((Descent::Hinge, Label::Sign(y), vec![f]));
                cases.push((log, Label::Sign(y), vec![f]));
            }
            for y in 0..3 {
                cases.push((Descent::Hinge, Label::Class(y), vec![f, 0.93, 0.31 * f]));
                cases.push((log, Label::Class(y), vec![f, 0.93, 0.31 * f]));
            }
        }
        for (of, label, f) in cases {
            for unit in [1.0, 0.04] {
                let raw: Vec<f64> = f.iter().map(|f| f * unit).collect();
                let mut row = vec![0.0; f.len()];
                let some = of.descent(label, &raw, unit, &mut row);
                for c in 0..f.len() {
                    let (mut up, mut down) = (f.clone(), f.clone());
                    up[c] += 1e-6;
                    down[c] -= 1e-6;
                    let slope = (loss(of, label, &up) - loss(of, label, &down)) / 2e-6;
                    let found = if some { row[c] } else { 0.0 };
                    assert!((found + slope).abs() < 1e-8, "{of:?}, {label:?}, {f:?}: {found} and {slope}");
                }
            }
        }
    }

    #[test]
    fn small_derivatives_of_the_log_loss_count_as_zero() {
        let log = Descent::Log { tolerance: 1e-3 };
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
    fn ties_go_to_the_lowest_index() {
        assert_eq!(margin(Label::Class(0), &[1.0f64, 0.5, 0.5]), (0.5, 1));
        assert_eq!(margin(Label::Class(2), &[0.0f32, 0.0, 0.0]), (0.0, 0));
        assert_eq!(predicted(&[0.0f64]), 0);
        assert_eq!(predicted(&[1.0f64, 2.0, 2.0]), 1);
    }

    #[test]
    fn gaps_by_hand() {
        assert_eq!([gap(&[0.5f64]), gap(&[-1.5f64]), gap(&[0.0f64])], [0.5, 1.5, 0.0]);
        assert_eq!(
            [gap(&[1.0f64, 3.0, -2.0]), gap(&[3.0f64, 2.5, 3.0]), gap(&[-4.0f64, -1.0, -2.0])],
            [2.0, 0.0, 1.0]
        );
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
