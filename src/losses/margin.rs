//! What scores say of a label: its margin over the strongest rival, the class that is predicted, and how far ahead it
//! is.

use crate::float::Real;
use crate::label::Label;

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
    let (mut best, mut most) = (0, f[0]);
    for (c, &score) in f.iter().enumerate().skip(1) {
        if score > most {
            (best, most) = (c, score);
        }
    }
    best
}

/// Whether [`predicted`] is another class than this one.
#[inline(always)]
pub(crate) fn is_wrong<T: Real>(f: &[T], class: usize) -> bool {
    if f.len() == 1 {
        return predicted(f) != class;
    }
    // It is the first of the largest. Beaten rivals are counted, so that no comparison waits for another; a score that
    // is no number is not beaten.
    let own = f[class];
    let before = f[..class].iter().filter(|f| **f < own).count();
    let after = f[class + 1..].iter().filter(|f| **f <= own).count();
    before + after + 1 < f.len()
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
    fn ties_go_to_the_lowest_index() {
        assert_eq!(margin(Label::Class(0), &[1.0f64, 0.5, 0.5]), (0.5, 1));
        assert_eq!(margin(Label::Class(2), &[0.0f32, 0.0, 0.0]), (0.0, 0));
        assert_eq!(predicted(&[0.0f64]), 0);
        assert_eq!(predicted(&[1.0f64, 2.0, 2.0]), 1);
    }

    #[test]
    fn wrong_is_what_is_not_predicted() {
        let scores = [-1.0f32, 0.0, 2.0];
        for f in (0..81).map(|i| [i % 3, i / 3 % 3, i / 9 % 3, i / 27].map(|place| scores[place])) {
            for (class, f) in (0..4).flat_map(|class| [(class, &f[..]), (class % 2, &f[..1])]) {
                assert_eq!(is_wrong(f, class), predicted(f) != class, "{f:?}, class {class}");
            }
        }
        assert!(is_wrong(&[0.0, f64::NAN], 1) && is_wrong(&[0.0, f64::NAN], 0));
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
