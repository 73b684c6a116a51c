//! The logarithm to base two of a vector, the same bits at every fused level.

use super::{Real, Vector};
use std::f64::consts::LOG2_E;

/// Terms after the first of `ln m = 2 s (1 + s^2/3 + s^4/5 + ...)`, `s = (m - 1)/(m + 1)`; `s^2` is 0.03 at most.
const TERMS: usize = 11;

/// `log2 (1 + u)` for `u >= 0`, infinity counting as the largest number; a relative error of a few units in the last
/// place, also where u is so small that `1 + u` loses it.
#[inline(always)]
pub(crate) fn log2_1p<T: Real, V: Vector<T>>(u: V) -> V {
    let one = u.broadcast(T::ONE);
    let u = u.min(u.broadcast(-T::MIN));
    let x = one + u;
    let lost = u - (x - one);
    let (n, m) = x.split_exponent();
    let s = (m - one) / (m + one);
    let square = s * s;
    let terms = if T::MANTISSA < 30 { 5 } else { TERMS };
    let mut sum = u.constant(coefficient(terms));
    for k in (0..terms).rev() {
        sum = sum.mul_add(square, u.constant(coefficient(k)));
    }
    (lost / x).mul_add(u.constant(LOG2_E), sum.mul_add(s, n))
}

const fn coefficient(k: usize) -> f64 {
    2.0 * LOG2_E / (2 * k + 1) as f64
}

#[cfg(test)]
mod tests {
    use crate::float::Real;
    use crate::ops::{Ops, all_levels, fused_levels};

    fn numbers<T: Real>() -> Vec<f64> {
        let largest = if T::MANTISSA < 30 { 127.0 } else { 1000.0 };
        let powers = (0..8000).map(|i| 2f64.powf((f64::from(i) / 4000.0 - 1.0) * largest));
        let near = (0..4000).map(|i| f64::from(i) * 1e-3);
        powers.chain(near).map(|x| T::from_f64(x).to_f64()).collect()
    }

    fn values<T: Real>(ops: Ops<T>, x: &[f64]) -> Vec<T> {
        let mut out = Vec::new();
        for part in x.chunks(T::LANES) {
            let mut lanes = T::Array::default();
            for (i, lane) in lanes.as_mut().iter_mut().enumerate() {
                *lane = T::from_f64(part[i % part.len()]);
            }
            out.extend_from_slice(&ops.log2_1p(&lanes).as_ref()[..part.len()]);
        }
        out
    }

    fn accuracy<T: Real>(unit: f64) {
        let u = numbers::<T>();
        for level in all_levels() {
            for (u, found) in u.iter().zip(values::<T>(Ops::at(level), &u)) {
                let exact = u.ln_1p() * std::f64::consts::LOG2_E;
                let off = (found.to_f64() - exact).abs();
                assert!(off <= 4.0 * unit * exact, "{level:?}: log2 (1 + {u:e}) = {found}, not {exact}");
            }
            let largest = values::<T>(Ops::at(level), &[f64::INFINITY])[0].to_f64();
            assert!(largest > 120.0 && largest.is_finite());
        }
        let fused: Vec<_> = fused_levels().into_iter().map(|level| values::<T>(Ops::at(level), &u)).collect();
        assert!(fused.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn single_precision_is_accurate() {
        accuracy::<f32>(6e-8);
    }

    #[test]
    fn double_precision_is_accurate() {
        accuracy::<f64>(1.2e-16);
    }
}
