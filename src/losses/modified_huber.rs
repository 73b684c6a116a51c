//! The modified Huber loss: `max(0, 1 - margin)^2`, and `-4 margin` where the margin is below -1 (Zhang 2004); many
//! classes: the margin over the strongest rival.

use super::{Derivative, direction, margin};
use crate::float::Real;
use crate::label::Label;

/// Squared near the margin, so that doubtful rows move the model little; linear far away, so that outliers do not rule
/// it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ModifiedHuber;

impl Derivative for ModifiedHuber {
    #[inline(always)]
    fn descent<T: Real>(self, label: Label, f: &[T], unit: f64, row: &mut [T]) -> bool {
        let (margin, rival) = margin(label, f);
        let margin = margin.to_f64() / unit;
        if margin >= 1.0 {
            return false;
        }
        direction(label, rival, T::from_f64((2.0 * (1.0 - margin)).min(4.0)), row);
        true
    }
}
