//! The treatment of a row feature by feature: unusual values, new bounds, new starts.

use super::RunningScaler;
use super::history::History;
use super::pending::WARMUP_ROWS;
use super::samples::SAMPLE_VALUES;
use super::spread::Spread;
use crate::constants::RUN_ROWS;
use crate::float::Real;
use crate::ops::moments::{self, MomentWeights};

impl<T: Real> RunningScaler<T> {
    /// Updates the statistics with row `t`, each feature with its own count of rows.
    pub(super) fn observe_by_feature(&mut self, x: &[T], repeated: bool) {
        for (j, x) in x.iter().enumerate() {
            if x.is_nan() {
                self.histories[j].skip_row();
            } else {
                self.observe_value(j, *x, repeated);
            }
        }
        self.next_row_by_feature = self.find_next_row_by_feature();
    }

    fn observe_value(&mut self, j: usize, x: T, repeated: bool) {
        let (t, value) = (self.t, x.to_f64());
        let mut is_inside = self.fences.contains(j, value);
        let mut repeats = false;
        if is_inside {
            self.histories[j].outside_run = 0;
            self.inside.count(j, value, &self.fences);
        } else {
            repeats = self.histories[j].count_outside(value, repeated);
        }
        if self.histories[j].outside_run >= RUN_ROWS || self.inside.near_runs[j] >= f64::from(RUN_ROWS) {
            self.restart(j, t - 1);
            self.inside.last[j] = value;
            (is_inside, repeats) = (true, false);
        }
        let history = &mut self.histories[j];
        if repeats {
            history.skip_sample();
        } else {
            history.sample(t, (j, x), &mut self.samples);
        }
        let rows = history.rows(t);
        if is_inside {
            self.observe_inside(j, value, rows);
        }
        if History::sets_bounds(rows) {
            self.set_bounds(j);
        }
    }

    /// Adds the value in the feature's row `rows` to the statistics.
    fn observe_inside(&mut self, j: usize, x: f64, rows: u64) {
        let (mean, m2) = (&mut self.mean[j], &mut self.m2[j]);
        if rows <= WARMUP_ROWS {
            let difference = moments::difference(x, *mean);
            let sums = (difference, difference * difference);
            MomentWeights::after(&mut self.counts[j], *m2, 1, sums, self.max_rows).observe(
                x,
                mean,
                m2,
                &mut self.inv_std[j],
            );
        } else {
            self.pending.add(j, moments::bounded_difference(x, *mean, *m2));
        }
    }

    /// Computes the bounds of a feature from its sample.
    fn set_bounds(&mut self, j: usize) {
        match self.samples.spread(j, self.histories[j].sample_len()) {
            Spread::Constant => {}
            Spread::Unknown => self.fences.set(j, 0.0, 0.0),
            Spread::Known { median, mad } => {
                self.fences.set(j, median, mad);
                let deviation = (self.m2[j] / self.counts[j].max(1) as f64).sqrt();
                let is_usual =
                    self.fences.contains(j, self.mean[j]) && deviation <= self.fences.half_width(j);
                if self.counts[j] > 0 && !is_usual {
                    self.replace_statistics(j);
                }
            }
        }
    }

    /// Replaces statistics that do not fit the bounds by the statistics of the sampled values inside.
    #[cold]
    fn replace_statistics(&mut self, j: usize) {
        let mut buffer = [0.0; SAMPLE_VALUES];
        let sorted = &*self.samples.sorted(j, self.histories[j].sample_len(), &mut buffer);
        let inside = || sorted.iter().copied().filter(|x| self.fences.contains(j, *x));
        let n = inside().count() as f64;
        let mean = inside().map(|x| x / n).sum::<f64>();
        let m2 = inside().map(|x| moments::difference(x, mean).powi(2)).sum::<f64>();
        self.pending.clear(j);
        (self.counts[j], self.mean[j], self.m2[j]) = (0, mean, 0.0);
        MomentWeights::of_next(&mut self.counts[j], n as u64, self.max_rows).observe_sums(
            (0.0, m2),
            &mut self.mean[j],
            &mut self.m2[j],
            &mut self.inv_std[j],
        );
    }

    /// Starts a feature anew; its first row comes after the row `t`.
    #[cold]
    fn restart(&mut self, j: usize, t: u64) {
        self.n_restarts += 1;
        self.counts[j] = 0;
        (self.mean[j], self.m2[j], self.inv_std[j]) = (0.0, 0.0, 1.0);
        self.pending.clear(j);
        self.fences.set(j, 0.0, 0.0);
        (self.inside.last[j], self.inside.near_runs[j]) = (0.0, 0.0);
        self.histories[j] = History::starting_after(t);
        self.samples.clear(j);
    }

    /// The next row that is treated by feature even if all its values are inside.
    pub(super) fn find_next_row_by_feature(&self) -> u64 {
        let next_row = self.t + 1;
        let runs = self.inside.near_runs.iter();
        let next = self.histories.iter().zip(runs).map(|(history, run)| {
            let is_usual = history.rows(self.t) >= WARMUP_ROWS
                && history.outside_run == 0
                && *run < f64::from(RUN_ROWS) - 1.0;
            if is_usual { history.next_event(self.t) } else { next_row }
        });
        next.min().unwrap_or(next_row)
    }
}
