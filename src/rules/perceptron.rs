//! The Perceptron (Rosenblatt 1958) and its aggressive form (Crammer, Kandola and Singer 2003, Figure 1).

use super::{Example, UpdateRule};
use crate::float::Real;
use crate::losses::{direction, margin};
use crate::persist::Persist;

/// The margins that ask for an update.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Trigger {
    /// Those up to beta: of the Perceptron 0, so that a zero score is an error.
    UpTo(f64),
    /// Those under 1: a hinge loss. The maintenance decides what becomes of those above 0 (Projectron++).
    UnderOne,
}

/// On a margin that asks for it adds the direction v: the label's sign; of many classes 1 at the label and -1 at the
/// strongest rival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Perceptron {
    pub(crate) trigger: Trigger,
}

/// It keeps nothing.
impl Persist for Perceptron {}

impl UpdateRule for Perceptron {
    #[inline(always)]
    fn coefficients<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool {
        let (margin, rival) = margin(example.label, f);
        let asks = match self.trigger {
            Trigger::UpTo(beta) => margin.to_f64() <= beta,
            Trigger::UnderOne => margin < T::ONE,
        };
        if asks {
            direction(example.label, rival, T::from_f64(example.weight), row);
        }
        asks
    }
}
