//! The one float bound of the crate: [`Real`] is `f32` or `f64`, with its vector of 64 bytes.

use crate::element::Element;
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdFloatElement, SimdInt, f32x16, f64x8};
use std::fmt::{Debug, Display};
use std::ops::{Index, IndexMut, Neg};

/// A float type that models are computed in: `f32` or `f64`.
///
/// Its vector [`Real::V`] has 64 bytes on every processor level, so that a sum over lanes has one order everywhere.
pub trait Real:
    Element + SimdFloatElement + Neg<Output = Self> + Debug + Display + Send + Sync + 'static
{
    /// One vector at processor level `S`: 16 `f32` or 8 `f64`.
    type V<S: Simd>: SimdFloat<S, Element = Self, Array = Self::Array, Bits: SimdInt<S, Element = Self::Bits>>;
    /// The numbers of one vector.
    type Array: Copy
        + Debug
        + PartialEq
        + Default
        + Send
        + Sync
        + Index<usize, Output = Self>
        + IndexMut<usize>
        + AsRef<[Self]>
        + AsMut<[Self]>;

    /// Numbers in one vector.
    const LANES: usize;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Squared lengths up to it have lost their precision in products.
    const VANISHED: Self;
    /// Lengths up to it, in feature space squared and weighted, leave room for what is made of them: their products
    /// with weights that the ball has divided, sums over 2^24 support vectors, and inverses squared.
    const LARGE: f64;
    /// Squared lengths below it count as none: they have lost digits, or their inverses leave no room for products.
    const SHORTEST: Self;
    /// The least finite number.
    const LEAST: Self;
    /// Values within this relative distance are ties.
    const TIE: Self;
    /// A squared residual under this share of a vector's own squared length is rounding: the vector lies in the span.
    /// Coefficients that only finer residuals tell apart grow without bound, and the model with them loses its precision;
    /// in `f64` 1e-12 is too fine, and from 1e-10 to 1e-6 the models are the same.
    const DEPENDENT: f64;
    /// A squared residual under this share of a vector's own squared length is zero where residuals are compared.
    const NOTHING: Self;
    /// Coefficients of `(2^r - 1)/r` on `[-1/2, 1/2]`, lowest first.
    const EXP2: &'static [Self];
    /// `1.5 * 2^mantissa_bits`: adding it rounds to an integer in the low bits.
    const ROUND: Self;
    /// Bits of [`Real::ROUND`] less the exponent's bias.
    const ROUND_BITS: Self::Bits;
    /// Stored bits of the mantissa.
    const MANTISSA: u32;
    /// The least exponent of a normal number: below it `exp2` flushes to zero.
    const MIN_EXP: Self;
    /// The name in messages and in model files: `float32` or `float64`.
    const NAME: &'static str;

    /// Rounds to this type.
    fn from_f64(x: f64) -> Self;
    /// Widens, exactly.
    fn to_f64(self) -> f64;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

impl Real for f32 {
    type V<S: Simd> = f32x16<S>;
    type Array = [f32; 16];

    const LANES: usize = 16;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const INFINITY: Self = f32::INFINITY;
    const VANISHED: Self = 1e-30;
    const LARGE: f64 = 1e28;
    const SHORTEST: Self = f32::MIN_POSITIVE;
    const LEAST: Self = f32::MIN;
    const TIE: Self = 1e-5;
    const DEPENDENT: f64 = 1e-6;
    const NOTHING: Self = 1e-6;
    const EXP2: &'static [Self] =
        &[0.693_147_24, 0.240_226_52, 0.055_503_104, 0.009_617_693, 0.001_340_663_4, 0.000_155_946_78];
    const ROUND: Self = 12_582_912.0;
    const ROUND_BITS: u32 = 0x4B40_0000 - 127;
    const MANTISSA: u32 = 23;
    const MIN_EXP: Self = -126.0;
    const NAME: &'static str = "float32";

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
    type V<S: Simd> = f64x8<S>;
    type Array = [f64; 8];

    const LANES: usize = 8;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const INFINITY: Self = f64::INFINITY;
    const VANISHED: Self = 1e-280;
    const LARGE: f64 = 1e140;
    const SHORTEST: Self = 1e-280;
    const LEAST: Self = f64::MIN;
    const TIE: Self = 1e-9;
    const DEPENDENT: f64 = 1e-10;
    const NOTHING: Self = 1e-12;
    #[expect(
        clippy::approx_constant,
        clippy::excessive_precision,
        reason = "these are fitted together: the first is no more ln 2 than the others are its powers over factorials"
    )]
    const EXP2: &'static [Self] = &[
        0.693_147_180_559_945_3,
        0.240_226_506_959_100_97,
        0.055_504_108_664_821_6,
        0.009_618_129_107_606_888,
        0.001_333_355_814_641_693_6,
        0.000_154_035_304_417_360_5,
        1.525_273_382_983_612e-5,
        1.321_544_258_792_169e-6,
        1.017_806_244_584_577_4e-7,
        7.072_585_949_269_223e-9,
        4.454_960_598_186_510_6e-10,
    ];
    const ROUND: Self = 6_755_399_441_055_744.0;
    const ROUND_BITS: u64 = 0x4338_0000_0000_0000 - 1023;
    const MANTISSA: u32 = 52;
    const MIN_EXP: Self = -1022.0;
    const NAME: &'static str = "float64";

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

/// One vector of every lane the same.
#[inline(always)]
pub(crate) fn splat<T: Real, S: Simd>(s: S, x: T) -> T::V<S> {
    T::V::<S>::splat(s, x)
}
