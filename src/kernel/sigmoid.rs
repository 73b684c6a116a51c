//! The sigmoid kernel `tanh(gamma x . x' + coef0)`, which is not positive semi-definite.

use super::{Pair, dot};
use crate::float::{Real, splat};
use crate::ops::exp2_parts;
use fearless_simd::{Simd, SimdBase, SimdFloat};
use std::f64::consts::LOG2_E;

/// `tanh(gamma x . x' + coef0)`, `gamma > 0`, `coef0 >= 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sigmoid {
    /// Factor of the dot product.
    pub gamma: f64,
    /// Constant added to it.
    pub coef0: f64,
}

impl<T: Real> Pair<T> for Sigmoid {
    #[inline(always)]
    fn accumulate<S: Simd>(self, acc: T::V<S>, x: T::V<S>, v: T::V<S>) -> T::V<S> {
        dot::<T, S>(acc, x, v)
    }

    #[inline(always)]
    fn finish<S: Simd>(self, s: S, acc: T::V<S>, _: T, _: T::V<S>) -> T::V<S> {
        let (gamma, coef0) = (T::from_f64(self.gamma), T::from_f64(self.coef0));
        let z = acc.mul_add(splat::<T, S>(s, gamma), splat::<T, S>(s, coef0));
        // tanh |z| = (1 - e)/(1 + e) with e = exp(-2 |z|), and 1 - e without cancellation.
        let y = z.abs() * splat::<T, S>(s, T::from_f64(-2.0 * LOG2_E));
        let one = splat::<T, S>(s, T::ONE);
        let (scale, c) = exp2_parts::<T, S>(s, y.max(splat::<T, S>(s, T::MIN_EXP)));
        let less_one = scale.mul_add(c, scale - one);
        (-less_one / (less_one + one + one)).copysign(z)
    }

    fn diag(self, norm: T) -> T {
        T::from_f64((self.gamma * norm.to_f64() + self.coef0).tanh())
    }
}
