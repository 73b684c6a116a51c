//! The Laplacian kernel `exp(-gamma |x - x'|_1)`.

use super::Pair;
use crate::float::{Real, splat};
use crate::ops::exp2;
use crate::row::Row;
use fearless_simd::{Simd, SimdBase};
use std::f64::consts::LOG2_E;

/// `exp(-gamma |x - x'|_1)`, `gamma > 0`. Its norm is the sum of absolute values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Laplacian {
    /// The inverse width.
    pub gamma: f64,
}

impl<T: Real> Pair<T> for Laplacian {
    #[inline(always)]
    fn accumulate<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        acc + (x - v).abs()
    }

    #[inline(always)]
    fn accumulate_sparse<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        acc + ((x - v).abs() - v.abs())
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
        exp2::<T, S>(s, acc * splat::<T, S>(s, T::from_f64(-self.gamma * LOG2_E)))
    }

    fn diag(self, _: T) -> T {
        T::ONE
    }

    #[inline(always)]
    fn norm(self, x: Row<'_, T>) -> T {
        x.values().iter().fold(T::ZERO, |sum, &x| sum + if x < T::ZERO { -x } else { x })
    }
}
