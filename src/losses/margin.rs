//! Functions of scores: the margin of a label over the strongest rival, the predicted class, and the gap between the
//! two best scores.

use crate::batch::Label;
use crate::float::Real;

/// Writes `tau v`. The direction v is the sign of the label or, for more than two classes, 1 at the label and -1 at the
/// strongest rival.
#[inline(always)]
pub(crate) fn write_direction<T: Real>(label: Label, rival: usize, tau: T, alpha: &mut [T]) {
    match label {
        Label::Sign(y) | Label::Value(y) => alpha[0] = if y > 0.0 { tau } else { -tau },
        Label::Class(y) => {
            alpha.fill(T::ZERO);
            alpha[y as usize] = tau;
            alpha[rival] = -tau;
        }
    }
}

/// The margin and, for more than two classes, the strongest rival; the lowest index wins ties.
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

/// The predicted class: for two classes the second if `f > 0`; otherwise the class with the largest score, where the
/// lowest index wins ties.
#[inline(always)]
pub(crate) fn predicted_class<T: Real>(f: &[T]) -> usize {
    if let [f] = f {
        return usize::from(*f > T::ZERO);
    }
    let (mut best, mut max) = (0, f[0]);
    for (c, &score) in f.iter().enumerate().skip(1) {
        if score > max {
            (best, max) = (c, score);
        }
    }
    best
}

/// Whether [`predicted_class`] differs from `class`.
#[inline(always)]
pub(crate) fn is_misclassified<T: Real>(f: &[T], class: usize) -> bool {
    if f.len() == 1 {
        return predicted_class(f) != class;
    }
    // Beaten rivals are counted, so that no comparison depends on another. NaN scores are not beaten.
    let own = f[class];
    let before = f[..class].iter().filter(|f| **f < own).count();
    let after = f[class + 1..].iter().filter(|f| **f <= own).count();
    before + after + 1 < f.len()
}

/// The confidence of the prediction: `|f|` for two classes, otherwise the gap between the two best scores.
#[inline(always)]
pub(crate) fn score_gap<T: Real>(f: &[T]) -> T {
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
    fn ties_go_to_the_lowest_index() {
        assert_eq!(margin(Label::Class(0), &[1.0f64, 0.5, 0.5]), (0.5, 1));
        assert_eq!(margin(Label::Class(2), &[0.0f32, 0.0, 0.0]), (0.0, 0));
        assert_eq!(predicted_class(&[0.0f64]), 0);
        assert_eq!(predicted_class(&[1.0f64, 2.0, 2.0]), 1);
    }

    #[test]
    fn misclassified_means_another_class_is_predicted() {
        let scores = [-1.0f32, 0.0, 2.0];
        for f in (0..81).map(|i| [i % 3, i / 3 % 3, i / 9 % 3, i / 27].map(|place| scores[place])) {
            for (class, f) in (0..4).flat_map(|class| [(class, &f[..]), (class % 2, &f[..1])]) {
                assert_eq!(is_misclassified(f, class), predicted_class(f) != class, "{f:?}, class {class}");
            }
        }
        assert!(is_misclassified(&[0.0, f64::NAN], 1) && is_misclassified(&[0.0, f64::NAN], 0));
    }

    #[test]
    fn score_gaps_by_hand() {
        assert_eq!([score_gap(&[0.5f64]), score_gap(&[-1.5f64]), score_gap(&[0.0f64])], [0.5, 1.5, 0.0]);
        assert_eq!(
            [
                score_gap(&[1.0f64, 3.0, -2.0]),
                score_gap(&[3.0f64, 2.5, 3.0]),
                score_gap(&[-4.0f64, -1.0, -2.0])
            ],
            [2.0, 0.0, 1.0]
        );
    }
}
