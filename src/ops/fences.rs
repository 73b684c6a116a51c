//! Bounds of the usual values of each feature.

use super::simd_impl::operations;
use crate::constants::{FAR, RUN_ROWS};
use crate::float::Real;

/// Values closer to the median than this share of the median absolute deviation are near it.
const NEAR: f64 = 0.05;

/// The bounds of each feature: `median +- 30 mad`, or none with `mad = 0`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fences {
    low: Vec<f64>,
    high: Vec<f64>,
    median: Vec<f64>,
    mad: Vec<f64>,
}

/// For each feature, the values inside its bounds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InsideValues {
    pub(crate) last: Vec<f64>,
    /// The number of successive values near the median, without repetitions.
    pub(crate) near_runs: Vec<f64>,
}

#[inline(always)]
fn is_near(x: f64, median: f64, mad: f64) -> bool {
    (x - median).abs() < NEAR * mad
}

/// The run after the value `x`.
#[inline(always)]
fn next_run(x: f64, last: f64, run: f64, is_near: bool) -> f64 {
    let continued = if is_near { run + 1.0 } else { 0.0 };
    if x == last { run } else { continued }
}

impl Fences {
    /// Features without bounds.
    pub(crate) fn new(features: usize) -> Self {
        let zeros = || vec![0.0; features];
        let (low, high) = (vec![f64::NEG_INFINITY; features], vec![f64::INFINITY; features]);
        Self { low, high, median: zeros(), mad: zeros() }
    }

    /// Bounds from medians and median absolute deviations.
    pub(crate) fn of(median: Vec<f64>, mad: Vec<f64>) -> Self {
        let mut fences = Self::new(0);
        fences.add_features(median.len());
        for (j, (median, mad)) in median.into_iter().zip(mad).enumerate() {
            fences.set(j, median, mad);
        }
        fences
    }

    pub(crate) fn add_features(&mut self, features: usize) {
        self.low.resize(features, f64::NEG_INFINITY);
        self.high.resize(features, f64::INFINITY);
        self.median.resize(features, 0.0);
        self.mad.resize(features, 0.0);
    }

    pub(crate) fn median(&self) -> &[f64] {
        &self.median
    }

    pub(crate) fn mad(&self) -> &[f64] {
        &self.mad
    }

    /// Sets the bounds of a feature; no bounds with `mad = 0`.
    pub(crate) fn set(&mut self, feature: usize, median: f64, mad: f64) {
        let half_width = if mad > 0.0 { FAR * mad } else { f64::INFINITY };
        (self.median[feature], self.mad[feature]) = (median, mad);
        (self.low[feature], self.high[feature]) = (median - half_width, median + half_width);
    }

    /// Half the distance between the bounds of a feature.
    pub(crate) fn half_width(&self, feature: usize) -> f64 {
        FAR * self.mad[feature]
    }

    /// Whether a value lies inside the bounds of its feature; false for NaN.
    #[inline(always)]
    pub(crate) fn contains(&self, feature: usize, x: f64) -> bool {
        self.low[feature] <= x && x <= self.high[feature]
    }
}

impl InsideValues {
    pub(crate) fn new(features: usize) -> Self {
        Self { last: vec![0.0; features], near_runs: vec![0.0; features] }
    }

    pub(crate) fn add_features(&mut self, features: usize) {
        self.last.resize(features, 0.0);
        self.near_runs.resize(features, 0.0);
    }

    /// Counts a value inside the bounds of its feature.
    pub(crate) fn count(&mut self, feature: usize, x: f64, fences: &Fences) {
        let is_near = is_near(x, fences.median[feature], fences.mad[feature]);
        let run = &mut self.near_runs[feature];
        *run = next_run(x, self.last[feature], *run, is_near);
        self.last[feature] = x;
    }
}

/// A row whose values are all inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsideRow {
    /// Every run is shorter than the next value could need for a new start.
    Usual,
    /// One more value near the median makes a feature start anew.
    EndsRun,
}

operations! {
    /// Comparison of rows with the bounds of their features. Every value is compared alone, so all SIMD
    /// levels are bit-identical.
    pub(crate) trait FenceOps<T: Real> {
        /// Counts the values of a row, as [`InsideValues::count`] does. If a value lies outside or is NaN,
        /// nothing changes and the result is None.
        fn count_inside(s: P, fences: &Fences, inside: &mut InsideValues, x: &[T]) -> Option<InsideRow> {
            let fences = fences.slices(x.len());
            if !all_inside(&fences, x) {
                return None;
            }
            let (last, runs) = (&mut inside.last[..x.len()], &mut inside.near_runs[..x.len()]);
            let mut ends_run = false;
            for j in 0..x.len() {
                let value = x[j].to_f64();
                let is_near = is_near(value, fences.median[j], fences.mad[j]);
                runs[j] = next_run(value, last[j], runs[j], is_near);
                last[j] = value;
                ends_run |= runs[j] >= f64::from(RUN_ROWS) - 1.0;
            }
            Some(if ends_run { InsideRow::EndsRun } else { InsideRow::Usual })
        }
    }
}

/// Slices of equal length, so that indices need no checks.
struct Slices<'a> {
    low: &'a [f64],
    high: &'a [f64],
    median: &'a [f64],
    mad: &'a [f64],
}

impl Fences {
    #[inline(always)]
    fn slices(&self, features: usize) -> Slices<'_> {
        let Self { low, high, median, mad } = self;
        let [low, high, median, mad] = [low, high, median, mad].map(|numbers| &numbers[..features]);
        Slices { low, high, median, mad }
    }
}

#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "a branch per value would prevent vectorisation")]
fn all_inside<T: Real>(fences: &Slices<'_>, x: &[T]) -> bool {
    let mut all = true;
    for (j, value) in x.iter().enumerate() {
        let value = value.to_f64();
        all &= (fences.low[j] <= value) & (value <= fences.high[j]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Ops, all_levels};
    use crate::rng::Rng;

    fn levels_agree<T: Real>() {
        let mut rng = Rng::new(5);
        for d in [1, 3, 8, 17, 33] {
            let spread = |rng: &mut Rng| (0..d).map(|j| rng.normal().abs() * (j % 4) as f64).collect();
            let fences = Fences::of(spread(&mut rng), spread(&mut rng));
            let mut expected = InsideValues::new(d);
            let levels = all_levels().into_iter();
            let mut found: Vec<_> = levels.map(|level| (level, expected.clone())).collect();
            for i in 0..400 {
                let width = if i % 7 == 0 { 40.0 } else { 0.01 };
                let x: Vec<T> = (0..d)
                    .map(|j| {
                        let value = fences.median[j] + width * fences.mad[j] * rng.normal();
                        T::from_f64(if i % 50 == 49 { f64::NAN } else { value })
                    })
                    .collect();
                let is_inside = x.iter().enumerate().all(|(j, x)| fences.contains(j, x.to_f64()));
                if is_inside {
                    x.iter().enumerate().for_each(|(j, x)| expected.count(j, x.to_f64(), &fences));
                }
                let ends_run = expected.near_runs.iter().any(|run| *run >= f64::from(RUN_ROWS) - 1.0);
                let row = if ends_run { InsideRow::EndsRun } else { InsideRow::Usual };
                for (level, inside) in &mut found {
                    let ops: Ops<T> = Ops::at(*level);
                    assert_eq!(ops.count_inside(&fences, inside, &x), is_inside.then_some(row));
                    assert_eq!(*inside, expected);
                }
            }
        }
    }

    #[test]
    fn all_levels_compare_alike() {
        levels_agree::<f32>();
        levels_agree::<f64>();
    }
}
