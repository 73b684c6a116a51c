//! The logarithm to base two of a vector, the same bits at every fused level.

use super::{Real, Vector};
use std::f64::consts::LOG2_E;

/// Terms of `ln m = 2 s (1 + s^2/3 + s^4/5 + ...)`, `s = (m - 1)/(m + 1)`; `s^2` is 0.03 at most.
const TERMS: usize = 11;

/// `log2 x` for `x >= 1`; absolute error of a unit in the last place of the result, and of 1.
#[inline(always)]
pub(crate) fn log2<T: Real, V: Vector<T>>(x: V) -> V {
    let (n, m) = x.exponent();
    let one = x.all(T::ONE);
    let s = (m - one) / (m + one);
    let square = s * s;
    let terms = if T::MANTISSA < 30 { 5 } else { TERMS };
    let coefficient = |k: usize| x.all(T::from_f64(2.0 * LOG2_E / (2 * k + 1) as f64));
    let mut sum = coefficient(terms);
    for k in (0..terms).rev() {
        sum = sum.mul_add(square, coefficient(k));
    }
    sum.mul_add(s, n)
}

#[cfg(test)]
mod tests {
    use crate::float::Real;
    use crate::ops::{Ops, all_levels, fused_levels};

    fn numbers<T: Real>() -> Vec<f64> {
        let powers = (0..4000)
            .map(|i| 2f64.powf(f64::from(i) / 4000.0 * if T::MANTISSA < 30 { 127.0 } else { 1000.0 }));
        let near = (0..4000).map(|i| 1.0 + f64::from(i) * 1e-3);
        powers.chain(near).map(|x| T::from_f64(x).to_f64()).collect()
    }

    fn values<T: Real>(ops: Ops<T>, x: &[f64]) -> Vec<T> {
        let mut out = Vec::new();
        for part in x.chunks(T::LANES) {
            let mut lanes = T::Array::default();
            for (i, lane) in lanes.as_mut().iter_mut().enumerate() {
                *lane = T::from_f64(part[i % part.len()]);
            }
            out.extend_from_slice(&ops.log2(&lanes).as_ref()[..part.len()]);
        }
        out
    }

    fn accuracy<T: Real>(unit: f64) {
        let x = numbers::<T>();
        for level in all_levels() {
            for (x, found) in x.iter().zip(values::<T>(Ops::at(level), &x)) {
                let off = (found.to_f64() - x.log2()).abs();
                assert!(off <= unit * (1.0 + x.log2()), "{level:?}: log2 {x} = {found}");
            }
        }
        let fused: Vec<_> = fused_levels().into_iter().map(|level| values::<T>(Ops::at(level), &x)).collect();
        assert!(fused.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn single_precision_is_accurate() {
        accuracy::<f32>(1.2e-7);
    }

    #[test]
    fn double_precision_is_accurate() {
        accuracy::<f64>(2.3e-16);
    }
}
