//! The Perceptron (Rosenblatt 1958) and the aggressive Perceptron (Crammer, Kandola and Singer 2003, Figure 1).

use super::UpdateRule;
use crate::expansion::Scored;
use crate::float::Real;
use crate::losses::{Trigger, margin, write_direction};

/// The Perceptron: an update adds the sign of the label or, for more than two classes, 1 at the label and -1 at the
/// strongest rival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Perceptron {
    pub(crate) trigger: Trigger,
}

impl UpdateRule for Perceptron {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, scored: &Scored<'_, T>, alpha: &mut [T]) -> bool {
        let Scored { example, f, .. } = scored;
        let (margin, rival) = margin(example.label, f);
        let updates = match self.trigger {
            Trigger::UpTo(beta) => margin.to_f64() <= beta,
            Trigger::UnderOne => margin < T::ONE,
        };
        if updates {
            write_direction(example.label, rival, T::from_f64(example.weight), alpha);
        }
        updates
    }
}
