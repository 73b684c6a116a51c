//! Two to the power of a vector: one polynomial on [-1/2, 1/2], exactly 1 at 0, the same bits at every fused level.

use super::{Mask, Real, Vector};

/// `(2^n, r, (2^r - 1)/r)` with `y = n + r`, `|r| <= 1/2`, for `y` in `[MIN_EXP, -MIN_EXP]`.
#[inline(always)]
fn split<T: Real, V: Vector<T>>(y: V) -> (V, V, V) {
    let shifted = y + y.broadcast(T::ROUND);
    let r = y - (shifted - y.broadcast(T::ROUND));
    let mut p = y.broadcast(T::EXP2[T::EXP2.len() - 1]);
    for &c in T::EXP2.iter().rev().skip(1) {
        p = p.mul_add(r, y.broadcast(c));
    }
    (shifted.power_of_two(), r, p)
}

/// `2^y` for `y <= -MIN_EXP`; below `MIN_EXP` it is zero. Relative error 9e-8 (f32), 4e-16 (f64).
#[inline(always)]
pub(crate) fn exp2<T: Real, V: Vector<T>>(y: V) -> V {
    let least = y.broadcast(T::MIN_EXP);
    let (scale, r, p) = split(y.max(least));
    let power = p.mul_add(r, y.broadcast(T::ONE)) * scale;
    y.ge(least).select(power, y.broadcast(T::ZERO))
}

/// `(2^n, 2^r - 1)` with `y = n + r`, `|r| <= 1/2`, for `y` in `[MIN_EXP, -MIN_EXP]`: differences such as `2^y - 1`
/// follow from these without cancellation.
#[inline(always)]
pub(crate) fn exp2_parts<T: Real, V: Vector<T>>(y: V) -> (V, V) {
    let (scale, r, p) = split(y);
    (scale, p * r)
}

#[cfg(test)]
mod tests {
    use crate::float::Real;
    use crate::ops::{Level, Ops, all_levels, fused_levels, level};

    fn values<T: Real>(level: Level, y: &[f64]) -> Vec<f64> {
        let mut out = Vec::new();
        for part in y.chunks(T::LANES) {
            let mut lanes = T::Array::default();
            for (i, x) in lanes.as_mut().iter_mut().enumerate() {
                *x = T::from_f64(part[i % part.len()]);
            }
            let power = Ops::<T>::at(level).exp2(&lanes);
            out.extend((0..part.len()).map(|i| power[i].to_f64()));
        }
        out
    }

    fn grid<T: Real>() -> Vec<f64> {
        let least = T::MIN_EXP.to_f64();
        (0..200_000).map(|i| T::from_f64(least * f64::from(i) / 199_999.0).to_f64()).collect()
    }

    fn accuracy<T: Real>(tolerance: f64) {
        let y = grid::<T>();
        for (y, e) in y.iter().zip(values::<T>(level(), &y)) {
            let exact = y.exp2();
            assert!(((e - exact) / exact).abs() <= tolerance, "2^{y} = {e}, not {exact}");
        }
        for level in all_levels() {
            assert_eq!(values::<T>(level, &[0.0, -1.0, 10.0, -2000.0]), [1.0, 0.5, 1024.0, 0.0]);
        }
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
        let fused = fused_levels();
        for level in &fused {
            assert_eq!(values::<f32>(fused[0], &grid::<f32>()), values::<f32>(*level, &grid::<f32>()));
            assert_eq!(values::<f64>(fused[0], &grid::<f64>()), values::<f64>(*level, &grid::<f64>()));
        }
    }
}
