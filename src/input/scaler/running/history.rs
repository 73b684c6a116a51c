//! The recent values of one feature: a sample, the run of values outside its bounds, and a vote on a repeated
//! value, which is reported.

use super::samples::{SAMPLE_VALUES, Samples};
use crate::float::Real;

/// The maximum number of rows from one sampled value to the next.
pub(super) const MAX_STEP: u64 = 64;

pub(super) const MAX_VOTES: u32 = 100;

/// Majority vote on the values outside the bounds (Boyer and Moore).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Vote {
    pub(super) value: f64,
    pub(super) votes: u32,
}

impl Vote {
    fn count(&mut self, x: f64) {
        if self.votes == 0 {
            *self = Self { value: x, votes: 1 };
        } else if x == self.value {
            self.votes = (self.votes + 1).min(MAX_VOTES);
        } else {
            self.votes -= 1;
        }
    }
}

/// The state of one feature except its moments and bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct History {
    /// The number of the model's rows without a row of this feature: rows before its start, and missing values.
    pub(super) other_rows: u64,
    /// The number of values sampled; the sample keeps the last 32.
    pub(super) samples: u64,
    /// The row of the next sampled value.
    pub(super) next_sample: u64,
    /// The number of successive values outside the bounds, without repetitions.
    pub(super) outside_run: u32,
    /// NaN before the first.
    pub(super) last_outside: f64,
    pub(super) vote: Vote,
}

impl History {
    /// The history of a feature whose first row comes after the row `t`.
    pub(super) fn starting_after(t: u64) -> Self {
        Self {
            other_rows: t,
            samples: 0,
            next_sample: t + 1,
            outside_run: 0,
            last_outside: f64::NAN,
            vote: Vote::default(),
        }
    }

    /// The history of a feature that was zero in the rows up to `t`.
    pub(super) fn of_zeros(t: u64) -> Self {
        let mut history = Self::starting_after(0);
        while history.next_sample <= t {
            // The step stays at its maximum, so the remaining samples need no loop.
            let step = history.step();
            let samples = if step == MAX_STEP { (t - history.next_sample) / step + 1 } else { 1 };
            history.samples += samples;
            history.next_sample += samples * step;
        }
        history
    }

    /// The number of rows of the feature, up to the row `t`.
    pub(super) fn rows(&self, t: u64) -> u64 {
        t - self.other_rows
    }

    /// Rows from one sampled value to the next: doubled after every 32 samples.
    fn step(&self) -> u64 {
        1 << (self.samples / SAMPLE_VALUES as u64).min(u64::from(MAX_STEP.trailing_zeros()))
    }

    /// Ignores a missing value.
    pub(super) fn skip_row(&mut self) {
        self.other_rows += 1;
        self.next_sample += 1;
    }

    /// Counts a value outside the bounds. Returns whether it repeats the last value outside. A row that was
    /// learned before (`repeated`) does not vote: in several passes every value repeats.
    pub(super) fn count_outside(&mut self, x: f64, repeated: bool) -> bool {
        if !repeated {
            self.vote.count(x);
        }
        let repeats = x == self.last_outside;
        self.outside_run += u32::from(!repeats);
        self.last_outside = x;
        repeats
    }

    /// Puts the value of row `t` into the sample, if it is due.
    pub(super) fn sample<T: Real>(&mut self, t: u64, (feature, x): (usize, T), samples: &mut Samples<T>) {
        if self.next_sample == t {
            samples.put(feature, self.samples, x);
            self.next_sample += self.step();
            self.samples += 1;
        }
    }

    /// Leaves the value of a row out of the sample.
    pub(super) fn skip_sample(&mut self) {
        self.next_sample += 1;
    }

    /// The number of values in the sample.
    pub(super) fn sample_len(&self) -> usize {
        self.samples.min(SAMPLE_VALUES as u64) as usize
    }

    /// Whether the bounds are computed at the feature's row `rows`: at 16, 32 and each multiple of 64.
    pub(super) fn sets_bounds(rows: u64) -> bool {
        rows == 16 || rows == 32 || rows.is_multiple_of(64)
    }

    /// The next row after `t` at which the feature's bounds are computed or a value is sampled.
    pub(super) fn next_event(&self, t: u64) -> u64 {
        let rows = self.rows(t);
        let next = match rows {
            0..16 => 16,
            16..32 => 32,
            rows => (rows / 64 + 1) * 64,
        };
        self.next_sample.min(self.other_rows + next)
    }
}
