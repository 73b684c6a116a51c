//! The Matern kernel of smoothness 5/2, `(1 + s + s^2/3) exp(-s)` with `s = sqrt(10 gamma) |x - x'|`.

use super::{Accumulation, Kernel};
use crate::float::{Real, Vector, exp2};
use std::f64::consts::LOG2_E;

/// `(1 + s + s^2/3) exp(-s)` with `s = sqrt(10 gamma) |x - x'|`, `gamma > 0`: the Matern kernel of smoothness 5/2
/// (Rasmussen and Williams 2006, (4.17)) with the length scale that the Gaussian kernel has, `gamma = 1/(2 l^2)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matern52 {
    /// Half the inverse square of the length scale.
    pub gamma: f64,
}

/// An `s^2` beyond which the kernel is zero in any type.
const ZERO_BEYOND: f64 = 1e7;

impl<T: Real> Kernel<T> for Matern52 {
    const ACCUMULATION: Accumulation = Accumulation::SquaredDifference;

    #[inline(always)]
    fn finish<V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        let square = (sum * T::from_f64(10.0 * self.gamma)).min(sum.constant(ZERO_BEYOND));
        let s = square.sqrt();
        let polynomial = square.mul_add(sum.constant(1.0 / 3.0), s + T::ONE);
        polynomial * exp2(s * T::from_f64(-LOG2_E))
    }

    fn diag(self, _: T) -> T {
        T::ONE
    }
}
