//! The linear kernel `x . x'`.

use super::{Accumulation, Kernel};
use crate::float::{Real, Vector};

/// `x . x'`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear;

impl<T: Real> Kernel<T> for Linear {
    const ACCUMULATION: Accumulation = Accumulation::Product;

    #[inline(always)]
    fn finish<V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        sum
    }

    fn diag(self, row_stat: T) -> T {
        row_stat
    }

    fn reach(self, most: f64) -> f64 {
        most
    }
}
