//! A vector with its SIMD level: operators and formulas, one implementation for all levels.

use super::{Shuffle, Simd};
use crate::float::{Mask, Real, Vector};
use std::ops::{Add, AddAssign, BitAnd, Div, Mul, Neg, Sub};

/// A vector of `T` in registers of the level `S`.
#[derive(Clone, Copy)]
pub(crate) struct V<T: Real, S: Simd<T>> {
    raw: S::Raw,
    s: S,
}

/// The result of a comparison of two vectors, one bool per lane.
#[derive(Clone, Copy)]
pub(crate) struct M<T: Real, S: Simd<T>> {
    raw: S::RawMask,
    s: S,
}

impl<T: Real, S: Simd<T>> V<T, S> {
    #[inline(always)]
    fn of(s: S, raw: S::Raw) -> Self {
        Self { raw, s }
    }

    /// Every lane `x`.
    #[inline(always)]
    pub(crate) fn splat(s: S, x: T) -> Self {
        Self::of(s, s.splat(x))
    }

    #[inline(always)]
    pub(crate) fn zero(s: S) -> Self {
        Self::splat(s, T::ZERO)
    }

    #[inline(always)]
    pub(crate) fn load(s: S, from: &T::Array) -> Self {
        Self::of(s, s.load(from))
    }

    /// The first numbers of a slice that has enough.
    #[inline(always)]
    pub(crate) fn from_slice(s: S, from: &[T]) -> Self {
        Self::load(s, T::array(from))
    }

    #[inline(always)]
    pub(crate) fn from_fn(s: S, f: impl Fn(usize) -> T) -> Self {
        let mut lanes = T::Array::default();
        for (i, x) in lanes.as_mut().iter_mut().enumerate() {
            *x = f(i);
        }
        Self::load(s, &lanes)
    }

    #[inline(always)]
    pub(crate) fn store(self, to: &mut T::Array) {
        self.s.store(self.raw, to);
    }

    /// Over the first numbers of a slice that has enough.
    #[inline(always)]
    pub(crate) fn store_slice(self, to: &mut [T]) {
        self.store(T::array_mut(to));
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> T::Array {
        let mut lanes = T::Array::default();
        self.store(&mut lanes);
        lanes
    }

    /// The sum over the lanes, in the order that [`Simd::reduce_sum`] fixes.
    #[inline(always)]
    pub(crate) fn reduce_sum(self) -> T {
        self.s.reduce_sum(self.raw)
    }

    /// The least lane.
    #[inline(always)]
    pub(crate) fn reduce_min(self) -> T {
        self.s.reduce_min(self.raw)
    }

    /// The greatest lane.
    #[inline(always)]
    pub(crate) fn reduce_max(self) -> T {
        self.s.reduce_max(self.raw)
    }

    /// Writes the lanes of `bits` to the front of `to`; see [`Simd::compress`].
    #[inline(always)]
    pub(crate) fn compress(self, bits: u64, to: &mut [T]) {
        self.s.compress(self.raw, bits, to);
    }
}

impl<S: Shuffle> V<f64, S> {
    /// `a0 b0 a1 b1 ...`: the lower and the upper half.
    #[inline(always)]
    pub(crate) fn interleave(self, other: Self) -> (Self, Self) {
        let (low, high) = self.s.interleave(self.raw, other.raw);
        (Self::of(self.s, low), Self::of(self.s, high))
    }

    /// Without the first lane, and the first of another behind it.
    #[inline(always)]
    pub(crate) fn slide(self, next: Self) -> Self {
        Self::of(self.s, self.s.slide(self.raw, next.raw))
    }
}

impl<T: Real, S: Simd<T>> M<T, S> {
    /// True in the lanes whose bit is set.
    #[inline(always)]
    pub(crate) fn from_bits(s: S, bits: u64) -> Self {
        Self { raw: s.mask(bits), s }
    }

    /// One bit to the lane, the first lane lowest.
    #[inline(always)]
    pub(crate) fn bits(self) -> u64 {
        self.s.bits(self.raw)
    }
}

impl<T: Real, S: Simd<T>> BitAnd for M<T, S> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { raw: self.s.and(self.raw, other.raw), s: self.s }
    }
}

impl<T: Real, S: Simd<T>> Mask<V<T, S>> for M<T, S> {
    #[inline(always)]
    fn select(self, yes: V<T, S>, no: V<T, S>) -> V<T, S> {
        V::of(self.s, self.s.select(self.raw, yes.raw, no.raw))
    }
}

impl<T: Real, S: Simd<T>> Add for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::of(self.s, self.s.add(self.raw, other.raw))
    }
}

impl<T: Real, S: Simd<T>> AddAssign for V<T, S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Real, S: Simd<T>> Add<T> for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: T) -> Self {
        self + Self::splat(self.s, other)
    }
}

impl<T: Real, S: Simd<T>> Sub for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::of(self.s, self.s.sub(self.raw, other.raw))
    }
}

impl<T: Real, S: Simd<T>> Mul for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::of(self.s, self.s.mul(self.raw, other.raw))
    }
}

impl<T: Real, S: Simd<T>> Mul<T> for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: T) -> Self {
        self * Self::splat(self.s, other)
    }
}

impl<T: Real, S: Simd<T>> Div for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self::of(self.s, self.s.div(self.raw, other.raw))
    }
}

impl<T: Real, S: Simd<T>> Neg for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(self.s, self.s.neg(self.raw))
    }
}

impl<T: Real, S: Simd<T>> Vector<T> for V<T, S> {
    type Mask = M<T, S>;

    #[inline(always)]
    fn broadcast(self, x: T) -> Self {
        Self::splat(self.s, x)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self::of(self.s, self.s.mul_add(self.raw, a.raw, b.raw))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::of(self.s, self.s.sqrt(self.raw))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::of(self.s, self.s.abs(self.raw))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::of(self.s, self.s.min(self.raw, other.raw))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::of(self.s, self.s.max(self.raw, other.raw))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self::of(self.s, self.s.copysign(self.raw, sign.raw))
    }
    #[inline(always)]
    fn power_of_two(self) -> Self {
        Self::of(self.s, self.s.power_of_two(self.raw))
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (n, m) = self.s.split_exponent(self.raw);
        (Self::of(self.s, n), Self::of(self.s, m))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> M<T, S> {
        M { raw: self.s.lt(self.raw, other.raw), s: self.s }
    }
    #[inline(always)]
    fn le(self, other: Self) -> M<T, S> {
        M { raw: self.s.le(self.raw, other.raw), s: self.s }
    }
    #[inline(always)]
    fn gt(self, other: Self) -> M<T, S> {
        other.lt(self)
    }
    #[inline(always)]
    fn ge(self, other: Self) -> M<T, S> {
        other.le(self)
    }
    #[inline(always)]
    fn equal(self, other: Self) -> M<T, S> {
        M { raw: self.s.equal(self.raw, other.raw), s: self.s }
    }
}
