//! AVX-512 as Skylake-X, Cascade Lake and all later ones have it (F, CD, BW, DQ, VL): one register to the vector.

use super::{Processor, Shuffle, Simd};
use crate::float::{Layout, ROOT_HALF_F32, ROOT_HALF_F64, ROUND_BITS_F32, ROUND_BITS_F64, TWO_52};
use pulp::bytemuck::cast;
use pulp::x86::V4;
use std::arch::x86_64::{__m512, __m512d};

/// A processor with AVX-512.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(pub(crate) V4);

/// An expression of whole vectors.
macro_rules! each {
    ($($v:ident),+ => $value:expr) => {
        $value
    };
}

impl Simd<f32> for Avx512 {
    type Raw = __m512;
    type RawMask = u16;

    lanewise! {
        add(a, b) -> Raw = avx512f._mm512_add_ps;
        sub(a, b) -> Raw = avx512f._mm512_sub_ps;
        mul(a, b) -> Raw = avx512f._mm512_mul_ps;
        div(a, b) -> Raw = avx512f._mm512_div_ps;
        mul_add(a, b, c) -> Raw = avx512f._mm512_fmadd_ps;
        sqrt(a) -> Raw = avx512f._mm512_sqrt_ps;
        min(a, b) -> Raw = avx512f._mm512_min_ps;
        max(a, b) -> Raw = avx512f._mm512_max_ps;
        lt(a, b) -> RawMask = avx512f._mm512_cmp_ps_mask::<0x11>;
        le(a, b) -> RawMask = avx512f._mm512_cmp_ps_mask::<0x12>;
        equal(a, b) -> RawMask = avx512f._mm512_cmp_ps_mask::<0x00>;
    }

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        self.0.avx512f._mm512_set1_ps(x)
    }
    #[inline(always)]
    fn copysign(self, a: __m512, b: __m512) -> __m512 {
        let (dq, sign) = (self.0.avx512dq, self.0.avx512f._mm512_set1_ps(-0.0));
        dq._mm512_or_ps(dq._mm512_and_ps(sign, b), dq._mm512_andnot_ps(sign, a))
    }
    #[inline(always)]
    fn power_of_two(self, shifted: __m512) -> __m512 {
        let f = self.0.avx512f;
        let bias = f._mm512_set1_epi32(ROUND_BITS_F32.cast_signed());
        let n = f._mm512_sub_epi32(f._mm512_castps_si512(shifted), bias);
        f._mm512_castsi512_ps(f._mm512_slli_epi32::<23>(n))
    }
    #[inline(always)]
    fn split_exponent(self, a: __m512) -> (__m512, __m512) {
        let f = self.0.avx512f;
        let bits = f._mm512_castps_si512(a);
        let least = f._mm512_set1_epi32(ROOT_HALF_F32.cast_signed());
        let n = f._mm512_srli_epi32::<23>(f._mm512_sub_epi32(bits, least));
        let m = f._mm512_sub_epi32(bits, f._mm512_slli_epi32::<23>(n));
        (f._mm512_cvtepi32_ps(n), f._mm512_castsi512_ps(m))
    }
    #[inline(always)]
    fn and(self, a: u16, b: u16) -> u16 {
        a & b
    }
    #[inline(always)]
    fn select(self, mask: u16, yes: __m512, no: __m512) -> __m512 {
        self.0.avx512f._mm512_mask_blend_ps(mask, no, yes)
    }
    #[inline(always)]
    fn bits(self, mask: u16) -> u64 {
        u64::from(mask)
    }
    #[inline(always)]
    fn mask(self, bits: u64) -> u16 {
        bits as u16
    }
    #[inline(always)]
    fn reduce_sum(self, a: __m512) -> f32 {
        let (sse, avx) = (self.0.sse, self.0.avx);
        let high = self.0.avx512dq._mm512_extractf32x8_ps::<1>(a);
        let eight = avx._mm256_add_ps(self.0.avx512f._mm512_castps512_ps256(a), high);
        let four = sse._mm_add_ps(avx._mm256_castps256_ps128(eight), avx._mm256_extractf128_ps::<1>(eight));
        let two = sse._mm_add_ps(four, sse._mm_shuffle_ps::<0b10_11_00_01>(four, four));
        sse._mm_cvtss_f32(sse._mm_add_ss(two, sse._mm_movehl_ps(two, two)))
    }
    #[inline(always)]
    fn reduce_min(self, a: __m512) -> f32 {
        let (sse, avx) = (self.0.sse, self.0.avx);
        let high = self.0.avx512dq._mm512_extractf32x8_ps::<1>(a);
        let eight = avx._mm256_min_ps(self.0.avx512f._mm512_castps512_ps256(a), high);
        let four = sse._mm_min_ps(avx._mm256_castps256_ps128(eight), avx._mm256_extractf128_ps::<1>(eight));
        let two = sse._mm_min_ps(four, sse._mm_movehl_ps(four, four));
        sse._mm_cvtss_f32(sse._mm_min_ss(two, sse._mm_shuffle_ps::<1>(two, two)))
    }
    #[inline(always)]
    fn compress(self, v: __m512, bits: u64, to: &mut [f32]) {
        *f32::array_mut(to) = cast(self.0.avx512f._mm512_maskz_compress_ps(bits as u16, v));
    }
}

impl Simd<f64> for Avx512 {
    type Raw = __m512d;
    type RawMask = u8;

    lanewise! {
        add(a, b) -> Raw = avx512f._mm512_add_pd;
        sub(a, b) -> Raw = avx512f._mm512_sub_pd;
        mul(a, b) -> Raw = avx512f._mm512_mul_pd;
        div(a, b) -> Raw = avx512f._mm512_div_pd;
        mul_add(a, b, c) -> Raw = avx512f._mm512_fmadd_pd;
        sqrt(a) -> Raw = avx512f._mm512_sqrt_pd;
        min(a, b) -> Raw = avx512f._mm512_min_pd;
        max(a, b) -> Raw = avx512f._mm512_max_pd;
        lt(a, b) -> RawMask = avx512f._mm512_cmp_pd_mask::<0x11>;
        le(a, b) -> RawMask = avx512f._mm512_cmp_pd_mask::<0x12>;
        equal(a, b) -> RawMask = avx512f._mm512_cmp_pd_mask::<0x00>;
    }

    #[inline(always)]
    fn splat(self, x: f64) -> __m512d {
        self.0.avx512f._mm512_set1_pd(x)
    }
    #[inline(always)]
    fn copysign(self, a: __m512d, b: __m512d) -> __m512d {
        let (dq, sign) = (self.0.avx512dq, self.0.avx512f._mm512_set1_pd(-0.0));
        dq._mm512_or_pd(dq._mm512_and_pd(sign, b), dq._mm512_andnot_pd(sign, a))
    }
    #[inline(always)]
    fn power_of_two(self, shifted: __m512d) -> __m512d {
        let f = self.0.avx512f;
        let bias = f._mm512_set1_epi64(ROUND_BITS_F64.cast_signed());
        let n = f._mm512_sub_epi64(f._mm512_castpd_si512(shifted), bias);
        f._mm512_castsi512_pd(f._mm512_slli_epi64::<52>(n))
    }
    #[inline(always)]
    fn split_exponent(self, a: __m512d) -> (__m512d, __m512d) {
        let f = self.0.avx512f;
        let bits = f._mm512_castpd_si512(a);
        let least = f._mm512_set1_epi64(ROOT_HALF_F64.cast_signed());
        let n = f._mm512_srli_epi64::<52>(f._mm512_sub_epi64(bits, least));
        let m = f._mm512_sub_epi64(bits, f._mm512_slli_epi64::<52>(n));
        // A small integer in the low bits of 2^52.
        let large = f._mm512_set1_pd(TWO_52);
        let n = f._mm512_or_si512(n, f._mm512_castpd_si512(large));
        (f._mm512_sub_pd(f._mm512_castsi512_pd(n), large), f._mm512_castsi512_pd(m))
    }
    #[inline(always)]
    fn and(self, a: u8, b: u8) -> u8 {
        a & b
    }
    #[inline(always)]
    fn select(self, mask: u8, yes: __m512d, no: __m512d) -> __m512d {
        self.0.avx512f._mm512_mask_blend_pd(mask, no, yes)
    }
    #[inline(always)]
    fn bits(self, mask: u8) -> u64 {
        u64::from(mask)
    }
    #[inline(always)]
    fn mask(self, bits: u64) -> u8 {
        bits as u8
    }
    #[inline(always)]
    fn reduce_sum(self, a: __m512d) -> f64 {
        let (sse2, avx) = (self.0.sse2, self.0.avx);
        let high = self.0.avx512f._mm512_extractf64x4_pd::<1>(a);
        let four = avx._mm256_add_pd(self.0.avx512f._mm512_castpd512_pd256(a), high);
        let two = sse2._mm_add_pd(avx._mm256_castpd256_pd128(four), avx._mm256_extractf128_pd::<1>(four));
        sse2._mm_cvtsd_f64(sse2._mm_add_sd(two, sse2._mm_unpackhi_pd(two, two)))
    }
    #[inline(always)]
    fn reduce_min(self, a: __m512d) -> f64 {
        let (sse2, avx) = (self.0.sse2, self.0.avx);
        let high = self.0.avx512f._mm512_extractf64x4_pd::<1>(a);
        let four = avx._mm256_min_pd(self.0.avx512f._mm512_castpd512_pd256(a), high);
        let two = sse2._mm_min_pd(avx._mm256_castpd256_pd128(four), avx._mm256_extractf128_pd::<1>(four));
        sse2._mm_cvtsd_f64(sse2._mm_min_sd(two, sse2._mm_unpackhi_pd(two, two)))
    }
    #[inline(always)]
    fn compress(self, v: __m512d, bits: u64, to: &mut [f64]) {
        *f64::array_mut(to) = cast(self.0.avx512f._mm512_maskz_compress_pd(bits as u8, v));
    }
}

impl Shuffle for Avx512 {
    #[inline(always)]
    fn interleave(self, a: __m512d, b: __m512d) -> (__m512d, __m512d) {
        let (low, high) = ([0i64, 8, 1, 9, 2, 10, 3, 11], [4i64, 12, 5, 13, 6, 14, 7, 15]);
        let f = self.0.avx512f;
        (f._mm512_permutex2var_pd(a, cast(low), b), f._mm512_permutex2var_pd(a, cast(high), b))
    }
    #[inline(always)]
    fn slide(self, a: __m512d, b: __m512d) -> __m512d {
        let f = self.0.avx512f;
        f._mm512_castsi512_pd(f._mm512_alignr_epi64::<1>(f._mm512_castpd_si512(b), f._mm512_castpd_si512(a)))
    }
}

impl Processor for Avx512 {
    const TILE: usize = 8;

    #[inline(always)]
    fn run<R>(self, f: impl FnOnce() -> R) -> R {
        self.0.vectorize(f)
    }
}
