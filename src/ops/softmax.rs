//! The softmax of the scores of a row, in double precision whatever the data type.

use super::simd::{Processor, V};
use super::simd_impl::operations;
use crate::float::{Vector, exp2};
use std::f64::consts::LOG2_E;

/// The lanes of a vector.
const LANES: usize = 8;

/// The first largest score, and the mean and the mean square of the scores, relative to the largest, under the softmax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SoftmaxMoments {
    pub(crate) top: usize,
    pub(crate) mean: f64,
    pub(crate) square: f64,
}

operations! {
    /// The softmax of scores.
    pub(crate) trait SoftmaxOps {
        /// Writes `softmax(slope f)` into `p`, for scores between `-limit` and `limit`; others count as the
        /// nearest.
        fn softmax(s: P, f: &[f64], slope: f64, limit: f64, p: &mut [f64]) -> SoftmaxMoments {
            let (n_simd, limit) = (f.len().div_ceil(LANES), V::splat(s, limit));
            let mut largest = scores(s, f, 0);
            for i_simd in 1..n_simd {
                largest = largest.max(scores(s, f, i_simd));
            }
            let largest = V::splat(s, largest.reduce_max());
            let (mut top, mut i_simd) = (0, 0);
            while i_simd < n_simd {
                let lanes = scores(s, f, i_simd).ge(largest).bits();
                if lanes != 0 {
                    top = i_simd * LANES + lanes.trailing_zeros() as usize;
                    break;
                }
                i_simd += 1;
            }
            let largest = clipped(largest, limit);
            let (mut sum, mut mean, mut square) = (V::zero(s), V::zero(s), V::zero(s));
            for (i_simd, p) in p.chunks_mut(LANES).enumerate() {
                let relative = clipped(scores(s, f, i_simd), limit) - largest;
                let power = exp2(relative * (slope * LOG2_E));
                let weighted = power * relative;
                sum += power;
                mean += weighted;
                square = weighted.mul_add(relative, square);
                if let Some(p) = p.first_chunk_mut::<LANES>() {
                    power.store(p);
                } else {
                    let n = p.len();
                    p.copy_from_slice(&power.to_array()[..n]);
                }
            }
            let sum = sum.reduce_sum();
            for p in p.iter_mut() {
                *p /= sum;
            }
            SoftmaxMoments { top, mean: mean.reduce_sum() / sum, square: square.reduce_sum() / sum }
        }
    }
}

/// The scores of one SIMD vector; behind the last score the least number, whose power is zero.
#[inline(always)]
fn scores<P: Processor>(s: P, f: &[f64], i_simd: usize) -> V<f64, P> {
    let f = &f[i_simd * LANES..];
    if let Some(lanes) = f.first_chunk::<LANES>() {
        return V::load(s, lanes);
    }
    let mut lanes = [f64::NEG_INFINITY; LANES];
    lanes[..f.len()].copy_from_slice(f);
    V::load(s, &lanes)
}

#[inline(always)]
fn clipped<P: Processor>(f: V<f64, P>, limit: V<f64, P>) -> V<f64, P> {
    f.max(-limit).min(limit)
}

#[cfg(test)]
mod tests {
    use super::SoftmaxMoments;
    use crate::ops::{Ops, all_levels};
    use crate::rng::Rng;

    #[test]
    fn every_level_agrees_with_the_formula() {
        let mut rng = Rng::new(1);
        for level in all_levels() {
            for n in (2..40).chain([1000]) {
                let slope = 5.0 * rng.uniform();
                let f: Vec<f64> = (0..n).map(|_| 3.0 * rng.normal()).collect();
                let top = (0..n).fold(0, |top, r| if f[r] > f[top] { r } else { top });
                let powers: Vec<f64> = f.iter().map(|x| (slope * (x - f[top])).exp()).collect();
                let sum: f64 = powers.iter().sum();
                let mut p = vec![f64::NAN; n];
                let found = Ops::<f32>::at(level).softmax(&f, slope, 1e90, &mut p);
                let moment = |power: i32| {
                    f.iter().zip(&powers).map(|(x, e)| e * (x - f[top]).powi(power)).sum::<f64>() / sum
                };
                assert_eq!(found.top, top);
                assert!((found.mean - moment(1)).abs() < 1e-12 && (found.square - moment(2)).abs() < 1e-11);
                assert!(p.iter().zip(&powers).all(|(p, e)| (p - e / sum).abs() < 1e-14), "{p:?}");
            }
        }
    }

    #[test]
    fn extreme_scores_have_probabilities() {
        for level in all_levels() {
            let mut p = [f64::NAN; 3];
            let found = Ops::<f64>::at(level).softmax(&[-f64::MAX, f64::MAX, f64::MAX], 2.0, 1e90, &mut p);
            assert_eq!((p, found), ([0.0, 0.5, 0.5], SoftmaxMoments { top: 1, mean: 0.0, square: 0.0 }));
        }
    }
}
