//! SSE2, which every x86-64 processor has: four registers to the vector. A multiplication and the addition after it are
//! rounded one by one.

use super::{Processor, Shuffle, Simd};
use crate::float::{ROOT_HALF_F32, ROOT_HALF_F64, ROUND_BITS_F32, ROUND_BITS_F64, TWO_52};
use pulp::bytemuck::cast;
use pulp::x86::V1;
use std::arch::x86_64::{__m128, __m128d};

/// A processor with SSE2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sse2(pub(crate) V1);

/// An expression for each register of the vectors that it names.
macro_rules! each {
    ($($v:ident),+ => $value:expr) => {
        [
            { $(let $v = $v[0];)+ $value },
            { $(let $v = $v[1];)+ $value },
            { $(let $v = $v[2];)+ $value },
            { $(let $v = $v[3];)+ $value },
        ]
    };
}

impl Simd<f32> for Sse2 {
    type Raw = [__m128; 4];
    type RawMask = [__m128; 4];

    lanewise! {
        add(a, b) -> Raw = sse._mm_add_ps;
        sub(a, b) -> Raw = sse._mm_sub_ps;
        mul(a, b) -> Raw = sse._mm_mul_ps;
        div(a, b) -> Raw = sse._mm_div_ps;
        sqrt(a) -> Raw = sse._mm_sqrt_ps;
        min(a, b) -> Raw = sse._mm_min_ps;
        max(a, b) -> Raw = sse._mm_max_ps;
        lt(a, b) -> RawMask = sse._mm_cmplt_ps;
        le(a, b) -> RawMask = sse._mm_cmple_ps;
        equal(a, b) -> RawMask = sse._mm_cmpeq_ps;
        and(a, b) -> RawMask = sse._mm_and_ps;
    }

    #[inline(always)]
    fn splat(self, x: f32) -> Self::Raw {
        [self.0.sse._mm_set1_ps(x); 4]
    }
    #[inline(always)]
    fn mul_add(self, a: Self::Raw, b: Self::Raw, c: Self::Raw) -> Self::Raw {
        each!(a, b, c => self.0.sse._mm_add_ps(self.0.sse._mm_mul_ps(a, b), c))
    }
    #[inline(always)]
    fn copysign(self, a: Self::Raw, b: Self::Raw) -> Self::Raw {
        let (sse, sign) = (self.0.sse, self.0.sse._mm_set1_ps(-0.0));
        each!(a, b => sse._mm_or_ps(sse._mm_and_ps(sign, b), sse._mm_andnot_ps(sign, a)))
    }
    #[inline(always)]
    fn power_of_two(self, shifted: Self::Raw) -> Self::Raw {
        let sse2 = self.0.sse2;
        let bias = sse2._mm_set1_epi32(ROUND_BITS_F32.cast_signed());
        each!(shifted => {
            let n = sse2._mm_sub_epi32(sse2._mm_castps_si128(shifted), bias);
            sse2._mm_castsi128_ps(sse2._mm_slli_epi32::<23>(n))
        })
    }
    #[inline(always)]
    fn split_exponent(self, a: Self::Raw) -> (Self::Raw, Self::Raw) {
        let sse2 = self.0.sse2;
        let least = sse2._mm_set1_epi32(ROOT_HALF_F32.cast_signed());
        let bits = each!(a => sse2._mm_castps_si128(a));
        let n = each!(bits => sse2._mm_srli_epi32::<23>(sse2._mm_sub_epi32(bits, least)));
        let m = each!(bits, n => sse2._mm_sub_epi32(bits, sse2._mm_slli_epi32::<23>(n)));
        (each!(n => sse2._mm_cvtepi32_ps(n)), each!(m => sse2._mm_castsi128_ps(m)))
    }
    #[inline(always)]
    fn select(self, mask: Self::RawMask, yes: Self::Raw, no: Self::Raw) -> Self::Raw {
        let sse = self.0.sse;
        each!(mask, yes, no => sse._mm_or_ps(sse._mm_and_ps(mask, yes), sse._mm_andnot_ps(mask, no)))
    }
    #[inline(always)]
    fn bits(self, mask: Self::RawMask) -> u64 {
        let [a, b, c, d] = each!(mask => self.0.sse._mm_movemask_ps(mask).cast_unsigned());
        u64::from(a | b << 4 | c << 8 | d << 12)
    }
    #[inline(always)]
    fn mask(self, bits: u64) -> Self::RawMask {
        let sse2 = self.0.sse2;
        let all = sse2._mm_set1_epi32(bits as i32);
        let lanes = [[1, 2, 4, 8], [16, 32, 64, 128], [256, 512, 1024, 2048], [4096, 8192, 16384, 32768]];
        each!(lanes => {
            let lanes = cast::<[i32; 4], _>(lanes);
            sse2._mm_castsi128_ps(sse2._mm_cmpeq_epi32(sse2._mm_and_si128(all, lanes), lanes))
        })
    }
    #[inline(always)]
    fn reduce_sum(self, a: Self::Raw) -> f32 {
        let sse = self.0.sse;
        let four = sse._mm_add_ps(sse._mm_add_ps(a[0], a[2]), sse._mm_add_ps(a[1], a[3]));
        let two = sse._mm_add_ps(four, sse._mm_shuffle_ps::<0b10_11_00_01>(four, four));
        sse._mm_cvtss_f32(sse._mm_add_ss(two, sse._mm_movehl_ps(two, two)))
    }
    #[inline(always)]
    fn reduce_min(self, a: Self::Raw) -> f32 {
        let sse = self.0.sse;
        let four = sse._mm_min_ps(sse._mm_min_ps(a[0], a[2]), sse._mm_min_ps(a[1], a[3]));
        let two = sse._mm_min_ps(four, sse._mm_movehl_ps(four, four));
        sse._mm_cvtss_f32(sse._mm_min_ss(two, sse._mm_shuffle_ps::<1>(two, two)))
    }
}

impl Simd<f64> for Sse2 {
    type Raw = [__m128d; 4];
    type RawMask = [__m128d; 4];

    lanewise! {
        add(a, b) -> Raw = sse2._mm_add_pd;
        sub(a, b) -> Raw = sse2._mm_sub_pd;
        mul(a, b) -> Raw = sse2._mm_mul_pd;
        div(a, b) -> Raw = sse2._mm_div_pd;
        sqrt(a) -> Raw = sse2._mm_sqrt_pd;
        min(a, b) -> Raw = sse2._mm_min_pd;
        max(a, b) -> Raw = sse2._mm_max_pd;
        lt(a, b) -> RawMask = sse2._mm_cmplt_pd;
        le(a, b) -> RawMask = sse2._mm_cmple_pd;
        equal(a, b) -> RawMask = sse2._mm_cmpeq_pd;
        and(a, b) -> RawMask = sse2._mm_and_pd;
    }

    #[inline(always)]
    fn splat(self, x: f64) -> Self::Raw {
        [self.0.sse2._mm_set1_pd(x); 4]
    }
    #[inline(always)]
    fn mul_add(self, a: Self::Raw, b: Self::Raw, c: Self::Raw) -> Self::Raw {
        each!(a, b, c => self.0.sse2._mm_add_pd(self.0.sse2._mm_mul_pd(a, b), c))
    }
    #[inline(always)]
    fn copysign(self, a: Self::Raw, b: Self::Raw) -> Self::Raw {
        let (sse2, sign) = (self.0.sse2, self.0.sse2._mm_set1_pd(-0.0));
        each!(a, b => sse2._mm_or_pd(sse2._mm_and_pd(sign, b), sse2._mm_andnot_pd(sign, a)))
    }
    #[inline(always)]
    fn power_of_two(self, shifted: Self::Raw) -> Self::Raw {
        let sse2 = self.0.sse2;
        let bias = sse2._mm_set1_epi64x(ROUND_BITS_F64.cast_signed());
        each!(shifted => {
            let n = sse2._mm_sub_epi64(sse2._mm_castpd_si128(shifted), bias);
            sse2._mm_castsi128_pd(sse2._mm_slli_epi64::<52>(n))
        })
    }
    #[inline(always)]
    fn split_exponent(self, a: Self::Raw) -> (Self::Raw, Self::Raw) {
        let sse2 = self.0.sse2;
        let least = sse2._mm_set1_epi64x(ROOT_HALF_F64.cast_signed());
        let bits = each!(a => sse2._mm_castpd_si128(a));
        let n = each!(bits => sse2._mm_srli_epi64::<52>(sse2._mm_sub_epi64(bits, least)));
        let m = each!(bits, n => sse2._mm_sub_epi64(bits, sse2._mm_slli_epi64::<52>(n)));
        // A small integer in the low bits of 2^52.
        let large = sse2._mm_set1_pd(TWO_52);
        let n = each!(n => sse2._mm_castsi128_pd(sse2._mm_or_si128(n, sse2._mm_castpd_si128(large))));
        (each!(n => sse2._mm_sub_pd(n, large)), each!(m => sse2._mm_castsi128_pd(m)))
    }
    #[inline(always)]
    fn select(self, mask: Self::RawMask, yes: Self::Raw, no: Self::Raw) -> Self::Raw {
        let sse2 = self.0.sse2;
        each!(mask, yes, no => sse2._mm_or_pd(sse2._mm_and_pd(mask, yes), sse2._mm_andnot_pd(mask, no)))
    }
    #[inline(always)]
    fn bits(self, mask: Self::RawMask) -> u64 {
        let [a, b, c, d] = each!(mask => self.0.sse2._mm_movemask_pd(mask).cast_unsigned());
        u64::from(a | b << 2 | c << 4 | d << 6)
    }
    #[inline(always)]
    fn mask(self, bits: u64) -> Self::RawMask {
        let sse2 = self.0.sse2;
        let all = sse2._mm_set1_epi32(bits as i32);
        // Both halves of a lane alike: SSE2 compares no longer integers.
        let lanes = [[1, 1, 2, 2], [4, 4, 8, 8], [16, 16, 32, 32], [64, 64, 128, 128]];
        each!(lanes => {
            let lanes = cast::<[i32; 4], _>(lanes);
            sse2._mm_castsi128_pd(sse2._mm_cmpeq_epi32(sse2._mm_and_si128(all, lanes), lanes))
        })
    }
    #[inline(always)]
    fn reduce_sum(self, a: Self::Raw) -> f64 {
        let sse2 = self.0.sse2;
        let two = sse2._mm_add_pd(sse2._mm_add_pd(a[0], a[2]), sse2._mm_add_pd(a[1], a[3]));
        sse2._mm_cvtsd_f64(sse2._mm_add_sd(two, sse2._mm_unpackhi_pd(two, two)))
    }
    #[inline(always)]
    fn reduce_min(self, a: Self::Raw) -> f64 {
        let sse2 = self.0.sse2;
        let two = sse2._mm_min_pd(sse2._mm_min_pd(a[0], a[2]), sse2._mm_min_pd(a[1], a[3]));
        sse2._mm_cvtsd_f64(sse2._mm_min_sd(two, sse2._mm_unpackhi_pd(two, two)))
    }
}

impl Shuffle for Sse2 {
    #[inline(always)]
    fn interleave(self, a: [__m128d; 4], b: [__m128d; 4]) -> ([__m128d; 4], [__m128d; 4]) {
        let sse2 = self.0.sse2;
        let low = each!(a, b => sse2._mm_unpacklo_pd(a, b));
        let high = each!(a, b => sse2._mm_unpackhi_pd(a, b));
        ([low[0], high[0], low[1], high[1]], [low[2], high[2], low[3], high[3]])
    }
    #[inline(always)]
    fn slide(self, a: [__m128d; 4], b: [__m128d; 4]) -> [__m128d; 4] {
        let next = [a[1], a[2], a[3], b[0]];
        each!(a, next => self.0.sse2._mm_shuffle_pd::<0b01>(a, next))
    }
}

impl Processor for Sse2 {
    const TILE: usize = 2;

    #[inline(always)]
    fn run<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}
