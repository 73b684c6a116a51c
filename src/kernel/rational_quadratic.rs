//! The rational quadratic kernel.

use super::{Accumulation, Kernel, KernelInfo, KernelParameters, MergeableKernel};
use crate::float::log2::log2_1p;
use crate::float::{Real, Vector, exp2};

/// `(1 + gamma |x - x'|^2 / alpha)^-alpha`, `gamma > 0`, `alpha > 0`: a mixture of Gaussian kernels of all widths with
/// the length scale `gamma = 1/(2 l^2)`, the heavier its tail the smaller alpha (Rasmussen and Williams 2006, (4.19)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RationalQuadratic {
    /// Half the inverse square of the length scale.
    pub gamma: f64,
    /// The exponent of the tail.
    pub alpha: f64,
}

impl Kernel for RationalQuadratic {
    const INFO: KernelInfo = KernelInfo {
        name: "rational-quadratic",
        formula: "(1 + gamma |x - x'|^2 / alpha_rq)^-alpha_rq",
        parameters: &["gamma", "alpha_rq"],
        is_psd: true,
        merges: true,
    };
    const ACCUMULATION: Accumulation = Accumulation::SquaredDifference;

    fn new(gamma: f64, KernelParameters { alpha_rq, .. }: KernelParameters) -> Self {
        Self { gamma, alpha: alpha_rq }
    }

    fn gamma_mut(&mut self) -> Option<&mut f64> {
        Some(&mut self.gamma)
    }

    fn mergeable(self) -> Option<MergeableKernel> {
        Some(MergeableKernel::RationalQuadratic { gamma: self.gamma, alpha: self.alpha })
    }

    #[inline(always)]
    fn finish<T: Real, V: Vector<T>>(self, sum: V, _: T, _: V) -> V {
        let distance = sum * T::from_f64(self.gamma / self.alpha);
        if self.alpha == 2.0 {
            // The tail of `online-kernel` takes no logarithm.
            let root = sum.constant(1.0) / (distance + sum.constant(1.0));
            return root * root;
        }
        exp2(log2_1p(distance) * T::from_f64(-self.alpha))
    }
}
