//! Two to the power of a vector: one polynomial on [-1/2, 1/2], exactly 1 at 0, the same bits at every fused level.

use crate::float::{Real, splat};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// `(2^n, r, (2^r - 1)/r)` with `y = n + r`, `|r| <= 1/2`, for `y` in `[MIN_EXP, -MIN_EXP]`.
#[inline(always)]
fn split<T: Real, S: Simd>(s: S, y: T::V<S>) -> (T::V<S>, T::V<S>, T::V<S>) {
    let shifted = y + splat::<T, S>(s, T::ROUND);
    let n = shifted - splat::<T, S>(s, T::ROUND);
    let r = y - n;
    let mut p = splat::<T, S>(s, T::EXP2[T::EXP2.len() - 1]);
    for &c in T::EXP2.iter().rev().skip(1) {
        p = p.mul_add(r, splat::<T, S>(s, c));
    }
    let scale = T::V::<S>::from_bits((shifted.to_bits() - T::ROUND_BITS) << T::MANTISSA);
    (scale, r, p)
}

/// `2^y` for `y <= -MIN_EXP`; below `MIN_EXP` it is zero. Relative error 9e-8 (f32), 4e-16 (f64).
#[inline(always)]
pub(crate) fn exp2<T: Real, S: Simd>(s: S, y: T::V<S>) -> T::V<S> {
    let least = splat::<T, S>(s, T::MIN_EXP);
    let (scale, r, p) = split::<T, S>(s, y.max(least));
    let power = p.mul_add(r, splat::<T, S>(s, T::ONE)) * scale;
    y.simd_ge(least).select(power, splat::<T, S>(s, T::ZERO))
}

/// `(2^n, 2^r - 1)` with `y = n + r`, `|r| <= 1/2`, for `y` in `[MIN_EXP, -MIN_EXP]`: differences such as `2^y - 1`
/// come out of these without cancellation.
#[inline(always)]
pub(crate) fn exp2_parts<T: Real, S: Simd>(s: S, y: T::V<S>) -> (T::V<S>, T::V<S>) {
    let (scale, r, p) = split::<T, S>(s, y);
    (scale, p * r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::level::{dispatch, fused};
    use fearless_simd::Level;

    fn values<T: Real>(level: Level, y: &[f64]) -> Vec<f64> {
        let mut out = Vec::new();
        for part in y.chunks(T::LANES) {
            dispatch!(level, s => {
                let v = T::V::<_>::from_fn(s, |i| T::from_f64(part[i % part.len()]));
                let e = exp2::<T, _>(s, v);
                out.extend((0..part.len()).map(|i| e[i].to_f64()));
            });
        }
        out
    }

    fn grid<T: Real>() -> Vec<f64> {
        let least = T::MIN_EXP.to_f64();
        (0..200_000).map(|i| T::from_f64(least * f64::from(i) / 199_999.0).to_f64()).collect()
    }

    fn accuracy<T: Real>(tolerance: f64) {
        let y = grid::<T>();
        for (y, e) in y.iter().zip(values::<T>(Level::new(), &y)) {
            let exact = y.exp2();
            assert!(((e - exact) / exact).abs() <= tolerance, "2^{y} = {e}, not {exact}");
        }
        assert_eq!(values::<T>(Level::new(), &[0.0, -1.0, 10.0, -2000.0]), [1.0, 0.5, 1024.0, 0.0]);
    }

    #[test]
    fn single_precision_is_accurate() {
        accuracy::<f32>(9e-8);
    }

    #[test]
    fn double_precision_is_accurate() {
        accuracy::<f64>(4e-16);
    }

    #[test]
    fn fused_levels_agree_bit_for_bit() {
        let best = Level::new();
        for level in fused() {
            assert_eq!(values::<f32>(best, &grid::<f32>()), values::<f32>(level, &grid::<f32>()));
            assert_eq!(values::<f64>(best, &grid::<f64>()), values::<f64>(level, &grid::<f64>()));
        }
    }
}
