//! The Gaussian kernel.

use super::mergeable::log2_factor;
use super::{Accumulation, Kernel, KernelInfo, KernelParameters, MergeableKernel};
use crate::float::{Real, Vector, exp2};

/// `exp(-gamma |x - x'|^2)`, `gamma > 0`: the Gaussian (radial basis function) kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rbf {
    /// Half the inverse square of the length scale.
    pub gamma: f64,
}

impl Kernel for Rbf {
    const INFO: KernelInfo = KernelInfo {
        name: "rbf",
        formula: "exp(-gamma |x - x'|^2)",
        parameters: &["gamma"],
        is_psd: true,
        merges: true,
    };
    const ACCUMULATION: Accumulation = Accumulation::SquaredDifference;

    fn new(gamma: f64, _: KernelParameters) -> Self {
        Self { gamma }
    }

    fn gamma_mut(&mut self) -> Option<&mut f64> {
        Some(&mut self.gamma)
    }

    fn mergeable(self) -> Option<MergeableKernel> {
        Some(MergeableKernel::Rbf { gamma: self.gamma })
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        exp2(sum * log2_factor::<T>(self.gamma))
    }
}
