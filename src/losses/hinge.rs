//! The hinge loss: `max(0, 1 - margin)`; many classes: the margin over the strongest rival.

use super::{Derivative, direction, margin};
use crate::float::Real;
use crate::label::Label;

/// The scores come without their scale, so one multiplication of the constant 1 replaces a division of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hinge;

impl Derivative for Hinge {
    #[inline(always)]
    fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool {
        let (margin, rival) = margin(label, f);
        if margin >= T::from_f64(unit) {
            return false;
        }
        direction(label, rival, T::ONE, row);
        true
    }
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
            let some = Hinge.descent::<f64>(Label::Sign(y), &[f], unit, &mut row);
            assert_eq!(some.then_some(row[0]), expected, "f = {f}, y = {y}");
        }
        let mut row = [9.0; 3];
        assert!(!Hinge.descent::<f32>(Label::Class(1), &[0.2, 0.2, 0.2], 0.0, &mut row));
        assert!(Hinge.descent::<f32>(Label::Class(1), &[0.2, 0.2, 0.2], 1e-3, &mut row));
        assert_eq!(row, [-1.0, 1.0, 0.0]);
    }
}
