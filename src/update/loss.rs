//! Losses, by their derivative with respect to the scores.

use crate::float::Real;
use crate::label::Label;

/// A loss of stochastic gradient descent, with what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descent {
    /// `max(0, 1 - margin)`; many classes: the margin over the strongest rival.
    Hinge,
}

impl Descent {
    /// Writes `-l'`, the direction of descent, into `row` for scores `f / unit`; false where it is zero.
    ///
    /// The scores come without their scale, so that one multiplication of the constant 1 replaces a division of each.
    #[inline(always)]
    pub(crate) fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool {
        match self {
            Self::Hinge => {
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
        // Finite differences of max(0, 1 - (f_y - max_r f_r)).
        let hinge = |f: &[f64; 3]| (1.0 - (f[2] - f[0].max(f[1]))).max(0.0);
        let f = [0.3, -0.4, 0.9];
        let mut row = [0.0; 3];
        assert!(Descent::Hinge.descent::<f64>(Label::Class(2), &f, 1.0, &mut row));
        for c in 0..3 {
            let (mut up, mut down) = (f, f);
            up[c] += 1e-6;
            down[c] -= 1e-6;
            assert!((row[c] + (hinge(&up) - hinge(&down)) / 2e-6).abs() < 1e-9);
        }
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
}
