//! The Gaussian kernel `exp(-gamma |x - x'|^2)`.

use super::Pair;
use crate::float::{Real, splat};
use crate::ops::exp2;
use fearless_simd::{Simd, SimdBase, SimdFloat};
use std::f64::consts::LOG2_E;

/// `exp(-gamma |x - x'|^2)`, `gamma > 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rbf {
    /// The inverse squared width.
    pub gamma: f64,
}

impl Rbf {
    /// `log2 k = log2_factor |x - x'|^2`.
    #[inline(always)]
    pub(crate) fn log2_factor<T: Real>(self) -> T {
        T::from_f64(-self.gamma * LOG2_E)
    }
}

impl<T: Real> Pair<T> for Rbf {
    #[inline(always)]
    fn accumulate<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        let difference = x - v;
        difference.mul_add(difference, acc)
    }

    #[inline(always)]
    fn accumulate_sparse<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        x.mul_add(x - (v + v), acc)
    }

    #[inline(always)]
    fn rest<S: Simd>(self, _: S, norms: T::V<S>) -> T::V<S> {
        norms
    }

    #[inline(always)]
    fn mend<S: Simd>(self, s: S, acc: T::V<S>) -> T::V<S> {
        acc.max(splat::<T, S>(s, T::ZERO))
    }

    #[inline(always)]
    fn finish<S: Simd>(self, s: S, acc: T::V<S>, _: T, _: T::V<S>) -> T::V<S> {
        exp2::<T, S>(s, acc * splat::<T, S>(s, self.log2_factor()))
    }

    fn diag(self, _: T) -> T {
        T::ONE
    }
}
