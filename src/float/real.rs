//! The float bound of the crate, and its two implementors.

use super::Layout;
use crate::element::Element;
use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A float type that models are computed in: `f32` or `f64`. No other type can be one.
pub trait Real:
    Layout
    + Element
    + Copy
    + PartialEq
    + PartialOrd
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Debug
    + Display
    + Send
    + Sync
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Squared lengths up to it have lost their precision in products, and coefficients below it change no score.
    const FLUSH_BELOW: Self;
    /// A coefficient below this share of the largest coefficient of its support vector is negligible: it is
    /// far below the rounding error of the scores, and its square may be subnormal, which takes processors a
    /// hundred times longer.
    const NEGLIGIBLE: Self;
    /// Sums and products of squared weighted lengths in feature space up to it do not overflow: products with
    /// weights divided by the projection factor of the ball, sums over 2^24 support vectors, and squared
    /// inverses.
    const MAX_SQ_NORM: f64;
    /// Squared lengths below it are treated as zero: they have lost digits, or products with their inverses
    /// may overflow.
    const MIN_SQ_NORM: Self;
    /// The least finite number.
    const MIN: Self;
    /// Values within this relative distance are ties.
    const TIE_RTOL: Self;
    /// A squared residual under this share of a vector's own squared length is rounding: the vector lies in the span.
    /// Coefficients that only finer residuals tell apart grow without bound, and the model with them loses its
    /// precision; in `f64` 1e-12 is too fine, and from 1e-10 to 1e-6 the models are the same.
    const SPAN_RTOL: f64;
    /// A squared residual under this share of a vector's own squared length is zero where residuals are compared.
    const RESIDUAL_RTOL: Self;
    /// The name in messages and in model files: `float32` or `float64`.
    const NAME: &'static str;
    /// The distance from 1 to the next number.
    const EPSILON: f64;

    /// Rounds to this type.
    fn from_f64(x: f64) -> Self;
    /// Widens, exactly.
    fn to_f64(self) -> f64;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// A coefficient, or a zero of its sign where it is so small that its products with kernel values are not
    /// normal: processors take a hundred times longer for those, and a number that is repeatedly multiplied
    /// by less than 1 would become subnormal.
    #[must_use]
    #[inline(always)]
    fn flush_to_zero(self) -> Self {
        if self < Self::FLUSH_BELOW && -self < Self::FLUSH_BELOW { self * Self::ZERO } else { self }
    }
    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Whether it is NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.to_f64().is_nan()
    }
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const INFINITY: Self = f32::INFINITY;
    const FLUSH_BELOW: Self = 1e-30;
    const NEGLIGIBLE: Self = 1e-14;
    const MAX_SQ_NORM: f64 = 1e28;
    const MIN_SQ_NORM: Self = f32::MIN_POSITIVE;
    const MIN: Self = f32::MIN;
    const TIE_RTOL: Self = 1e-5;
    const SPAN_RTOL: f64 = 1e-6;
    const RESIDUAL_RTOL: Self = 1e-6;
    const NAME: &'static str = "float32";
    const EPSILON: f64 = f32::EPSILON as f64;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const INFINITY: Self = f64::INFINITY;
    const FLUSH_BELOW: Self = 1e-280;
    const NEGLIGIBLE: Self = 1e-30;
    const MAX_SQ_NORM: f64 = 1e140;
    const MIN_SQ_NORM: Self = 1e-280;
    const MIN: Self = f64::MIN;
    const TIE_RTOL: Self = 1e-9;
    const SPAN_RTOL: f64 = 1e-10;
    const RESIDUAL_RTOL: Self = 1e-12;
    const NAME: &'static str = "float64";
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

/// The greater of two numbers (not NaN).
#[inline(always)]
pub(crate) fn max<T: Real>(a: T, b: T) -> T {
    if b > a { b } else { a }
}
