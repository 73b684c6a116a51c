//! Kernels whose support vectors can be merged.

use super::{AnyKernel, Kernel, RationalQuadratic, Rbf, with_kernel};
use crate::float::log2::log2_1p;
use crate::float::{Real, Vector};

/// A kernel `k(D)` of the squared distance `D` that decreases from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Radial {
    Rbf(Rbf),
    RationalQuadratic(RationalQuadratic),
}

impl Radial {
    /// The radial form of a kernel, if its support vectors can be merged.
    pub(crate) fn of(kernel: AnyKernel) -> Option<Self> {
        with_kernel!(kernel, kernel => kernel.radial())
    }

    /// `log2 k` of squared distances.
    #[inline(always)]
    pub(crate) fn log2<T: Real, V: Vector<T>>(self, distance: V) -> V {
        match self {
            Self::Rbf(kernel) => distance * kernel.log2_factor::<T>(),
            Self::RationalQuadratic(RationalQuadratic { gamma, alpha }) => {
                log2_1p(distance * T::from_f64(gamma / alpha)) * T::from_f64(-alpha)
            }
        }
    }

    /// `k(part^2 D)`, from `y = log2 k(D)`.
    pub(crate) fn nearer(self, y: f64, part: f64) -> f64 {
        match self {
            Self::Rbf(_) => (y * part * part).exp2(),
            Self::RationalQuadratic(RationalQuadratic { alpha, .. }) => {
                // k(D) = (1 + e)^-alpha
                let e = (-y / alpha * std::f64::consts::LN_2).exp_m1().min(f64::MAX);
                (1.0 + part * part * e).powf(-alpha)
            }
        }
    }
}

impl From<Radial> for AnyKernel {
    fn from(kernel: Radial) -> Self {
        match kernel {
            Radial::Rbf(kernel) => Self::Rbf(kernel),
            Radial::RationalQuadratic(kernel) => Self::RationalQuadratic(kernel),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{KernelName, KernelParameters};

    #[test]
    fn kernels_that_merge_are_radial() {
        for name in KernelName::ALL {
            let kernel = name.with(1.0, KernelParameters::default());
            assert_eq!(Radial::of(kernel).is_some(), name.info().merges, "{name:?}");
            assert_eq!(kernel.gamma().is_some(), name.has("gamma"), "{name:?}");
            assert_eq!(kernel.with_gamma(3.0).gamma(), kernel.gamma().map(|_| 3.0), "{name:?}");
        }
    }

    #[test]
    fn nearer_is_the_kernel_at_a_part_of_the_distance() {
        let alphas = [0.3, 2.0, 40.0];
        let tails = alphas.map(|alpha| Radial::RationalQuadratic(RationalQuadratic { gamma: 0.7, alpha }));
        for kernel in tails.into_iter().chain([Radial::Rbf(Rbf { gamma: 0.7 })]) {
            let value = |distance: f64| match kernel {
                Radial::Rbf(Rbf { gamma }) => (-gamma * distance).exp(),
                Radial::RationalQuadratic(RationalQuadratic { gamma, alpha }) => {
                    (1.0 + gamma * distance / alpha).powf(-alpha)
                }
            };
            for distance in [0.0, 1e-9, 0.1, 1.0, 20.0] {
                for part in [-0.5f64, 0.0, 0.3, 1.0, 1.7] {
                    let found = kernel.nearer(value(distance).log2(), part);
                    let expected = value(part * part * distance);
                    assert!((found - expected).abs() <= 1e-14, "{kernel:?} at {part} of {distance}");
                }
            }
        }
    }
}
