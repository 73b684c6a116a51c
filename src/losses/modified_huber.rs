//! The modified Huber loss: `max(0, 1 - margin)^2`, and `-4 margin` for margins below -1 (Zhang 2004). For more than
//! two classes the margin is taken over the strongest rival.

use super::{margin, write_direction};
use crate::batch::Label;
use crate::float::Real;

/// The modified Huber loss: squared near margin 1, so that rows there change the model little; linear below margin -1,
/// so that outliers do not dominate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ModifiedHuber;

impl ModifiedHuber {
    #[inline(always)]
    pub(super) fn neg_gradient<T: Real>(label: Label, f: &[T], inv_scale: f64, alpha: &mut [T]) -> bool {
        let (margin, rival) = margin(label, f);
        let margin = margin.to_f64() / inv_scale;
        if margin >= 1.0 {
            return false;
        }
        write_direction(label, rival, T::from_f64((2.0 * (1.0 - margin)).min(4.0)), alpha);
        true
    }
}
