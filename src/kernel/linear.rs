//! The linear kernel `x . x'`.

use super::{Pair, dot};
use crate::float::Real;
use fearless_simd::Simd;

/// `x . x'`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear;

impl<T: Real> Pair<T> for Linear {
    #[inline(always)]
    fn accumulate<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        dot::<T, S>(acc, x, v)
    }

    #[inline(always)]
    fn finish<S: Simd>(self, _: S, acc: T::V<S>, _: T, _: T::V<S>) -> T::V<S> {
        acc
    }

    fn diag(self, norm: T) -> T {
        norm
    }

    fn reach(self, most: f64) -> f64 {
        most
    }
}
