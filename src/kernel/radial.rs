//! Kernels whose support vectors can be merged: those that fall with the distance alone.

use super::{AnyKernel, RationalQuadratic, Rbf};
use crate::float::log2::log2_1p;
use crate::float::{Real, Vector};

/// A kernel `k(D)` of the squared distance D that falls from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Radial {
    Rbf(Rbf),
    RationalQuadratic(RationalQuadratic),
}

impl Radial {
    /// The kernel as one of these, if it is one.
    pub(crate) fn of(kernel: AnyKernel) -> Option<Self> {
        match kernel {
            AnyKernel::Rbf(kernel) => Some(Self::Rbf(kernel)),
            AnyKernel::RationalQuadratic(kernel) => Some(Self::RationalQuadratic(kernel)),
            AnyKernel::Laplacian(_)
            | AnyKernel::Polynomial(_)
            | AnyKernel::Linear(_)
            | AnyKernel::Sigmoid(_)
            | AnyKernel::Cosine(_)
            | AnyKernel::Matern32(_)
            | AnyKernel::Matern52(_) => None,
        }
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
