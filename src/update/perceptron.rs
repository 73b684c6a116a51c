//! The Perceptron (Rosenblatt 1958).

use super::loss::{direction, margin};
use super::{Example, Update};
use crate::float::Real;
use crate::persist::State;

/// On a margin of 0 or less adds the direction v: the label's sign; of many classes 1 at the label and -1 at the strongest
/// rival. A zero score is an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Perceptron;

/// It keeps nothing.
impl State for Perceptron {}

impl Update for Perceptron {
    #[inline(always)]
    fn propose<T: Real>(&mut self, example: &Example<T>, f: &[T], row: &mut [T]) -> bool {
        let (margin, rival) = margin(example.label, f);
        if margin > T::ZERO {
            return false;
        }
        direction(example.label, rival, T::from_f64(example.weight), row);
        true
    }
}
