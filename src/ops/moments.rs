//! Running mean and variance of each feature, and rows standardised by them.

use super::simd_impl::operations;
use crate::constants::FEW_ROWS;
use crate::float::Real;

/// Limit of standardised values, in standard deviations: they are clipped to `+-CLIP`.
pub(crate) const CLIP: f64 = 3.0;

/// A feature whose standard deviation is below this share of its mean is constant except for rounding.
const CONSTANT_RTOL: f64 = 1e-15;

/// Limit of a value's difference from the mean, so that squares can be summed without overflow.
const MAX_DIFFERENCE: f64 = 1e140;

/// Mean and variance of each feature.
pub(crate) struct Statistics<'a> {
    pub(crate) mean: &'a [f64],
    /// Sum of squared differences from the mean.
    pub(crate) m2: &'a [f64],
    /// The standardisation: a mean, and one over a standard deviation.
    pub(crate) centre: &'a [f64],
    pub(crate) inv_scale: &'a [f64],
}

/// Inverse standard deviation of a feature; 1 for a constant feature.
#[inline(always)]
pub(crate) fn inv_std(mean: f64, variance: f64) -> f64 {
    let least = CONSTANT_RTOL * CONSTANT_RTOL * mean * mean;
    if variance > least.max(f64::MIN_POSITIVE) { 1.0 / variance.sqrt() } else { 1.0 }
}

/// Weights of new rows in the running moments of a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MomentWeights {
    /// One over the number of rows, the new rows included.
    inv_n: f64,
    /// One over the number of rows that the window keeps.
    inv_effective_n: f64,
    /// Share of `m2` that the window keeps.
    retention: f64,
}

/// Counts `new` rows in `n`, up to the window length `max_rows`. Returns the number without this limit.
#[inline(always)]
pub(crate) fn count_rows(n: &mut u64, new: u64, max_rows: Option<u64>) -> u64 {
    let all = *n + new;
    *n = max_rows.map_or(all, |max_rows| max_rows.min(all));
    all
}

impl MomentWeights {
    /// Counts `new` rows in `n` by [`count_rows`], and returns their weights.
    #[inline(always)]
    pub(crate) fn of_next(n: &mut u64, new: u64, max_rows: Option<u64>) -> Self {
        let (all, n) = (count_rows(n, new, max_rows) as f64, *n as f64);
        Self { inv_n: 1.0 / all, inv_effective_n: 1.0 / n, retention: n / all }
    }

    /// Weights of `new` rows after `n` rows whose squared deviations sum to `m2`, given the sums of the
    /// differences of the new rows from the mean and of their squares.
    #[inline(always)]
    pub(crate) fn after(
        n: &mut u64,
        m2: f64,
        new: u64,
        (sum, squares): (f64, f64),
        max_rows: Option<u64>,
    ) -> Self {
        if m2 == 0.0 && sum != squares {
            // One-hot features, which differ by 1, count all rows.
            *n = (*n).min(FEW_ROWS);
        }
        Self::of_next(n, new, max_rows)
    }

    /// Adds a value to the statistics of its feature.
    #[inline(always)]
    pub(crate) fn observe(self, x: f64, mean: &mut f64, m2: &mut f64, inv_std: &mut f64) {
        let difference = bounded_difference(x, *mean, *m2);
        self.observe_sums((difference, difference * difference), mean, m2, inv_std);
    }

    /// Adds several values to the statistics of their feature, given the sum of their differences from the mean and
    /// the sum of the squared differences.
    #[inline(always)]
    pub(crate) fn observe_sums(
        self,
        (sum, sum_of_squares): (f64, f64),
        mean: &mut f64,
        m2: &mut f64,
        inverse_deviation: &mut f64,
    ) {
        let step = sum * self.inv_n;
        *mean += step;
        *m2 = (*m2 + (sum_of_squares - sum * step)).max(0.0) * self.retention;
        *inverse_deviation = inv_std(*mean, *m2 * self.inv_effective_n);
    }
}

/// The difference of a value from the mean, within bounds.
#[inline(always)]
pub(crate) fn difference(x: f64, mean: f64) -> f64 {
    (x - mean).clamp(-MAX_DIFFERENCE, MAX_DIFFERENCE)
}

/// True if a difference exceeds twice the square root of `m2`.
#[inline(always)]
fn is_outlier(difference: f64, m2: f64) -> bool {
    difference * difference > 4.0 * m2
}

/// Difference of a value from the mean, with outliers pulled in.
///
/// After n rows a difference of more than `2 sqrt(n)` standard deviations is reduced to that limit: twice the square
/// root of `m2`, which is n times the variance. The first value that differs from all others counts in full.
#[inline(always)]
pub(crate) fn bounded_difference(x: f64, mean: f64, m2: f64) -> f64 {
    let difference = difference(x, mean);
    if m2 > 0.0 && is_outlier(difference, m2) { difference.signum() * 2.0 * m2.sqrt() } else { difference }
}

/// `clip((x - mean) / std, +-CLIP)`; a missing value (NaN) is replaced by the mean.
#[inline(always)]
pub(crate) fn standardized<T: Real>(x: T, mean: f64, inv_std: f64) -> T {
    let z = ((x.to_f64() - mean) * inv_std).clamp(-CLIP, CLIP);
    T::from_f64(if z.is_nan() { 0.0 } else { z })
}

/// Limit of the values that the linear term of regression sees, in standard deviations.
const LINEAR_CLIP: f64 = 40.0;

/// Weight of the part of a value beyond `CLIP`.
pub(crate) const EXCESS_WEIGHT: f64 = 0.3;

/// The largest [`excess`].
pub(crate) const MAX_EXCESS: f64 = EXCESS_WEIGHT * (LINEAR_CLIP - CLIP);

/// `0.3 (clip(z, 40) - clip(z, 3))` of the standardised value z.
pub(crate) fn excess(x: f64, mean: f64, inv_std: f64) -> f64 {
    let z = ((x - mean) * inv_std).clamp(-LINEAR_CLIP, LINEAR_CLIP);
    EXCESS_WEIGHT * (z - z.clamp(-CLIP, CLIP))
}

/// Sums over rows that the statistics do not include yet, by feature.
pub(crate) struct PendingSums<'a> {
    /// Sums of bounded differences from the mean.
    pub(crate) sums: &'a mut [f64],
    /// Sums of their squares.
    pub(crate) squares: &'a mut [f64],
}

operations! {
    /// Standardisation by running statistics. Every value is scaled and rounded alone, so all SIMD levels are
    /// bit-identical.
    pub(crate) trait ScalerOps<T: Real> {
        /// Adds a row without missing values to the pending sums, then standardises it by the statistics as
        /// they are.
        fn defer_and_standardize(s: P, statistics: &Statistics<'_>, pending: PendingSums<'_>, x: &mut [T]) {
            let Statistics { mean, m2, centre, inv_scale } = statistics;
            let moments = mean.iter().zip(*m2);
            let any_outlier = x
                .iter()
                .zip(moments.clone())
                .fold(false, |any, (x, (mean, m2))| any | is_outlier(difference(x.to_f64(), *mean), *m2));
            let pending = pending.sums.iter_mut().zip(pending.squares);
            if any_outlier {
                for ((x, (mean, m2)), (sum, square)) in x.iter().zip(moments).zip(pending) {
                    let difference = bounded_difference(x.to_f64(), *mean, *m2);
                    *sum += difference;
                    *square += difference * difference;
                }
            } else {
                for ((x, mean), (sum, square)) in x.iter().zip(*mean).zip(pending) {
                    let difference = difference(x.to_f64(), *mean);
                    *sum += difference;
                    *square += difference * difference;
                }
            }
            for ((x, centre), inv_scale) in x.iter_mut().zip(*centre).zip(*inv_scale) {
                *x = standardized(*x, *centre, *inv_scale);
            }
        }

        /// Standardises a row.
        fn standardize(s: P, mean: &[f64], inv_std: &[f64], x: &mut [T]) {
            for ((x, mean), inv_std) in x.iter_mut().zip(mean).zip(inv_std) {
                *x = standardized(*x, *mean, *inv_std);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Ops, all_levels};
    use crate::rng::Rng;

    /// Mean, squared deviations and inverse standard deviations of each feature of these rows.
    fn statistics<T: Real>(rows: &[Vec<T>]) -> [Vec<f64>; 3] {
        let d = rows[0].len();
        let (mut mean, mut m2, mut inverses) = (vec![0.0; d], vec![0.0; d], vec![1.0; d]);
        let mut n = 0;
        for row in rows {
            let weights = MomentWeights::of_next(&mut n, 1, Some(30));
            for (j, x) in row.iter().enumerate() {
                weights.observe(x.to_f64(), &mut mean[j], &mut m2[j], &mut inverses[j]);
            }
        }
        [mean, m2, inverses]
    }

    fn levels_agree<T: Real>(largest: f64) {
        let mut rng = Rng::new(6);
        for d in [1, 3, 8, 15, 17, 33] {
            let number = |i: usize, j: usize, rng: &mut Rng| match j % 5 {
                0 => 7.0,
                1 if i == 20 => largest,
                2 => rng.normal().powi(9),
                3 => 1e6 + rng.normal(),
                _ => rng.normal(),
            };
            let rows: Vec<Vec<T>> =
                (0..50).map(|i| (0..d).map(|j| T::from_f64(number(i, j, &mut rng))).collect()).collect();
            let [mean, m2, inv_std] = statistics(&rows);
            for level in all_levels() {
                let ops: Ops<T> = Ops::at(level);
                let (mut sums, mut held) = (vec![0.0; d], vec![0.0; d]);
                for row in &rows {
                    let mut x = row.clone();
                    let known = Statistics { mean: &mean, m2: &m2, centre: &mean, inv_scale: &inv_std };
                    let pending = PendingSums { sums: &mut sums, squares: &mut held };
                    ops.defer_and_standardize(&known, pending, &mut x);
                    let expected = row.iter().zip(mean.iter().zip(&inv_std));
                    assert!(
                        x.iter()
                            .zip(expected)
                            .all(|(z, (x, (mean, inv_std)))| *z == standardized(*x, *mean, *inv_std))
                    );
                    let mut again = row.clone();
                    ops.standardize(&mean, &inv_std, &mut again);
                    assert_eq!(again, x, "{level:?} {d}");
                }
                for (j, (sum, held)) in sums.iter().zip(&held).enumerate() {
                    let differences =
                        rows.iter().map(|row| bounded_difference(row[j].to_f64(), mean[j], m2[j]));
                    let (first, second) = differences.fold((0.0, 0.0), |(a, b), d| (a + d, b + d * d));
                    assert_eq!((*sum, *held), (first, second), "{level:?} {d}");
                }
                let mut missing = vec![T::from_f64(f64::NAN); d];
                ops.standardize(&mean, &inv_std, &mut missing);
                assert!(missing.iter().all(|x| *x == T::ZERO), "{level:?} {d}");
            }
        }
    }

    #[test]
    fn all_levels_scale_alike() {
        levels_agree::<f32>(-3e38);
        levels_agree::<f64>(1e300);
    }
}
