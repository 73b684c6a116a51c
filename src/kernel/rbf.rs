//! The Gaussian kernel `exp(-gamma |x - x'|^2)`.

use super::{Accumulation, Kernel};
use crate::float::{Real, Vector, exp2};
use std::f64::consts::LOG2_E;

/// `exp(-gamma |x - x'|^2)`, `gamma > 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rbf {
    /// The inverse squared width.
    pub gamma: f64,
}

impl Rbf {
    /// `log2 k = log2_factor |x - x'|^2`.
    #[inline(always)]
    pub(crate) fn log2_factor<T: Real>(self) -> T {
        T::from_f64(-self.gamma * LOG2_E)
    }
}

impl<T: Real> Kernel<T> for Rbf {
    const ACCUMULATION: Accumulation = Accumulation::SquaredDifference;

    #[inline(always)]
    fn finish<V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        exp2(sum * self.log2_factor::<T>())
    }

    fn diag(self, _: T) -> T {
        T::ONE
    }
}
