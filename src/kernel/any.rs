//! A kernel chosen at run time; it matches once per row, never per feature.

use super::{Accumulation, Cosine, Kernel, Laplacian, Linear, Polynomial, Rbf, Sigmoid};
use crate::float::Real;
use crate::row::Row;

/// One of the six kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AnyKernel {
    /// `exp(-gamma |x - x'|^2)`
    Rbf(Rbf),
    /// `exp(-gamma |x - x'|_1)`
    Laplacian(Laplacian),
    /// `(gamma x . x' + coef0)^degree`
    Polynomial(Polynomial),
    /// `x . x'`
    Linear(Linear),
    /// `tanh(gamma x . x' + coef0)`
    Sigmoid(Sigmoid),
    /// `x . x' / (|x| |x'|)`
    Cosine(Cosine),
}

/// Runs an expression generic over the chosen kernel.
macro_rules! with_kernel {
    ($kernel:expr, $chosen:ident => $op:expr) => {
        match $kernel {
            $crate::kernel::AnyKernel::Rbf($chosen) => $op,
            $crate::kernel::AnyKernel::Laplacian($chosen) => $op,
            $crate::kernel::AnyKernel::Polynomial($chosen) => $op,
            $crate::kernel::AnyKernel::Linear($chosen) => $op,
            $crate::kernel::AnyKernel::Sigmoid($chosen) => $op,
            $crate::kernel::AnyKernel::Cosine($chosen) => $op,
        }
    };
}
pub(crate) use with_kernel;

impl AnyKernel {
    /// The name that parameters and model files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rbf(_) => "rbf",
            Self::Laplacian(_) => "laplacian",
            Self::Polynomial(_) => "poly",
            Self::Linear(_) => "linear",
            Self::Sigmoid(_) => "sigmoid",
            Self::Cosine(_) => "cosine",
        }
    }

    /// The width parameter, where the kernel has one.
    #[must_use]
    pub fn gamma(self) -> Option<f64> {
        match self {
            Self::Rbf(k) => Some(k.gamma),
            Self::Laplacian(k) => Some(k.gamma),
            Self::Polynomial(k) => Some(k.gamma),
            Self::Sigmoid(k) => Some(k.gamma),
            Self::Linear(_) | Self::Cosine(_) => None,
        }
    }

    /// The same kernel with another width; unchanged where it has none.
    #[must_use]
    pub fn with_gamma(self, gamma: f64) -> Self {
        match self {
            Self::Rbf(_) => Self::Rbf(Rbf { gamma }),
            Self::Laplacian(_) => Self::Laplacian(Laplacian { gamma }),
            Self::Polynomial(k) => Self::Polynomial(Polynomial { gamma, ..k }),
            Self::Sigmoid(k) => Self::Sigmoid(Sigmoid { gamma, ..k }),
            Self::Linear(_) | Self::Cosine(_) => self,
        }
    }

    /// Whether it depends on differences of rows alone.
    #[must_use]
    pub fn translation_invariant(self) -> bool {
        matches!(self, Self::Rbf(_) | Self::Laplacian(_))
    }

    /// `k(x, x)` from the row's norm.
    #[inline(always)]
    pub(crate) fn diag<T: Real>(self, norm: T) -> T {
        with_kernel!(self, chosen => Kernel::<T>::diag(chosen, norm))
    }

    /// The largest norm whose `k(x, x)` is `most` at most, for `most > 0`; negative where there is none.
    pub(crate) fn reach(self, most: f64) -> f64 {
        with_kernel!(self, chosen => Kernel::<f64>::reach(chosen, most))
    }

    /// What it accumulates over the features.
    #[inline(always)]
    pub(crate) fn accumulation(self) -> Accumulation {
        fn of<K: Kernel<f64>>(_: K) -> Accumulation {
            K::ACCUMULATION
        }
        with_kernel!(self, chosen => of(chosen))
    }

    /// The row's norm, as this kernel takes it.
    #[inline(always)]
    pub(crate) fn norm<T: Real>(self, x: Row<'_, T>) -> T {
        self.accumulation().norm(x)
    }
}
