//! A kernel chosen at run time: one `match` per call.

use super::{Accumulation, AnyKernel, Kernel, MergeableKernel, RationalQuadratic, Rbf, with_kernel};
use crate::batch::Row;
use crate::float::Real;

impl AnyKernel {
    /// The name that parameters and model files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    /// The width parameter, if the kernel has one.
    #[must_use]
    pub fn gamma(self) -> Option<f64> {
        with_kernel!(self, kernel => {
            let mut kernel = kernel;
            kernel.gamma_mut().copied()
        })
    }

    /// The kernel with another width; unchanged if it has no width.
    #[must_use]
    pub fn with_gamma(mut self, gamma: f64) -> Self {
        if let Some(own) = with_kernel!(&mut self, kernel => kernel.gamma_mut()) {
            *own = gamma;
        }
        self
    }

    /// True if the kernel is a function of `x - x'` alone.
    #[must_use]
    pub fn translation_invariant(self) -> bool {
        self.accumulation().of_differences()
    }

    /// `k(x, x)` from the statistic of the row.
    #[inline(always)]
    pub(crate) fn diag<T: Real>(self, row_stat: T) -> T {
        with_kernel!(self, kernel => kernel.diag(row_stat))
    }

    /// The largest row statistic with `k(x, x) <= max`; negative if there is none.
    pub(crate) fn max_row_stat(self, max: f64) -> f64 {
        with_kernel!(self, kernel => kernel.max_row_stat(max))
    }

    /// Whether `k(x, x)` is at most `T::MAX_SQ_NORM` for every row.
    pub(crate) fn has_bounded_diag<T: Real>(self) -> bool {
        self.max_row_stat(T::MAX_SQ_NORM) == f64::INFINITY
    }

    /// The kernel as a function of the squared distance, if its support vectors can be merged.
    pub(crate) fn mergeable(self) -> Option<MergeableKernel> {
        with_kernel!(self, kernel => kernel.mergeable())
    }

    /// The sum over the features.
    #[inline(always)]
    pub(crate) fn accumulation(self) -> Accumulation {
        fn of<K: Kernel>(_: K) -> Accumulation {
            K::ACCUMULATION
        }
        with_kernel!(self, kernel => of(kernel))
    }

    /// The statistic of a row that the kernel needs.
    #[inline(always)]
    pub(crate) fn row_stat<T: Real>(self, x: Row<'_, T>) -> T {
        self.accumulation().row_stat(x)
    }

    /// The statistic of a row as far as scores and `k(x, x)` depend on it: 0 for kernels of differences.
    #[inline(always)]
    pub(crate) fn query_stat<T: Real>(self, x: Row<'_, T>) -> T {
        if self.translation_invariant() { T::ZERO } else { self.row_stat(x) }
    }
}

impl From<MergeableKernel> for AnyKernel {
    fn from(kernel: MergeableKernel) -> Self {
        match kernel {
            MergeableKernel::Rbf { gamma } => Self::Rbf(Rbf { gamma }),
            MergeableKernel::RationalQuadratic { gamma, alpha } => {
                Self::RationalQuadratic(RationalQuadratic { gamma, alpha })
            }
        }
    }
}
