//! The Laplacian kernel.

use super::{Accumulation, Kernel, KernelInfo, KernelParameters};
use crate::float::{Real, Vector, exp2};
use std::f64::consts::LOG2_E;

/// `exp(-gamma |x - x'|_1)`, `gamma > 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Laplacian {
    /// The inverse length scale.
    pub gamma: f64,
}

impl Kernel for Laplacian {
    const INFO: KernelInfo = KernelInfo {
        name: "laplacian",
        formula: "exp(-gamma |x - x'|_1)",
        parameters: &["gamma"],
        is_psd: true,
        merges: false,
    };
    const ACCUMULATION: Accumulation = Accumulation::AbsoluteDifference;

    fn new(gamma: f64, _: KernelParameters) -> Self {
        Self { gamma }
    }

    fn gamma_mut(&mut self) -> Option<&mut f64> {
        Some(&mut self.gamma)
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        exp2(sum * T::from_f64(-self.gamma * LOG2_E))
    }
}
