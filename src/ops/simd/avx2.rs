//! AVX2 with fused multiply-add: two registers to the vector.

use super::{Processor, Shuffle, Simd};
use crate::float::{ROOT_HALF_F32, ROOT_HALF_F64, ROUND_BITS_F32, ROUND_BITS_F64, TWO_52};
use pulp::bytemuck::cast;
use pulp::x86::V3;
use std::arch::x86_64::{__m256, __m256d};

/// A processor with AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(pub(crate) V3);

/// An expression for each register of the vectors that it names. No closure: one that is not inlined before anything
/// else has none of the level's instructions.
macro_rules! each {
    ($($v:ident),+ => $value:expr) => {
        [{ $(let $v = $v[0];)+ $value }, { $(let $v = $v[1];)+ $value }]
    };
}

impl Simd<f32> for Avx2 {
    type Raw = [__m256; 2];
    type RawMask = [__m256; 2];

    lanewise! {
        add(a, b) -> Raw = avx._mm256_add_ps;
        sub(a, b) -> Raw = avx._mm256_sub_ps;
        mul(a, b) -> Raw = avx._mm256_mul_ps;
        div(a, b) -> Raw = avx._mm256_div_ps;
        mul_add(a, b, c) -> Raw = fma._mm256_fmadd_ps;
        sqrt(a) -> Raw = avx._mm256_sqrt_ps;
        min(a, b) -> Raw = avx._mm256_min_ps;
        max(a, b) -> Raw = avx._mm256_max_ps;
        lt(a, b) -> RawMask = avx._mm256_cmp_ps::<0x11>;
        le(a, b) -> RawMask = avx._mm256_cmp_ps::<0x12>;
        equal(a, b) -> RawMask = avx._mm256_cmp_ps::<0x00>;
        and(a, b) -> RawMask = avx._mm256_and_ps;
    }

    #[inline(always)]
    fn splat(self, x: f32) -> Self::Raw {
        [self.0.avx._mm256_set1_ps(x); 2]
    }
    #[inline(always)]
    fn copysign(self, a: Self::Raw, b: Self::Raw) -> Self::Raw {
        let (avx, sign) = (self.0.avx, self.0.avx._mm256_set1_ps(-0.0));
        each!(a, b => avx._mm256_or_ps(avx._mm256_and_ps(sign, b), avx._mm256_andnot_ps(sign, a)))
    }
    #[inline(always)]
    fn power_of_two(self, shifted: Self::Raw) -> Self::Raw {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        each!(shifted => {
            let bits = avx._mm256_castps_si256(shifted);
            let n = avx2._mm256_sub_epi32(bits, avx._mm256_set1_epi32(ROUND_BITS_F32.cast_signed()));
            avx._mm256_castsi256_ps(avx2._mm256_slli_epi32::<23>(n))
        })
    }
    #[inline(always)]
    fn split_exponent(self, a: Self::Raw) -> (Self::Raw, Self::Raw) {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let [low, high] = each!(a => {
            let bits = avx._mm256_castps_si256(a);
            let least = avx._mm256_set1_epi32(ROOT_HALF_F32.cast_signed());
            let n = avx2._mm256_srli_epi32::<23>(avx2._mm256_sub_epi32(bits, least));
            let m = avx2._mm256_sub_epi32(bits, avx2._mm256_slli_epi32::<23>(n));
            (avx._mm256_cvtepi32_ps(n), avx._mm256_castsi256_ps(m))
        });
        ([low.0, high.0], [low.1, high.1])
    }
    #[inline(always)]
    fn select(self, mask: Self::RawMask, yes: Self::Raw, no: Self::Raw) -> Self::Raw {
        each!(mask, yes, no => self.0.avx._mm256_blendv_ps(no, yes, mask))
    }
    #[inline(always)]
    fn bits(self, mask: Self::RawMask) -> u64 {
        let [low, high] = each!(mask => self.0.avx._mm256_movemask_ps(mask).cast_unsigned());
        u64::from(low | high << 8)
    }
    #[inline(always)]
    fn mask(self, bits: u64) -> Self::RawMask {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let all = avx._mm256_set1_epi32(bits as i32);
        let lanes = [[1, 2, 4, 8, 16, 32, 64, 128], [256, 512, 1024, 2048, 4096, 8192, 16384, 32768]];
        each!(lanes => {
            let lanes = cast::<[i32; 8], _>(lanes);
            avx._mm256_castsi256_ps(avx2._mm256_cmpeq_epi32(avx2._mm256_and_si256(all, lanes), lanes))
        })
    }
    #[inline(always)]
    fn reduce_sum(self, a: Self::Raw) -> f32 {
        let (sse, avx) = (self.0.sse, self.0.avx);
        let eight = avx._mm256_add_ps(a[0], a[1]);
        let four = sse._mm_add_ps(avx._mm256_castps256_ps128(eight), avx._mm256_extractf128_ps::<1>(eight));
        let two = sse._mm_add_ps(four, sse._mm_shuffle_ps::<0b10_11_00_01>(four, four));
        sse._mm_cvtss_f32(sse._mm_add_ss(two, sse._mm_movehl_ps(two, two)))
    }
    #[inline(always)]
    fn reduce_min(self, a: Self::Raw) -> f32 {
        let (sse, avx) = (self.0.sse, self.0.avx);
        let eight = avx._mm256_min_ps(a[0], a[1]);
        let four = sse._mm_min_ps(avx._mm256_castps256_ps128(eight), avx._mm256_extractf128_ps::<1>(eight));
        let two = sse._mm_min_ps(four, sse._mm_movehl_ps(four, four));
        sse._mm_cvtss_f32(sse._mm_min_ss(two, sse._mm_shuffle_ps::<1>(two, two)))
    }
}

impl Simd<f64> for Avx2 {
    type Raw = [__m256d; 2];
    type RawMask = [__m256d; 2];

    lanewise! {
        add(a, b) -> Raw = avx._mm256_add_pd;
        sub(a, b) -> Raw = avx._mm256_sub_pd;
        mul(a, b) -> Raw = avx._mm256_mul_pd;
        div(a, b) -> Raw = avx._mm256_div_pd;
        mul_add(a, b, c) -> Raw = fma._mm256_fmadd_pd;
        sqrt(a) -> Raw = avx._mm256_sqrt_pd;
        min(a, b) -> Raw = avx._mm256_min_pd;
        max(a, b) -> Raw = avx._mm256_max_pd;
        lt(a, b) -> RawMask = avx._mm256_cmp_pd::<0x11>;
        le(a, b) -> RawMask = avx._mm256_cmp_pd::<0x12>;
        equal(a, b) -> RawMask = avx._mm256_cmp_pd::<0x00>;
        and(a, b) -> RawMask = avx._mm256_and_pd;
    }

    #[inline(always)]
    fn splat(self, x: f64) -> Self::Raw {
        [self.0.avx._mm256_set1_pd(x); 2]
    }
    #[inline(always)]
    fn copysign(self, a: Self::Raw, b: Self::Raw) -> Self::Raw {
        let (avx, sign) = (self.0.avx, self.0.avx._mm256_set1_pd(-0.0));
        each!(a, b => avx._mm256_or_pd(avx._mm256_and_pd(sign, b), avx._mm256_andnot_pd(sign, a)))
    }
    #[inline(always)]
    fn power_of_two(self, shifted: Self::Raw) -> Self::Raw {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        each!(shifted => {
            let bits = avx._mm256_castpd_si256(shifted);
            let n = avx2._mm256_sub_epi64(bits, avx._mm256_set1_epi64x(ROUND_BITS_F64.cast_signed()));
            avx._mm256_castsi256_pd(avx2._mm256_slli_epi64::<52>(n))
        })
    }
    #[inline(always)]
    fn split_exponent(self, a: Self::Raw) -> (Self::Raw, Self::Raw) {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let [low, high] = each!(a => {
            let bits = avx._mm256_castpd_si256(a);
            let least = avx._mm256_set1_epi64x(ROOT_HALF_F64.cast_signed());
            let n = avx2._mm256_srli_epi64::<52>(avx2._mm256_sub_epi64(bits, least));
            let m = avx2._mm256_sub_epi64(bits, avx2._mm256_slli_epi64::<52>(n));
            // A small integer in the low bits of 2^52.
            let large = avx._mm256_set1_pd(TWO_52);
            let n = avx2._mm256_or_si256(n, avx._mm256_castpd_si256(large));
            (avx._mm256_sub_pd(avx._mm256_castsi256_pd(n), large), avx._mm256_castsi256_pd(m))
        });
        ([low.0, high.0], [low.1, high.1])
    }
    #[inline(always)]
    fn select(self, mask: Self::RawMask, yes: Self::Raw, no: Self::Raw) -> Self::Raw {
        each!(mask, yes, no => self.0.avx._mm256_blendv_pd(no, yes, mask))
    }
    #[inline(always)]
    fn bits(self, mask: Self::RawMask) -> u64 {
        let [low, high] = each!(mask => self.0.avx._mm256_movemask_pd(mask).cast_unsigned());
        u64::from(low | high << 4)
    }
    #[inline(always)]
    fn mask(self, bits: u64) -> Self::RawMask {
        let (avx, avx2) = (self.0.avx, self.0.avx2);
        let all = avx._mm256_set1_epi64x(bits.cast_signed());
        let lanes = [[1, 2, 4, 8], [16, 32, 64, 128]];
        each!(lanes => {
            let lanes = cast::<[i64; 4], _>(lanes);
            avx._mm256_castsi256_pd(avx2._mm256_cmpeq_epi64(avx2._mm256_and_si256(all, lanes), lanes))
        })
    }
    #[inline(always)]
    fn reduce_sum(self, a: Self::Raw) -> f64 {
        let (sse2, avx) = (self.0.sse2, self.0.avx);
        let four = avx._mm256_add_pd(a[0], a[1]);
        let two = sse2._mm_add_pd(avx._mm256_castpd256_pd128(four), avx._mm256_extractf128_pd::<1>(four));
        sse2._mm_cvtsd_f64(sse2._mm_add_sd(two, sse2._mm_unpackhi_pd(two, two)))
    }
    #[inline(always)]
    fn reduce_min(self, a: Self::Raw) -> f64 {
        let (sse2, avx) = (self.0.sse2, self.0.avx);
        let four = avx._mm256_min_pd(a[0], a[1]);
        let two = sse2._mm_min_pd(avx._mm256_castpd256_pd128(four), avx._mm256_extractf128_pd::<1>(four));
        sse2._mm_cvtsd_f64(sse2._mm_min_sd(two, sse2._mm_unpackhi_pd(two, two)))
    }
}

impl Shuffle for Avx2 {
    #[inline(always)]
    fn interleave(self, a: [__m256d; 2], b: [__m256d; 2]) -> ([__m256d; 2], [__m256d; 2]) {
        let avx = self.0.avx;
        let [low, high] = each!(a, b => {
            let (low, high) = (avx._mm256_unpacklo_pd(a, b), avx._mm256_unpackhi_pd(a, b));
            [avx._mm256_permute2f128_pd::<0x20>(low, high), avx._mm256_permute2f128_pd::<0x31>(low, high)]
        });
        (low, high)
    }
    #[inline(always)]
    fn slide(self, a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
        let avx = self.0.avx;
        let next = [a[1], b[0]];
        each!(a, next => avx._mm256_shuffle_pd::<0b0101>(a, avx._mm256_permute2f128_pd::<0x21>(a, next)))
    }
}

impl Processor for Avx2 {
    const TILE: usize = 4;

    #[inline(always)]
    fn run<R>(self, f: impl FnOnce() -> R) -> R {
        self.0.vectorize(f)
    }
}
