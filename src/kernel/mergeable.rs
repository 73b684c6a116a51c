//! Kernels whose support vectors can be merged.

use crate::float::log2::log2_1p;
use crate::float::{Real, Vector};
use std::f64::consts::LOG2_E;

/// A kernel `k(D)` of the squared distance `D` whose support vectors can be merged: its inverse has a closed
/// form, so the kernel value of a pair determines the kernel values with every point on the line through the
/// pair ([`MergeableKernel::at_fraction`]). The Matern kernels depend on the distance too, but have no such
/// inverse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MergeableKernel {
    /// `exp(-gamma D)`.
    Rbf { gamma: f64 },
    /// `(1 + gamma D / alpha)^-alpha`.
    RationalQuadratic { gamma: f64, alpha: f64 },
}

/// `log2 exp(-gamma D)` per unit of D.
#[inline(always)]
pub(super) fn log2_factor<T: Real>(gamma: f64) -> T {
    T::from_f64(-gamma * LOG2_E)
}

impl MergeableKernel {
    /// `log2 k` of squared distances.
    #[inline(always)]
    pub(crate) fn log2<T: Real, V: Vector<T>>(self, distance: V) -> V {
        match self {
            Self::Rbf { gamma } => distance * log2_factor::<T>(gamma),
            Self::RationalQuadratic { gamma, alpha } => {
                log2_1p(distance * T::from_f64(gamma / alpha)) * T::from_f64(-alpha)
            }
        }
    }

    /// `k(fraction^2 D)`, from `y = log2 k(D)`; the fraction may be negative or exceed 1.
    pub(crate) fn at_fraction(self, y: f64, fraction: f64) -> f64 {
        match self {
            Self::Rbf { .. } => (y * fraction * fraction).exp2(),
            Self::RationalQuadratic { alpha, .. } => {
                // k(D) = (1 + e)^-alpha
                let e = (-y / alpha * std::f64::consts::LN_2).exp_m1().min(f64::MAX);
                (1.0 + fraction * fraction * e).powf(-alpha)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{KernelName, KernelParameters};

    #[test]
    fn the_table_says_which_kernels_are_mergeable() {
        for name in KernelName::ALL {
            let kernel = name.with(1.0, KernelParameters::default());
            assert_eq!(kernel.mergeable().is_some(), name.info().merges, "{name:?}");
            assert_eq!(kernel.gamma().is_some(), name.has("gamma"), "{name:?}");
            assert_eq!(kernel.with_gamma(3.0).gamma(), kernel.gamma().map(|_| 3.0), "{name:?}");
        }
    }

    #[test]
    fn at_fraction_is_the_kernel_at_a_fraction_of_the_distance() {
        let alphas = [0.3, 2.0, 40.0];
        let tails = alphas.map(|alpha| MergeableKernel::RationalQuadratic { gamma: 0.7, alpha });
        for kernel in tails.into_iter().chain([MergeableKernel::Rbf { gamma: 0.7 }]) {
            let value = |distance: f64| match kernel {
                MergeableKernel::Rbf { gamma } => (-gamma * distance).exp(),
                MergeableKernel::RationalQuadratic { gamma, alpha } => {
                    (1.0 + gamma * distance / alpha).powf(-alpha)
                }
            };
            for distance in [0.0, 1e-9, 0.1, 1.0, 20.0] {
                for fraction in [-0.5f64, 0.0, 0.3, 1.0, 1.7] {
                    let found = kernel.at_fraction(value(distance).log2(), fraction);
                    let expected = value(fraction * fraction * distance);
                    assert!((found - expected).abs() <= 1e-14, "{kernel:?} at {fraction} of {distance}");
                }
            }
        }
    }
}
