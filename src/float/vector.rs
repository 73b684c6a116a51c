//! What formulas may do with a vector of numbers: written once, computed with the instructions of any SIMD level.

use super::Real;
use std::ops::{Add, BitAnd, Div, Mul, Neg, Sub};

/// As many numbers as a vector register group holds, all treated alike.
pub(crate) trait Vector<T: Real>:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<T, Output = Self>
    + Mul<T, Output = Self>
{
    /// The answer of a comparison, lane by lane.
    type Mask: Mask<Self>;

    /// A vector like this one whose every lane is `x`.
    fn broadcast(self, x: T) -> Self;
    /// The same for a constant.
    #[inline(always)]
    fn constant(self, x: f64) -> Self {
        self.broadcast(T::from_f64(x))
    }
    /// `self * a + b`, rounded once where the level has fused instructions.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The lesser; `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// The greater; `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// The size of this with the sign of another.
    fn copysign(self, sign: Self) -> Self;
    /// `2^n` from `n + T::ROUND`, `n` an integer in the range of exponents.
    fn power_of_two(self) -> Self;
    /// `(n, m)` with `self = 2^n m`, n an integer and m from `sqrt(1/2)` to `sqrt(2)`, for numbers of at least 1.
    fn split_exponent(self) -> (Self, Self);
    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `self > other`.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }
    /// `self >= other`.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }
    /// `self == other`.
    fn equal(self, other: Self) -> Self::Mask;
}

/// A bool for each lane.
pub(crate) trait Mask<V>: Copy + BitAnd<Output = Self> {
    /// `yes` in the lanes that are true, else `no`.
    fn select(self, yes: V, no: V) -> V;
}
