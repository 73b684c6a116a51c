//! The Matern kernel of smoothness 5/2.

use super::{Accumulation, Kernel, KernelInfo, KernelParameters};
use crate::float::{Real, Vector, exp2};
use std::f64::consts::LOG2_E;

/// `(1 + s + s^2/3) exp(-s)` with `s = sqrt(10 gamma) |x - x'|`, `gamma > 0`: the Matern kernel of smoothness 5/2
/// (Rasmussen and Williams 2006, (4.17)) with the length scale that the Gaussian kernel has, `gamma = 1/(2 l^2)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matern52 {
    /// Half the inverse square of the length scale.
    pub gamma: f64,
}

/// `s^2` is cut off here: it may be infinite, and `infinity * 0` is not a number. The kernel is 0 from here on in both
/// types.
const ZERO_BEYOND: f64 = 1e7;

impl Kernel for Matern52 {
    const INFO: KernelInfo = KernelInfo {
        name: "matern52",
        formula: "(1 + s + s^2/3) exp(-s), s = sqrt(10 gamma) |x - x'|",
        parameters: &["gamma"],
        is_psd: true,
        merges: false,
    };
    const ACCUMULATION: Accumulation = Accumulation::SquaredDifference;

    fn new(gamma: f64, _: KernelParameters) -> Self {
        Self { gamma }
    }

    fn gamma_mut(&mut self) -> Option<&mut f64> {
        Some(&mut self.gamma)
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        let square = (sum * T::from_f64(10.0 * self.gamma)).min(sum.constant(ZERO_BEYOND));
        let s = square.sqrt();
        let polynomial = square.mul_add(sum.constant(1.0 / 3.0), s + T::ONE);
        polynomial * exp2(s * T::from_f64(-LOG2_E))
    }
}
