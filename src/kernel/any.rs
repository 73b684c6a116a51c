//! What a kernel chosen at run time does, by one `match` per call.

use super::{Accumulation, AnyKernel, Kernel, with_kernel};
use crate::float::Real;
use crate::row::Row;

impl AnyKernel {
    /// Whether it is a function of `x - x'` alone.
    #[must_use]
    pub fn translation_invariant(self) -> bool {
        self.accumulation().of_differences()
    }

    /// `k(x, x)` from the row's row_stat.
    #[inline(always)]
    pub(crate) fn diag<T: Real>(self, row_stat: T) -> T {
        with_kernel!(self, chosen => Kernel::<T>::diag(chosen, row_stat))
    }

    /// The largest row_stat whose `k(x, x)` is `most` at most, for `most > 0`; negative where there is none.
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

    /// The row's row_stat, as this kernel takes it.
    #[inline(always)]
    pub(crate) fn row_stat<T: Real>(self, x: Row<'_, T>) -> T {
        self.accumulation().row_stat(x)
    }

    /// The same as far as scores and `k(x, x)` depend on it: not at all with a kernel of differences, and then it is 0.
    #[inline(always)]
    pub(crate) fn query_stat<T: Real>(self, x: Row<'_, T>) -> T {
        if self.translation_invariant() { T::ZERO } else { self.row_stat(x) }
    }
}
