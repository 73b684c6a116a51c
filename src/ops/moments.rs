//! Running mean and deviation of features, and rows scaled by them.

use super::At;
use super::simd::{Processor, Simd};
use crate::float::Real;

/// Where scaled numbers are clipped, in deviations.
pub(crate) const CLIP: f64 = 3.0;

/// A feature whose deviation is less than this part of its mean is constant but for rounding.
const CONSTANT: f64 = 1e-15;

/// What a number may differ from the mean by, so that squares can be added up.
const LARGEST_DIFFERENCE: f64 = 1e140;

/// What is known of each feature.
pub(crate) struct Statistics<'a> {
    pub(crate) mean: &'a mut [f64],
    /// The sum of squared deviations from the mean.
    pub(crate) squares: &'a mut [f64],
    /// [`inverse`] of the variance.
    pub(crate) inverse: &'a mut [f64],
}

/// One over the deviation of a feature; 1 of a constant one.
#[inline(always)]
pub(crate) fn inverse(mean: f64, variance: f64) -> f64 {
    let least = CONSTANT * CONSTANT * mean * mean;
    if variance > least.max(f64::MIN_POSITIVE) { 1.0 / variance.sqrt() } else { 1.0 }
}

/// Rows until which deviations follow every row.
const YOUNG: u64 = 1024;

/// What a row adds to the statistics of a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// One over the rows with this one, one over those that count from now on, and what of their squares counts.
    of_all: f64,
    of_counted: f64,
    kept: f64,
    /// Whether the deviation follows: it takes a root and a division, and moves less and less.
    renews: bool,
}

impl Share {
    /// That of the row after so many, which it counts, as far as memory goes. Where few rows count, the deviation follows
    /// each; else those for which `renews` says so.
    #[inline(always)]
    pub(crate) fn of_next(rows: &mut u64, memory: Option<u64>, renews: bool) -> Self {
        let all = *rows + 1;
        *rows = memory.map_or(all, |memory| memory.min(all));
        let (all, rows) = (all as f64, *rows as f64);
        Self {
            of_all: 1.0 / all,
            of_counted: 1.0 / rows,
            kept: rows / all,
            renews: renews || all <= YOUNG as f64,
        }
    }

    /// Adds a value to the statistics of its feature. After n rows a value that is farther than `2 sqrt(n)` deviations from
    /// the mean is added as one that is just so far: twice the root of the sum of squares, which is n variances. The first
    /// value that differs from all others is added whole. After such a value the deviation follows at once.
    #[inline(always)]
    pub(crate) fn take(self, x: f64, mean: &mut f64, squares: &mut f64, inverse_deviation: &mut f64) {
        let mut difference = difference(x, *mean);
        let far = is_far(difference, *squares);
        if far && *squares > 0.0 {
            difference = difference.signum() * 2.0 * squares.sqrt();
        }
        self.add(difference, mean, squares);
        if far || self.renews {
            *inverse_deviation = inverse(*mean, *squares * self.of_counted);
        }
    }

    #[inline(always)]
    fn add(self, difference: f64, mean: &mut f64, squares: &mut f64) {
        let step = difference * self.of_all;
        *mean += step;
        *squares = (*squares + difference * (difference - step)) * self.kept;
    }
}

#[inline(always)]
fn difference(x: f64, mean: f64) -> f64 {
    (x - mean).clamp(-LARGEST_DIFFERENCE, LARGEST_DIFFERENCE)
}

/// Whether a value differs from the mean by more than twice the root of the sum of squares.
#[inline(always)]
fn is_far(difference: f64, squares: f64) -> bool {
    difference * difference > 4.0 * squares
}

/// `clip((x - mean) / deviation, +-3)`; a missing value, NaN, is the mean.
#[inline(always)]
fn standardized<T: Real>(x: T, mean: f64, inverse: f64) -> T {
    let z = ((x.to_f64() - mean) * inverse).clamp(-CLIP, CLIP);
    T::from_f64(if z.is_nan() { 0.0 } else { z })
}

/// Scaling by running statistics. Every number is divided and rounded for itself: all levels agree bit for bit.
pub(crate) trait Standardize<T: Real> {
    /// Adds a row without missing values to the statistics, as [`Share::take`] does, then scales it by them.
    fn observe_and_standardize(&self, share: Share, statistics: Statistics<'_>, x: &mut [T]);

    /// Scales a row.
    fn standardize(&self, mean: &[f64], inverse: &[f64], x: &mut [T]);
}

impl<T: Real, P: Processor + Simd<T>> Standardize<T> for At<P> {
    fn observe_and_standardize(&self, share: Share, statistics: Statistics<'_>, x: &mut [T]) {
        self.0.run(
            #[inline(always)]
            || {
                let Statistics { mean, squares, inverse } = statistics;
                let usual = !share.renews
                    && x.iter().zip(&*mean).zip(&*squares).fold(true, |usual, ((x, mean), squares)| {
                        usual & !is_far(difference(x.to_f64(), *mean), *squares)
                    });
                let features = x.iter_mut().zip(mean).zip(squares).zip(inverse);
                if usual {
                    for (((x, mean), squares), inverse) in features {
                        share.add(difference(x.to_f64(), *mean), mean, squares);
                        *x = standardized(*x, *mean, *inverse);
                    }
                    return;
                }
                for (((x, mean), squares), inverse) in features {
                    share.take(x.to_f64(), mean, squares, inverse);
                    *x = standardized(*x, *mean, *inverse);
                }
            },
        );
    }

    fn standardize(&self, mean: &[f64], inverse: &[f64], x: &mut [T]) {
        self.0.run(
            #[inline(always)]
            || {
                for ((x, mean), inverse) in x.iter_mut().zip(mean).zip(inverse) {
                    *x = standardized(*x, *mean, *inverse);
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

    /// What the rows that are learned count for: the deviation follows every tenth.
    fn share(n: &mut u64, row: usize) -> Share {
        if row == 0 {
            *n = YOUNG;
        }
        Share::of_next(n, Some(YOUNG + 30), row.is_multiple_of(10))
    }

    /// Row by row, number by number.
    fn one_by_one<T: Real>(rows: &[Vec<T>]) -> (Vec<f64>, Vec<f64>, Vec<Vec<T>>) {
        let d = rows[0].len();
        let (mut mean, mut squares, mut inverses) = (vec![0.0; d], vec![0.0; d], vec![1.0; d]);
        let mut n = 0;
        let scaled = rows.iter().enumerate().map(|(i, row)| {
            let share = share(&mut n, i);
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
                let (mut mean, mut squares, mut inverse) = (vec![0.0; d], vec![0.0; d], vec![1.0; d]);
                let mut n = 0;
                for (i, (row, expected)) in rows.iter().zip(&expected.2).enumerate() {
                    let share = share(&mut n, i);
                    let mut x = row.clone();
                    let statistics =
                        Statistics { mean: &mut mean, squares: &mut squares, inverse: &mut inverse };
                    ops.observe_and_standardize(share, statistics, &mut x);
                    assert_eq!(&x, expected, "{level:?} {d}");
                    let mut again = row.clone();
                    ops.standardize(&mean, &inverse, &mut again);
                    assert_eq!(again, x, "{level:?} {d}");
                }
                assert_eq!((&mean, &squares), (&expected.0, &expected.1), "{level:?} {d}");
                let mut missing = vec![T::from_f64(f64::NAN); d];
                ops.standardize(&mean, &inverse, &mut missing);
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
