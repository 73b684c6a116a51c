//! RunningScaler mean and deviation of features, and rows scaled by them.

use super::SimdImpl;
use super::simd::{Processor, Simd};
use crate::float::Real;

/// Where scaled numbers are clipped, in deviations.
pub(crate) const CLIP: f64 = 3.0;

/// A feature whose deviation is less than this part of its mean is constant but for rounding.
const CONSTANT_RTOL: f64 = 1e-15;

/// What a number may differ from the mean by, so that squares can be added up.
const MAX_DIFFERENCE: f64 = 1e140;

/// What is known of each feature.
pub(crate) struct Statistics<'a> {
    pub(crate) mean: &'a mut [f64],
    /// The sum of squared deviations from the mean.
    pub(crate) squares: &'a mut [f64],
    /// [`inv_std`] of the variance.
    pub(crate) inv_std: &'a mut [f64],
}

/// One over the deviation of a feature; 1 of a constant one.
#[inline(always)]
pub(crate) fn inv_std(mean: f64, variance: f64) -> f64 {
    let least = CONSTANT_RTOL * CONSTANT_RTOL * mean * mean;
    if variance > least.max(f64::MIN_POSITIVE) { 1.0 / variance.sqrt() } else { 1.0 }
}

/// What a row adds to the statistics of a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// One over the rows with this one, one over those that count from now on, and what of their squares counts.
    of_all: f64,
    of_counted: f64,
    kept: f64,
}

impl Share {
    /// That of `held` rows after so many, which it counts, as far as memory goes.
    #[inline(always)]
    pub(crate) fn of_next(rows: &mut u64, held: u64, memory: Option<u64>) -> Self {
        let all = *rows + held;
        *rows = memory.map_or(all, |memory| memory.min(all));
        let (all, rows) = (all as f64, *rows as f64);
        Self { of_all: 1.0 / all, of_counted: 1.0 / rows, kept: rows / all }
    }

    /// Adds a value to the statistics of its feature.
    #[inline(always)]
    pub(crate) fn take(self, x: f64, mean: &mut f64, squares: &mut f64, inverse_deviation: &mut f64) {
        let difference = counted(x, *mean, *squares);
        self.take_sums((difference, difference * difference), mean, squares, inverse_deviation);
    }

    /// Adds values that differ from the mean by numbers of this sum and this sum of squares.
    #[inline(always)]
    pub(crate) fn take_sums(
        self,
        (sum, sum_of_squares): (f64, f64),
        mean: &mut f64,
        squares: &mut f64,
        inverse_deviation: &mut f64,
    ) {
        let step = sum * self.of_all;
        *mean += step;
        *squares = (*squares + (sum_of_squares - sum * step)).max(0.0) * self.kept;
        *inverse_deviation = inv_std(*mean, *squares * self.of_counted);
    }
}

#[inline(always)]
fn difference(x: f64, mean: f64) -> f64 {
    (x - mean).clamp(-MAX_DIFFERENCE, MAX_DIFFERENCE)
}

/// Whether a value differs from the mean by more than twice the root of the sum of squares.
#[inline(always)]
fn is_far(difference: f64, squares: f64) -> bool {
    difference * difference > 4.0 * squares
}

/// What a value counts as differing from the mean by.
#[inline(always)]
pub(crate) fn counted(x: f64, mean: f64, squares: f64) -> f64 {
    shortened(difference(x, mean), squares)
}

/// The same of a difference. After n rows one that is farther than `2 sqrt(n)` deviations from the mean counts
/// as one that is just so far: twice the root of the sum of squares, which is n variances. The first value that differs
/// from all others counts whole.
#[inline(always)]
fn shortened(difference: f64, squares: f64) -> f64 {
    if squares > 0.0 && is_far(difference, squares) {
        difference.signum() * 2.0 * squares.sqrt()
    } else {
        difference
    }
}

/// `clip((x - mean) / deviation, +-3)`; a missing value, NaN, is the mean.
#[inline(always)]
fn standardized<T: Real>(x: T, mean: f64, inv_std: f64) -> T {
    let z = ((x.to_f64() - mean) * inv_std).clamp(-CLIP, CLIP);
    T::from_f64(if z.is_nan() { 0.0 } else { z })
}

/// Values of several rows, of which the statistics do not know yet, by feature.
pub(crate) struct Sums<'a> {
    /// Of their differences from the mean, as they count.
    pub(crate) sums: &'a mut [f64],
    pub(crate) squares: &'a mut [f64],
}

/// Scaling by running statistics. Every number is divided and rounded for itself: all levels agree bit for bit.
pub(crate) trait ScalerOps<T: Real> {
    /// Adds a row without missing values to the statistics, as [`Share::take`] does, then scales it by them.
    fn observe_and_standardize(&self, share: Share, statistics: Statistics<'_>, x: &mut [T]);

    /// Adds a row without missing values to sums for later, then scales it by the statistics.
    fn hold_and_standardize(&self, statistics: &Statistics<'_>, sums: Sums<'_>, x: &mut [T]);

    /// Scales a row.
    fn standardize(&self, mean: &[f64], inv_std: &[f64], x: &mut [T]);
}

impl<T: Real, P: Processor + Simd<T>> ScalerOps<T> for SimdImpl<P> {
    fn observe_and_standardize(&self, share: Share, statistics: Statistics<'_>, x: &mut [T]) {
        self.0.run(
            #[inline(always)]
            || {
                let Statistics { mean, squares, inv_std } = statistics;
                for (((x, mean), squares), inv_std) in x.iter_mut().zip(mean).zip(squares).zip(inv_std) {
                    share.take(x.to_f64(), mean, squares, inv_std);
                    *x = standardized(*x, *mean, *inv_std);
                }
            },
        );
    }

    fn hold_and_standardize(&self, statistics: &Statistics<'_>, sums: Sums<'_>, x: &mut [T]) {
        self.0.run(
            #[inline(always)]
            || {
                let Statistics { mean, squares, inv_std } = statistics;
                let known = mean.iter().zip(&**squares);
                let any_far = x.iter().zip(known.clone()).fold(false, |any, (x, (mean, squares))| {
                    any | is_far(difference(x.to_f64(), *mean), *squares)
                });
                let held = sums.sums.iter_mut().zip(sums.squares);
                if any_far {
                    for ((x, (mean, squares)), (sum, square)) in x.iter().zip(known).zip(held) {
                        let difference = counted(x.to_f64(), *mean, *squares);
                        *sum += difference;
                        *square += difference * difference;
                    }
                } else {
                    for ((x, mean), (sum, square)) in x.iter().zip(&**mean).zip(held) {
                        let difference = difference(x.to_f64(), *mean);
                        *sum += difference;
                        *square += difference * difference;
                    }
                }
                for ((x, mean), inv_std) in x.iter_mut().zip(&**mean).zip(&**inv_std) {
                    *x = standardized(*x, *mean, *inv_std);
                }
            },
        );
    }

    fn standardize(&self, mean: &[f64], inv_std: &[f64], x: &mut [T]) {
        self.0.run(
            #[inline(always)]
            || {
                for ((x, mean), inv_std) in x.iter_mut().zip(mean).zip(inv_std) {
                    *x = standardized(*x, *mean, *inv_std);
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Ops, all_levels};
    use crate::rng::Rng;

    /// Row by row, number by number.
    fn one_by_one<T: Real>(rows: &[Vec<T>]) -> (Vec<f64>, Vec<f64>, Vec<Vec<T>>) {
        let d = rows[0].len();
        let (mut mean, mut squares, mut inverses) = (vec![0.0; d], vec![0.0; d], vec![1.0; d]);
        let mut n = 0;
        let scaled = rows.iter().map(|row| {
            let share = Share::of_next(&mut n, 1, Some(30));
            let numbers = row.iter().enumerate().map(|(j, &x)| {
                share.take(x.to_f64(), &mut mean[j], &mut squares[j], &mut inverses[j]);
                standardized(x, mean[j], inverses[j])
            });
            numbers.collect()
        });
        let scaled = scaled.collect();
        (mean, squares, scaled)
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
            let expected = one_by_one(&rows);
            for level in all_levels() {
                let ops: Ops<T> = Ops::at(level);
                let (mut mean, mut squares, mut inv_std) = (vec![0.0; d], vec![0.0; d], vec![1.0; d]);
                let mut n = 0;
                for (row, expected) in rows.iter().zip(&expected.2) {
                    let share = Share::of_next(&mut n, 1, Some(30));
                    let mut x = row.clone();
                    let statistics =
                        Statistics { mean: &mut mean, squares: &mut squares, inv_std: &mut inv_std };
                    ops.observe_and_standardize(share, statistics, &mut x);
                    assert_eq!(&x, expected, "{level:?} {d}");
                    let mut again = row.clone();
                    ops.standardize(&mean, &inv_std, &mut again);
                    assert_eq!(again, x, "{level:?} {d}");
                }
                assert_eq!((&mean, &squares), (&expected.0, &expected.1), "{level:?} {d}");
                let (mut sums, mut held) = (vec![0.0; d], vec![0.0; d]);
                for row in &rows {
                    let mut x = row.clone();
                    let known = Statistics { mean: &mut mean, squares: &mut squares, inv_std: &mut inv_std };
                    let of_held = Sums { sums: &mut sums, squares: &mut held };
                    ops.hold_and_standardize(&known, of_held, &mut x);
                    let expected = row.iter().zip(mean.iter().zip(&inv_std));
                    assert!(
                        x.iter()
                            .zip(expected)
                            .all(|(z, (x, (mean, inv_std)))| *z == standardized(*x, *mean, *inv_std))
                    );
                }
                for (j, (sum, held)) in sums.iter().zip(&held).enumerate() {
                    let differences = rows.iter().map(|row| counted(row[j].to_f64(), mean[j], squares[j]));
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
