//! The Laplacian kernel `exp(-gamma |x - x'|_1)`.

use super::{Accumulation, Kernel};
use crate::float::{Real, Vector, exp2};
use std::f64::consts::LOG2_E;

/// `exp(-gamma |x - x'|_1)`, `gamma > 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Laplacian {
    /// The inverse width.
    pub gamma: f64,
}

impl<T: Real> Kernel<T> for Laplacian {
    const ACCUMULATION: Accumulation = Accumulation::AbsoluteDifference;

    #[inline(always)]
    fn finish<V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        exp2(sum * T::from_f64(-self.gamma * LOG2_E))
    }

    fn diag(self, _: T) -> T {
        T::ONE
    }
}
