//! What vectors of a float type look like, whatever the SIMD level: 64 bytes, so that a sum over lanes has one order
//! everywhere; and the constants of its exponential.

use pulp::bytemuck::Pod;
use std::fmt::Debug;
use std::ops::{Index, IndexMut};

/// The layout of a vector of this float type.
pub trait Layout: Copy + 'static {
    /// The numbers of one vector: 16 `f32` or 8 `f64`.
    type Array: Pod
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
    /// Coefficients of `(2^r - 1)/r` on `[-1/2, 1/2]`, lowest first.
    const EXP2: &'static [Self];
    /// `1.5 * 2^mantissa_bits`: adding it rounds to an integer in the low bits.
    const ROUND: Self;
    /// Stored bits of the mantissa.
    const MANTISSA: u32;
    /// The least exponent of a normal number: below it `exp2` flushes to zero.
    const MIN_EXP: Self;

    /// The first vector of a slice that holds one.
    fn array(slice: &[Self]) -> &Self::Array;
    /// The same, to change it.
    fn array_mut(slice: &mut [Self]) -> &mut Self::Array;
    /// `2^n` from `n + ROUND`.
    fn power_of_two(shifted: Self) -> Self;
    /// `(n, m)` with `self = 2^n m` and m from `sqrt(1/2)` to `sqrt(2)`, for numbers of at least 1.
    fn split_exponent(self) -> (Self, Self);
    /// The size of one number with the sign of another.
    #[must_use]
    fn copysign(self, sign: Self) -> Self;
    /// `self * a + b`, rounded once.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
}

/// Bits of `f32::ROUND` less the exponent's bias.
pub(crate) const ROUND_BITS_F32: u32 = 0x4B40_0000 - 127;
/// Bits of `f64::ROUND` less the exponent's bias.
pub(crate) const ROUND_BITS_F64: u64 = 0x4338_0000_0000_0000 - 1023;

/// Bits of `sqrt(1/2)` in `f32`.
pub(crate) const ROOT_HALF_F32: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
/// Bits of `sqrt(1/2)` in `f64`.
pub(crate) const ROOT_HALF_F64: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
/// `2^52`
pub(crate) const TWO_52: f64 = 4_503_599_627_370_496.0;

/// Why a slice is never too short.
const WHOLE_VECTOR: &str = "the caller hands over a whole vector";

impl Layout for f32 {
    type Array = [f32; 16];

    const LANES: usize = 16;
    const EXP2: &'static [Self] =
        &[0.693_147_24, 0.240_226_52, 0.055_503_104, 0.009_617_693, 0.001_340_663_4, 0.000_155_946_78];
    const ROUND: Self = 12_582_912.0;
    const MANTISSA: u32 = 23;
    const MIN_EXP: Self = -126.0;

    #[inline(always)]
    fn array(slice: &[Self]) -> &Self::Array {
        slice.first_chunk().expect(WHOLE_VECTOR)
    }
    #[inline(always)]
    fn array_mut(slice: &mut [Self]) -> &mut Self::Array {
        slice.first_chunk_mut().expect(WHOLE_VECTOR)
    }
    #[inline(always)]
    fn power_of_two(shifted: Self) -> Self {
        Self::from_bits(shifted.to_bits().wrapping_sub(ROUND_BITS_F32) << Self::MANTISSA)
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let n = self.to_bits().wrapping_sub(ROOT_HALF_F32) >> Self::MANTISSA;
        (n as Self, Self::from_bits(self.to_bits().wrapping_sub(n << Self::MANTISSA)))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.copysign(sign)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul_add(a, b)
    }
}

impl Layout for f64 {
    type Array = [f64; 8];

    const LANES: usize = 8;
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
    const MANTISSA: u32 = 52;
    const MIN_EXP: Self = -1022.0;

    #[inline(always)]
    fn array(slice: &[Self]) -> &Self::Array {
        slice.first_chunk().expect(WHOLE_VECTOR)
    }
    #[inline(always)]
    fn array_mut(slice: &mut [Self]) -> &mut Self::Array {
        slice.first_chunk_mut().expect(WHOLE_VECTOR)
    }
    #[inline(always)]
    fn power_of_two(shifted: Self) -> Self {
        Self::from_bits(shifted.to_bits().wrapping_sub(ROUND_BITS_F64) << Self::MANTISSA)
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let n = self.to_bits().wrapping_sub(ROOT_HALF_F64) >> Self::MANTISSA;
        (n as Self, Self::from_bits(self.to_bits().wrapping_sub(n << Self::MANTISSA)))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.copysign(sign)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul_add(a, b)
    }
}
