//! The cosine kernel `x . x' / (|x| |x'|)`.

use super::{Pair, dot};
use crate::float::{Real, splat};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// `x . x' / (|x| |x'|)`, and 0 where a row is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cosine;

impl<T: Real> Pair<T> for Cosine {
    #[inline(always)]
    fn accumulate<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        dot::<T, S>(acc, x, v)
    }

    #[inline(always)]
    fn finish<S: Simd>(self, s: S, acc: T::V<S>, x_norm: T, norms: T::V<S>) -> T::V<S> {
        let lengths = splat::<T, S>(s, x_norm.sqrt()) * norms.sqrt();
        let zero = splat::<T, S>(s, T::ZERO);
        lengths.simd_gt(zero).select(acc / lengths, zero)
    }

    fn diag(self, norm: T) -> T {
        if norm > T::ZERO { T::ONE } else { T::ZERO }
    }

    fn reads_norms(self) -> bool {
        true
    }
}
