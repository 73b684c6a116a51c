//! The hinge loss: `max(0, 1 - margin)`. For more than two classes the margin is taken over the strongest rival.

use super::{margin, write_direction};
use crate::batch::Label;
use crate::float::Real;

/// The hinge loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hinge;

impl Hinge {
    #[inline(always)]
    pub(super) fn neg_gradient<T: Real>(label: Label, f: &[T], inv_scale: f64, alpha: &mut [T]) -> bool {
        let (margin, rival) = margin(label, f);
        if margin >= T::from_f64(inv_scale) {
            return false;
        }
        write_direction(label, rival, T::ONE, alpha);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_by_hand() {
        // (score, label, inverse scale, expected -l')
        let binary = [(0.5, 1.0, 1.0, Some(1.0)), (0.5, -1.0, 1.0, Some(-1.0)), (1.0, 1.0, 1.0, None)];
        for (f, y, inv_scale, expected) in binary {
            let mut alpha = [9.0];
            let nonzero = Hinge::neg_gradient::<f64>(Label::Sign(y), &[f], inv_scale, &mut alpha);
            assert_eq!(nonzero.then_some(alpha[0]), expected, "f = {f}, y = {y}");
        }
        let mut alpha = [9.0; 3];
        assert!(!Hinge::neg_gradient::<f32>(Label::Class(1), &[0.2, 0.2, 0.2], 0.0, &mut alpha));
        assert!(Hinge::neg_gradient::<f32>(Label::Class(1), &[0.2, 0.2, 0.2], 1e-3, &mut alpha));
        assert_eq!(alpha, [-1.0, 1.0, 0.0]);
    }
}
