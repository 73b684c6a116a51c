//! Thresholds of prediction intervals and prediction sets: adaptive conformal inference (Gibbs and Candes 2021).

use crate::count::saturating_inc;
use crate::error::{Error, Result};
use crate::persist::Tensors;

/// The coverages whose prediction intervals and sets are tracked; others are interpolated.
pub const COVERAGES: [f64; 10] = [0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999];
const N: usize = COVERAGES.len();
/// The factor of the steps of each threshold. With 1 in a thousand rows missed, steps of the usual size would cover too
/// few rows for longer than the 12,000 rows of the test below.
const STEPS: [f64; N] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 10.0];

/// The smallest rate of a step: with 0.01 coverage returns half as fast after an abrupt drift, and intervals without
/// drift are equally wide.
const MIN_RATE: f64 = 0.02;
/// Row n has the rate `FIRST_RATE / (n + RATE_ROWS)`, as long as this is above the smallest rate.
const FIRST_RATE: f64 = 3.0;
const RATE_ROWS: f64 = 10.0;
/// The thresholds before the first row, and the unit of their steps. Scores are ratios, or logarithms of ratios.
const START: f64 = 2.0;

/// One threshold q for each tracked coverage. A row with the score s is covered if `s <= q`. Each row moves q:
/// `q += eta (1[s > q] - (1 - coverage))`, so that in the long run the share of covered rows is the coverage, whatever
/// the distribution of the scores is and however it changes. So nothing happens at an abrupt drift.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Thresholds {
    q: [f64; N],
    /// The number of rows observed.
    rows: u64,
    /// The largest threshold.
    max: f64,
}

impl Thresholds {
    /// The thresholds before the first row, which stay up to `max`.
    pub(crate) fn new(max: f64) -> Self {
        Self { q: [START; N], rows: 0, max }
    }

    /// Moves the thresholds by the score of a row that was predicted before it was learned.
    #[inline(always)]
    pub(crate) fn observe(&mut self, score: f64) {
        let rate = START * (FIRST_RATE / (self.rows as f64 + RATE_ROWS)).max(MIN_RATE);
        for ((q, coverage), step) in self.q.iter_mut().zip(COVERAGES).zip(STEPS) {
            let missed = f64::from(u8::from(score > *q));
            *q = (*q + step * rate * (missed - (1.0 - coverage))).clamp(0.0, self.max);
        }
        saturating_inc(&mut self.rows);
    }

    /// The threshold of a coverage: linear in `ln(1 - coverage)` between tracked coverages, and increasing with the
    /// coverage. Coverage 0 has the threshold 0.
    pub(crate) fn at(&self, coverage: f64) -> f64 {
        let upper = COVERAGES.iter().position(|tracked| coverage <= *tracked).unwrap_or(N - 1);
        let increasing = |n: usize| self.q[..n].iter().copied().fold(0.0, f64::max);
        let (q0, q1) = (increasing(upper), increasing(upper + 1));
        if coverage >= COVERAGES[upper] {
            return q1;
        }
        let lower = if upper == 0 { 0.0 } else { COVERAGES[upper - 1] };
        let [x, x0, x1] = [coverage, lower, COVERAGES[upper]].map(|c| (1.0 - c).ln());
        q0 + (q1 - q0) * (x - x0) / (x1 - x0)
    }

    /// Replaces the thresholds.
    pub(crate) fn set(&mut self, q: &[f64]) -> Result<()> {
        match <[f64; N]>::try_from(q) {
            Ok(q) if q.iter().all(|q| (0.0..=self.max).contains(q)) => self.q = q,
            _ => {
                let expected = format!("{N} numbers from 0 to {}", self.max);
                return Err(Error::parameter("half_widths", expected, format!("{q:?}")));
            }
        }
        Ok(())
    }

    /// The mean of thresholds, by weights that sum to 1, after the rows of `main`.
    pub(crate) fn mean<'a>(main: &Self, weighted: impl Iterator<Item = (&'a Self, f64)>) -> Self {
        let mut mean = Self { q: [0.0; N], ..main.clone() };
        for (part, weight) in weighted {
            mean.q.iter_mut().zip(part.q).for_each(|(q, other)| *q += weight * other);
        }
        mean
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        out.put("thresholds", &[N], self.q);
        out.set("threshold_rows", self.rows);
    }

    /// Restores thresholds written by [`Thresholds::save`].
    pub(crate) fn load(&mut self, from: &Tensors) -> Result<()> {
        self.q.copy_from_slice(&from.get::<f64>("thresholds", &[N])?);
        self.rows = from.count("threshold_rows")?;
        if self.q.iter().all(|q| q.is_finite() && (0.0..=self.max).contains(q)) {
            return Ok(());
        }
        Err(Error::Model("the thresholds of prediction intervals or sets are out of range".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_threshold_is_interpolated_and_increases_with_the_coverage() {
        let mut thresholds = Thresholds::new(100.0);
        thresholds.q = [0.2, 0.4, 1.0, 0.5, 2.0, 3.0, 4.0, 4.0, 9.0, 11.0];
        let at = [0.1, 0.25, 0.5, 0.55, 0.6, 0.7, 0.95, 0.99, 0.999].map(|coverage| thresholds.at(coverage));
        assert_eq!(at, [0.2, 0.4, 1.0, 1.0, 1.0, 2.0, 4.0, 9.0, 11.0]);
        // Halfway between ln 1 and ln 0.9.
        let low = thresholds.at(1.0 - 0.9_f64.sqrt());
        assert!((low - 0.1).abs() < 1e-12, "{low}");
        // Halfway between ln 0.2 and ln 0.1.
        let between = thresholds.at(1.0 - 0.02_f64.sqrt());
        assert!((between - 3.5).abs() < 1e-12, "{between}");
    }

    #[test]
    fn the_first_steps_by_hand() {
        let mut thresholds = Thresholds::new(100.0);
        thresholds.observe(f64::INFINITY); // a step of 2 * 3/10
        assert!((thresholds.at(0.9) - (2.0 + 0.6 * 0.9)).abs() < 1e-12);
        thresholds.observe(0.0); // a step of 2 * 3/11
        assert!((thresholds.at(0.9) - (2.54 - 6.0 / 11.0 * 0.1)).abs() < 1e-12);
    }

    #[test]
    fn every_coverage_is_reached_before_and_after_the_scores_change() {
        let (mut thresholds, mut rng) = (Thresholds::new(100.0), Rng::new(1));
        for unit in [1.0, 2.0, 1.0] {
            let mut covered = [0.0; N];
            for row in 0..12_000 {
                let score = -unit * rng.uniform().ln();
                if row >= 4000 {
                    let hit = |coverage| f64::from(u8::from(score <= thresholds.at(coverage)));
                    covered
                        .iter_mut()
                        .zip(COVERAGES)
                        .for_each(|(sum, coverage)| *sum += hit(coverage) / 8000.0);
                }
                thresholds.observe(score);
            }
            for (covered, coverage) in covered.into_iter().zip(COVERAGES) {
                let tolerance = if coverage == 0.999 { 0.001 } else { 0.01 };
                assert!((covered - coverage).abs() < tolerance, "{covered} of {coverage}, unit {unit}");
            }
        }
    }
}
