//! A vector with its SIMD level: operators and formulas, one implementation for all levels.

use super::{Shuffle, Simd};
use crate::float::{Mask, Real, Vector};
use pulp::bytemuck::cast;
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
        Self::of(s, cast(*from))
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
        *to = self.to_array();
    }

    /// Over the first numbers of a slice that has enough.
    #[inline(always)]
    pub(crate) fn store_slice(self, to: &mut [T]) {
        self.store(T::array_mut(to));
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> T::Array {
        cast(self.raw)
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
    #[inline(always)]
    fn of(s: S, raw: S::RawMask) -> Self {
        Self { raw, s }
    }

    /// True in the lanes whose bit is set.
    #[inline(always)]
    pub(crate) fn from_bits(s: S, bits: u64) -> Self {
        Self::of(s, s.mask(bits))
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
        Self::of(self.s, self.s.and(self.raw, other.raw))
    }
}

impl<T: Real, S: Simd<T>> Mask<V<T, S>> for M<T, S> {
    #[inline(always)]
    fn select(self, yes: V<T, S>, no: V<T, S>) -> V<T, S> {
        V::of(self.s, self.s.select(self.raw, yes.raw, no.raw))
    }
}

/// Operators of two vectors, each with the instruction of its name.
macro_rules! operators {
    ($($Operator:ident::$name:ident;)+) => {$(
        impl<T: Real, S: Simd<T>> $Operator for V<T, S> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self::of(self.s, self.s.$name(self.raw, other.raw))
            }
        }
    )+};
}

operators! {
    Add::add;
    Sub::sub;
    Mul::mul;
    Div::div;
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

impl<T: Real, S: Simd<T>> Mul<T> for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: T) -> Self {
        self * Self::splat(self.s, other)
    }
}

impl<T: Real, S: Simd<T>> Neg for V<T, S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(self.s, self.s.neg(self.raw))
    }
}

/// Methods of vectors, each with the instruction of its name.
macro_rules! instructions {
    ($($name:ident($($arg:ident),*) -> $Result:ty;)+) => {$(
        #[inline(always)]
        fn $name(self $(, $arg: Self)*) -> $Result {
            <$Result>::of(self.s, self.s.$name(self.raw $(, $arg.raw)*))
        }
    )+};
}

impl<T: Real, S: Simd<T>> Vector<T> for V<T, S> {
    type Mask = M<T, S>;

    #[inline(always)]
    fn broadcast(self, x: T) -> Self {
        Self::splat(self.s, x)
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let (n, m) = self.s.split_exponent(self.raw);
        (Self::of(self.s, n), Self::of(self.s, m))
    }

    instructions! {
        mul_add(a, b) -> Self;
        sqrt() -> Self;
        abs() -> Self;
        min(other) -> Self;
        max(other) -> Self;
        copysign(sign) -> Self;
        power_of_two() -> Self;
        lt(other) -> M<T, S>;
        le(other) -> M<T, S>;
        equal(other) -> M<T, S>;
    }
}
