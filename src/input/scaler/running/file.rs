//! The statistics in a model file.

use super::RunningScaler;
use super::history::{History, MAX_STEP, MAX_VOTES, Vote};
use super::pending::pending_rows;
use super::samples::{SAMPLE_VALUES, Samples};
use crate::constants::RUN_ROWS;
use crate::count::MAX_COUNT;
use crate::error::{Error, Result, check_model};
use crate::float::Real;
use crate::ops::fences::{Fences, InsideValues};
use crate::persist::Tensors;
use std::ops::RangeInclusive;

/// Reads a tensor of one integer per feature.
fn integers(from: &Tensors, name: &str, features: usize, range: RangeInclusive<u64>) -> Result<Vec<u64>> {
    let numbers: Vec<f64> = from.get(name, &[features])?;
    let (min, max) = (*range.start() as f64, *range.end() as f64);
    if numbers.iter().all(|number| number.fract() == 0.0 && (min..=max).contains(number)) {
        Ok(numbers.iter().map(|number| *number as u64).collect())
    } else {
        Err(Error::Model(format!("the numbers {name} of the scaler must lie from {min} to {max}").into()))
    }
}

impl<T: Real> RunningScaler<T> {
    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        out.set("restarts", self.n_restarts);
        if let Some(max_rows) = self.max_rows {
            out.set("max_rows", max_rows);
        }
        out.put("counts", &[self.counts.len()], self.counts.iter().map(|count| *count as f64));
        for (name, numbers) in [("mean", &self.mean), ("m2", &self.m2), ("inv_std", &self.inv_std)] {
            out.put(name, &[numbers.len()], numbers.iter().copied());
        }
        if let Some(kept) = &self.kept {
            out.put("centre", &[kept.centre.len()], kept.centre.iter().copied());
            out.put("inverse_scale", &[kept.inv_scale.len()], kept.inv_scale.iter().copied());
        }
        self.pending.save(out);
        self.save_histories(out);
    }

    fn save_histories(&self, out: &mut Tensors) {
        let features = self.histories.len();
        let mut put = |name: &str, number: &dyn Fn(&History) -> f64| {
            out.put(name, &[features], self.histories.iter().map(number));
        };
        put("feature_rows", &|history| history.rows(self.t) as f64);
        put("sampled", &|history| history.samples as f64);
        put("wait", &|history| (history.next_sample - self.t) as f64);
        put("outside_run", &|history| f64::from(history.outside_run));
        put("last_outside", &|history| history.last_outside);
        put("votes", &|history| f64::from(history.vote.votes));
        put("vote", &|history| history.vote.value);
        let of_features = [
            ("median", self.fences.median()),
            ("mad", self.fences.mad()),
            ("last_inside", &self.inside.last),
            ("near_run", &self.inside.near_runs),
        ];
        for (name, numbers) in of_features {
            out.put(name, &[features], numbers.iter().copied());
        }
        out.put("sample", &[features, SAMPLE_VALUES], self.samples.values().iter().copied());
    }

    /// Loads statistics that were saved after `n_seen` rows; `None` for frozen statistics, whose number of rows is
    /// unknown.
    pub(crate) fn load(&mut self, from: &Tensors, n_seen: Option<u64>) -> Result<()> {
        let features = self.mean.len();
        (self.mean, self.m2) = (from.get("mean", &[features])?, from.get("m2", &[features])?);
        self.inv_std = from.get("inv_std", &[features])?;
        self.n_restarts = from.count("restarts")?;
        self.load_rows(from, n_seen)?;
        let n_seen = n_seen.unwrap_or(MAX_COUNT);
        self.counts = integers(from, "counts", features, 0..=n_seen)?;
        let is_valid = self.mean.iter().all(|mean| mean.is_finite())
            && self.m2.iter().all(|m2| m2.is_finite() && *m2 >= 0.0)
            && self.inv_std.iter().all(|inv_std| inv_std.is_finite() && *inv_std > 0.0)
            && self.load_kept_scale(from)?;
        check_model(is_valid, "the statistics of the scaler must be finite")?;
        self.pending.load(from, n_seen)?;
        self.load_histories(from)?;
        self.next_row_by_feature = self.find_next_row_by_feature();
        Ok(())
    }

    /// Loads centre and scale. Returns whether they are valid.
    fn load_kept_scale(&mut self, from: &Tensors) -> Result<bool> {
        let features = self.mean.len();
        let Some(kept) = &mut self.kept else { return Ok(true) };
        kept.centre = from.get("centre", &[features])?;
        kept.inv_scale = from.get("inverse_scale", &[features])?;
        Ok(kept.centre.iter().all(|x| x.is_finite())
            && kept.inv_scale.iter().all(|x| x.is_finite() && *x > 0.0))
    }

    fn load_rows(&mut self, from: &Tensors, n_seen: Option<u64>) -> Result<()> {
        self.rows = from.u64("rows")?;
        let max = n_seen.unwrap_or(MAX_COUNT);
        if let Some(window_rows) = self.window_rows {
            let max_rows = from.u64("max_rows")?;
            if !(window_rows..=window_rows.max(max)).contains(&max_rows) {
                return Err(Error::Model("the scaler has an invalid maximum of effective rows".into()));
            }
            self.max_rows = Some(max_rows);
        }
        self.t = n_seen.unwrap_or(0);
        let merged = max - pending_rows(self.t);
        let min = self.window_rows.map_or(merged, |window_rows| merged.min(window_rows));
        let min = if n_seen.is_some() { min } else { 0 };
        if (min..=merged).contains(&self.rows) {
            return Ok(());
        }
        Err(Error::Model("the statistics of the scaler do not fit the number of rows learned".into()))
    }

    fn load_histories(&mut self, from: &Tensors) -> Result<()> {
        let features = self.mean.len();
        let rows = integers(from, "feature_rows", features, 0..=self.t)?;
        let samples = integers(from, "sampled", features, 0..=self.t)?;
        let wait = integers(from, "wait", features, 1..=MAX_STEP)?;
        let outside_run = integers(from, "outside_run", features, 0..=u64::from(RUN_ROWS) - 1)?;
        let votes = integers(from, "votes", features, 0..=u64::from(MAX_VOTES))?;
        integers(from, "near_run", features, 0..=u64::from(RUN_ROWS) - 1)?;
        let [vote, last_outside, median, mad, last, near_runs] =
            ["vote", "last_outside", "median", "mad", "last_inside", "near_run"]
                .map(|name| from.get::<f64>(name, &[features]));
        let (vote, last_outside, median, mad) = (vote?, last_outside?, median?, mad?);
        self.inside = InsideValues { last: last?, near_runs: near_runs? };
        let sampled: Vec<T> = from.get("sample", &[features, SAMPLE_VALUES])?;
        let is_valid = vote.iter().chain(&median).chain(&mad).chain(&self.inside.last).all(|x| x.is_finite())
            && mad.iter().all(|mad| *mad >= 0.0)
            && last_outside.iter().all(|x| !x.is_infinite())
            && sampled.iter().all(|x| x.is_finite())
            && samples.iter().zip(&rows).all(|(samples, rows)| samples <= rows);
        check_model(is_valid, "the sampled values of the scaler are invalid")?;
        self.fences = Fences::of(median, mad);
        self.histories = (0..features)
            .map(|j| History {
                other_rows: self.t - rows[j],
                samples: samples[j],
                next_sample: self.t + wait[j],
                outside_run: outside_run[j] as u32,
                last_outside: last_outside[j],
                vote: Vote { value: vote[j], votes: votes[j] as u32 },
            })
            .collect();
        self.samples = Samples::of(sampled, self.histories.iter().map(History::sample_len));
        Ok(())
    }
}
