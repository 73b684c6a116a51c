//! An update rule chosen at run time; it matches once per call.

use super::{Example, Sgd, Update};
use crate::float::Real;

/// One of the update rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnyUpdate {
    Sgd(Sgd),
}

impl Update for AnyUpdate {
    #[inline(always)]
    fn propose<T: Real>(&mut self, example: &Example, f: &[T], row: &mut [T]) -> bool {
        match self {
            Self::Sgd(rule) => rule.propose(example, f, row),
        }
    }

    #[inline(always)]
    fn scale(&self, t: u64) -> f64 {
        match self {
            Self::Sgd(rule) => rule.scale(t),
        }
    }

    #[inline(always)]
    fn settle(&mut self, t: u64, norm2: f64) -> f64 {
        match self {
            Self::Sgd(rule) => rule.settle(t, norm2),
        }
    }

    fn reads_norm(&self) -> bool {
        match self {
            Self::Sgd(rule) => rule.reads_norm(),
        }
    }

    #[inline(always)]
    fn gradient_error(&self) -> f64 {
        match self {
            Self::Sgd(rule) => rule.gradient_error(),
        }
    }
}
