//! The statistics of regression targets.

use crate::constants::{FAR, FEW_ROWS, RUN_ROWS};
use crate::count::saturating_inc;
use crate::error::{Result, check_model};
use crate::persist::{Persist, Tensors};

/// The statistics start anew at the end of a block of this number of targets, not all equal, whose range is less than
/// this share of the mean absolute deviation.
const BLOCK: u64 = 256;
const NARROW: f64 = 0.1;

const NO_RANGE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

/// Mean, deviations and range of the targets so far, without outliers (Welford's algorithm).
///
/// An outlier is more than 30 mean absolute deviations from the mean of at least 32 targets. 64 successive
/// outliers, or many successive targets that are almost equal, are targets of another level or unit: the
/// statistics start anew. If outliers have done that, both levels belong to the stream, and a narrow block
/// changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Targets {
    /// The number of targets.
    pub(super) n: u64,
    pub(super) mean: f64,
    /// The sum of squared deviations from the mean.
    pub(super) m2: f64,
    /// The sum of absolute deviations, each from the mean so far.
    absolute: f64,
    /// The smallest and the largest target; infinite before the first.
    pub(super) range: [f64; 2],
    /// The number of outliers since the last other target.
    outlier_run: u64,
    /// Whether the statistics have started anew because of outliers.
    has_levels: bool,
    /// The number of targets in the present block, and their range.
    block: u64,
    block_range: [f64; 2],
}

impl Default for Targets {
    fn default() -> Self {
        Self {
            n: 0,
            mean: 0.0,
            m2: 0.0,
            absolute: 0.0,
            range: NO_RANGE,
            outlier_run: 0,
            has_levels: false,
            block: 0,
            block_range: NO_RANGE,
        }
    }
}

impl Targets {
    /// The standard deviation; 0 before the second target.
    pub(super) fn std(&self) -> f64 {
        (self.m2 / self.n.max(1) as f64).max(0.0).sqrt()
    }

    /// The mean absolute deviation.
    pub(super) fn mean_deviation(&self) -> f64 {
        self.absolute / self.n.max(1) as f64
    }

    /// Adds a target, unless it is an outlier. Returns whether the statistics start anew with it.
    pub(super) fn observe(&mut self, y: f64) -> bool {
        let mean_deviation = self.mean_deviation();
        let is_outlier = self.n >= FEW_ROWS && (y - self.mean).abs() > FAR * mean_deviation;
        self.outlier_run = if is_outlier { self.outlier_run + 1 } else { 0 };
        let (has_levels, ends_narrow_block) =
            (self.outlier_run >= u64::from(RUN_ROWS), self.ends_narrow_block(y, NARROW * mean_deviation));
        let restarts = has_levels || ends_narrow_block && !self.has_levels;
        if restarts {
            let Self { has_levels: had_levels, block, block_range, .. } = *self;
            *self = Self { has_levels: had_levels || has_levels, block, block_range, ..Self::default() };
        } else if is_outlier {
            return false;
        }
        saturating_inc(&mut self.n);
        let difference = y - self.mean;
        let step = difference / self.n as f64;
        self.mean += step;
        self.m2 += difference * (difference - step);
        self.absolute += (difference - step).abs();
        self.range = [self.range[0].min(y), self.range[1].max(y)];
        restarts
    }

    /// Adds a target to its block. Returns whether the block ends and its targets differ, but by less than `width`.
    fn ends_narrow_block(&mut self, y: f64, width: f64) -> bool {
        self.block_range = [self.block_range[0].min(y), self.block_range[1].max(y)];
        self.block += 1;
        if self.block < BLOCK {
            return false;
        }
        let [min, max] = std::mem::replace(&mut self.block_range, NO_RANGE);
        self.block = 0;
        min < max && max - min < width
    }

    /// Replaces the moments by the moments of a mixture of the parts' targets, by shares that are not all 0,
    /// and the range by the range of all. The number of targets does not change.
    pub(super) fn pool<'a>(&mut self, parts: impl Iterator<Item = (&'a Self, f64)> + Clone) {
        let sum =
            |of: &dyn Fn(&Self) -> f64| parts.clone().map(|(part, share)| share * of(part)).sum::<f64>();
        let shares = sum(&|_| 1.0);
        let mean = sum(&|part| part.mean) / shares;
        let n = self.n as f64;
        self.m2 = n * sum(&|part| part.m2 / part.n as f64 + (part.mean - mean).powi(2)) / shares;
        // Exact for equal means, and for means that are far apart.
        self.absolute = n * sum(&|part| part.mean_deviation().hypot(part.mean - mean)) / shares;
        self.mean = mean;
        for (part, _) in parts {
            self.range = [self.range[0].min(part.range[0]), self.range[1].max(part.range[1])];
        }
    }
}

impl Persist for Targets {
    fn save(&self, out: &mut Tensors) {
        out.set("rows", self.n);
        out.set("mean", self.mean);
        out.set("m2", self.m2);
        out.set("absolute", self.absolute);
        out.set("outlier_run", self.outlier_run);
        out.set("block", self.block);
        if self.has_levels {
            out.set("has_levels", true);
        }
        if self.n > 0 {
            out.put("range", &[2], self.range);
        }
        if self.block > 0 {
            out.put("block_range", &[2], self.block_range);
        }
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        self.n = from.count("rows")?;
        (self.mean, self.m2) = (from.finite("mean")?, from.finite("m2")?);
        self.absolute = from.finite("absolute")?;
        (self.outlier_run, self.block) = (from.count("outlier_run")?, from.count("block")?);
        self.has_levels = from.contains("has_levels") && from.bool("has_levels")?;
        let range = |name, n| -> Result<[f64; 2]> {
            let mut range = NO_RANGE;
            if n > 0 {
                range.copy_from_slice(&from.get::<f64>(name, &[2])?);
            }
            Ok(range)
        };
        (self.range, self.block_range) = (range("range", self.n)?, range("block_range", self.block)?);
        let is_range = |[min, max]: [f64; 2]| min.is_finite() && max.is_finite() && min <= max;
        let has_ranges =
            (self.n == 0 || is_range(self.range)) && (self.block == 0 || is_range(self.block_range));
        let are_counts = self.outlier_run < u64::from(RUN_ROWS) && self.block < BLOCK;
        check_model(
            has_ranges && are_counts && self.m2 >= 0.0 && self.absolute >= 0.0,
            "the statistics of the targets are invalid",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(size: f64) -> impl Iterator<Item = f64> {
        (0..).map(move |i| if i % 2 == 0 { size } else { -size })
    }

    /// The targets with which the statistics start anew.
    fn restarts(targets: &mut Targets, numbers: impl Iterator<Item = f64>) -> Vec<usize> {
        let anew = numbers.map(|y| targets.observe(y)).collect::<Vec<_>>();
        anew.iter().enumerate().filter(|(_, anew)| **anew).map(|(i, _)| i).collect()
    }

    #[test]
    fn outliers_do_not_count_and_another_level_or_unit_starts_anew() {
        let mut targets = Targets::default();
        assert!(restarts(&mut targets, square(1.0).take(1000)).is_empty());
        // The mean absolute deviation is 1; 63 outliers change nothing.
        assert!(restarts(&mut targets, square(1e6).take(63).chain([0.0])).is_empty());
        assert_eq!((targets.n, targets.range), (1001, [-1.0, 1.0]));
        // Another unit: the block in progress ends with target 215, then comes a block of 256 small targets.
        assert_eq!(restarts(&mut targets, square(1e-3).take(600)), [215 + 256]);
        assert!(targets.range == [-1e-3, 1e-3] && targets.std() < 1.1e-3);
        // Back to the old level, after which small targets no longer start anew.
        assert_eq!(restarts(&mut targets, square(1.0).take(64)), [63]);
        assert!(restarts(&mut targets, square(1.0).take(300).chain(square(1e-3).take(600))).is_empty());
        let mut constant = Targets::default();
        assert!(
            restarts(&mut constant, square(1.0).take(300).chain(std::iter::repeat_n(0.0, 600))).is_empty()
        );
    }

    #[test]
    fn pooled_moments_are_the_moments_of_all_targets() {
        let of = |numbers: &[f64]| {
            let mut targets = Targets::default();
            assert!(restarts(&mut targets, numbers.iter().copied()).is_empty());
            targets
        };
        let (a, b, all) = (of(&[1.0, 3.0]), of(&[101.0, 103.0]), of(&[1.0, 3.0, 101.0, 103.0]));
        let mut pooled = a.clone();
        pooled.pool([(&a, 0.5), (&b, 0.5)].into_iter());
        assert_eq!((pooled.mean, pooled.range, pooled.n), (52.0, [1.0, 103.0], 2));
        assert!((pooled.std() - all.std()).abs() < 1e-12 && all.range == pooled.range);
        let mut alone = a.clone();
        alone.pool([(&a, 1.0), (&b, 0.0)].into_iter());
        assert_eq!((alone.mean, alone.m2), (a.mean, a.m2));
    }
}
