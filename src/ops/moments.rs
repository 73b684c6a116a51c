//! Running mean and deviation of features, and rows scaled by them.

use super::At;
use super::simd::{Processor, Simd};
use crate::float::Real;

/// Where scaled numbers are clipped, in deviations.
pub(crate) const CLIP: f64 = 3.0;

/// A feature whose deviation is less than this part of its mean is constant but for rounding.
const CONSTANT: f64 = 1e-15;

/// What a number may differ from the mean by, so that squares can be added up.
const FARTHEST: f64 = 1e140;

/// What is known of each feature.
pub(crate) struct Moments<'a> {
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

/// What a row adds to the statistics of a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// One over the rows with this one, one over those that count from now on, and what of their squares counts.
    of_all: f64,
    of_counted: f64,
    kept: f64,
}

impl Share {
    /// That of the row after so many, which it counts, as far as memory goes.
    #[inline(always)]
    pub(crate) fn of_next(rows: &mut u64, memory: Option<u64>) -> Self {
        let all = *rows + 1;
        *rows = memory.map_or(all, |memory| memory.min(all));
        let (all, rows) = (all as f64, *rows as f64);
        Self { of_all: 1.0 / all, of_counted: 1.0 / rows, kept: rows / all }
    }

    /// Adds a value to the statistics of its feature, or where it is farther than `2 sqrt(n)` deviations from the mean of n
    /// rows, one that is just as far; `n` variances are the sum of squares. One that differs from a constant is added whole.
    #[inline(always)]
    pub(crate) fn take(self, x: f64, mean: &mut f64, squares: &mut f64, inverse_deviation: &mut f64) {
        let difference = (x - *mean).clamp(-FARTHEST, FARTHEST);
        let farthest = if *squares > 0.0 { 2.0 * squares.sqrt() } else { FARTHEST };
        let difference = difference.clamp(-farthest, farthest);
        let step = difference * self.of_all;
        *mean += step;
        *squares = (*squares + difference * (difference - step)) * self.kept;
        *inverse_deviation = inverse(*mean, *squares * self.of_counted);
    }
}

/// `clip((x - mean) / deviation, +-3)`; a missing value, NaN, is the mean.
#[inline(always)]
fn standardized<T: Real>(x: T, mean: f64, inverse: f64) -> T {
    let z = ((x.to_f64() - mean) * inverse).clamp(-CLIP, CLIP);
    T::from_f64(if z.is_nan() { 0.0 } else { z })
}

/// Scaling by running statistics. Every number is divided and rounded for itself: all levels agree bit for bit.
pub(crate) trait Standardize<T: Real> {
    /// Adds a row without missing values to the statistics, then scales it by them.
    fn observe_and_standardize(&self, share: Share, moments: Moments<'_>, x: &mut [T]);

    /// Scales a row.
    fn standardize(&self, mean: &[f64], inverse: &[f64], x: &mut [T]);
}

impl<T: Real, P: Processor + Simd<T>> Standardize<T> for At<P> {
    fn observe_and_standardize(&self, share: Share, moments: Moments<'_>, x: &mut [T]) {
        self.0.run(
            #[inline(always)]
            || {
                let Moments { mean, squares, inverse } = moments;
                let features = x.iter_mut().zip(mean).zip(squares).zip(inverse);
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
