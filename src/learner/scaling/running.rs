//! Scaling by the mean and deviation of the rows learned so far.

use crate::error::{Error, Result};
use crate::float::Real;
use crate::persist::Tensors;
use crate::row::Row;

/// Where scaled numbers are clipped, in deviations.
const CLIP: f64 = 3.0;

/// A feature whose deviation is less than this part of its mean is constant but for rounding.
const CONSTANT: f64 = 1e-15;

/// What a number may differ from the mean by, so that squares can be added up.
const FARTHEST: f64 = 1e140;

/// `clip((x_j - mean_j) / deviation_j, +-3)`, from mean and deviation over all rows learned, the one that is about to be
/// learned included (Welford's rule); a constant feature is only shifted. Where the past is forgotten, no more rows count
/// than the memory says. Support vectors stay as they were scaled when they came: a model that followed every change of a
/// deviation would be thrown about by the first rows.
///
/// A missing value, NaN, becomes the mean, 0, and its feature's statistics stay as they are: those of the rows that have a
/// value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Running {
    /// The rows that count: all, or as many as `memory` says.
    rows: u64,
    memory: Option<u64>,
    /// Whether a value may be missing.
    missing: bool,
    /// The rows that count of each feature, once a value was missing; before that they are those of all.
    counts: Option<Vec<u64>>,
    mean: Vec<f64>,
    /// The sum of squared deviations from the mean.
    squares: Vec<f64>,
    /// One over the deviation; 1 of a constant feature. It follows from the others.
    inverse: Vec<f64>,
}

/// One over the deviation of a feature.
#[inline(always)]
fn inverse(mean: f64, variance: f64) -> f64 {
    let least = CONSTANT * CONSTANT * mean * mean;
    if variance > least && variance > f64::MIN_POSITIVE { 1.0 / variance.sqrt() } else { 1.0 }
}

/// What a row adds to the statistics of a feature.
#[derive(Clone, Copy)]
struct Share {
    /// One over the rows with this one, one over those that count from now on, and what of their squares counts.
    of_all: f64,
    of_counted: f64,
    kept: f64,
}

impl Share {
    /// That of the row after so many, which it counts, as far as memory goes.
    #[inline(always)]
    fn of_next(rows: &mut u64, memory: Option<u64>) -> Self {
        let all = *rows + 1;
        *rows = memory.map_or(all, |memory| memory.min(all));
        let (all, rows) = (all as f64, *rows as f64);
        Self { of_all: 1.0 / all, of_counted: 1.0 / rows, kept: rows / all }
    }

    #[inline(always)]
    fn take(self, x: f64, mean: &mut f64, squares: &mut f64, inverse_deviation: &mut f64) {
        let from_old = (x - *mean).clamp(-FARTHEST, FARTHEST);
        *mean += from_old * self.of_all;
        let from_new = (x - *mean).clamp(-FARTHEST, FARTHEST);
        *squares = (*squares + from_old * from_new) * self.kept;
        *inverse_deviation = inverse(*mean, *squares * self.of_counted);
    }
}

impl Running {
    /// Before the first row.
    pub(crate) fn new(features: usize, memory: Option<u64>, missing: bool) -> Self {
        let zeros = || vec![0.0; features];
        Self {
            rows: 0,
            memory,
            missing,
            counts: None,
            mean: zeros(),
            squares: zeros(),
            inverse: vec![1.0; features],
        }
    }

    /// Takes a row into account.
    pub(super) fn observe<T: Real>(&mut self, x: Row<'_, T>, buffer: &mut Vec<T>) {
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        if self.counts.is_some() || self.missing && x.values().iter().any(|x| x.is_nan()) {
            self.observe_some(buffer);
            return;
        }
        let share = Share::of_next(&mut self.rows, self.memory);
        let statistics = self.mean.iter_mut().zip(&mut self.squares).zip(&mut self.inverse);
        for (x, ((mean, squares), inverse)) in buffer.iter().zip(statistics) {
            share.take(x.to_f64(), mean, squares, inverse);
        }
    }

    /// The same, each feature by its own rows: once a value was missing.
    #[cold]
    fn observe_some<T: Real>(&mut self, x: &[T]) {
        let rows = self.rows;
        let counts = self.counts.get_or_insert_with(|| vec![rows; x.len()]);
        Share::of_next(&mut self.rows, self.memory);
        let statistics = self.mean.iter_mut().zip(&mut self.squares).zip(&mut self.inverse);
        for ((x, count), ((mean, squares), inverse)) in x.iter().zip(counts).zip(statistics) {
            if !x.is_nan() {
                Share::of_next(count, self.memory).take(x.to_f64(), mean, squares, inverse);
            }
        }
    }

    /// The scaled row, in `buffer`.
    pub(super) fn apply<'a, T: Real>(&self, x: Row<'_, T>, buffer: &'a mut Vec<T>) -> Row<'a, T> {
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        for ((x, mean), inverse) in buffer.iter_mut().zip(&self.mean).zip(&self.inverse) {
            let z = ((x.to_f64() - mean) * inverse).clamp(-CLIP, CLIP);
            *x = T::from_f64(if z.is_nan() { 0.0 } else { z });
        }
        Row::Dense(buffer)
    }

    pub(super) fn takes_missing(&self) -> bool {
        self.missing
    }

    /// Whether a row's numbers are finite or missing, so that they are clipped, and clipped ones have squares of `square`
    /// at most.
    pub(super) fn within<T: Real>(&self, x: Row<'_, T>, square: T) -> bool {
        let mut values = x.values().iter();
        let legal = if self.missing {
            values.all(|x| x.is_finite() || x.is_nan())
        } else {
            values.all(|x| x.is_finite())
        };
        legal && CLIP * CLIP <= square.to_f64()
    }

    pub(super) fn widen(&mut self, features: usize) {
        self.mean.resize(features, 0.0);
        self.squares.resize(features, 0.0);
        self.inverse.resize(features, 1.0);
        if let Some(counts) = &mut self.counts {
            counts.resize(features, self.rows);
        }
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        if let Some(counts) = &self.counts {
            out.put("counts", &[counts.len()], counts.iter().map(|count| *count as f64));
        }
        for (name, numbers) in [("mean", &self.mean), ("squares", &self.squares)] {
            out.put(name, &[numbers.len()], numbers.iter().copied());
        }
    }

    /// Reads what was saved after `seen` rows.
    pub(crate) fn load(&mut self, from: &Tensors, seen: u64) -> Result<()> {
        let features = self.mean.len();
        (self.mean, self.squares) = (from.get("mean", &[features])?, from.get("squares", &[features])?);
        self.rows = from.u64("rows")?;
        let counts: Option<Vec<f64>> =
            if from.contains("counts") { Some(from.get("counts", &[features])?) } else { None };
        let whole = |count: &f64| count.fract() == 0.0 && (0.0..=self.rows as f64).contains(count);
        let legal = self.rows == self.memory.map_or(seen, |memory| seen.min(memory))
            && counts.as_ref().is_none_or(|counts| self.missing && counts.iter().all(whole))
            && self.mean.iter().all(|mean| mean.is_finite())
            && self.squares.iter().all(|squares| squares.is_finite() && *squares >= 0.0);
        if !legal {
            return Err(Error::Model("the scaling does not fit the rows that were seen".into()));
        }
        self.counts = counts.map(|counts| counts.iter().map(|count| *count as u64).collect());
        for j in 0..features {
            let rows = self.counts.as_ref().map_or(self.rows, |counts| counts[j]);
            if rows > 0 {
                self.inverse[j] = inverse(self.mean[j], self.squares[j] * (1.0 / rows as f64));
            }
        }
        Ok(())
    }
}
