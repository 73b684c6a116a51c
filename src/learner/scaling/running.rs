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
/// than the memory says. Support vectors stay as they were scaled when
/// they came: a model that followed every change of a deviation would be thrown about by the first rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Running {
    /// The rows that count: all, or as many as `memory` says.
    rows: u64,
    memory: Option<u64>,
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

impl Running {
    /// Before the first row.
    pub(crate) fn new(features: usize, memory: Option<u64>) -> Self {
        let zeros = || vec![0.0; features];
        Self { rows: 0, memory, mean: zeros(), squares: zeros(), inverse: vec![1.0; features] }
    }

    /// Takes a row into account.
    pub(super) fn observe<T: Real>(&mut self, x: Row<'_, T>, buffer: &mut Vec<T>) {
        let count = (self.rows + 1) as f64;
        self.rows = self.memory.map_or(self.rows + 1, |memory| memory.min(self.rows + 1));
        let (each, share, kept) = (1.0 / self.rows as f64, 1.0 / count, self.rows as f64 / count);
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        let statistics = self.mean.iter_mut().zip(&mut self.squares).zip(&mut self.inverse);
        for (x, ((mean, squares), inverse_deviation)) in buffer.iter().zip(statistics) {
            let x = x.to_f64();
            let from_old = (x - *mean).clamp(-FARTHEST, FARTHEST);
            *mean += from_old * share;
            let from_new = (x - *mean).clamp(-FARTHEST, FARTHEST);
            *squares = (*squares + from_old * from_new) * kept;
            *inverse_deviation = inverse(*mean, *squares * each);
        }
    }

    /// The scaled row, in `buffer`.
    pub(super) fn apply<'a, T: Real>(&self, x: Row<'_, T>, buffer: &'a mut Vec<T>) -> Row<'a, T> {
        buffer.resize(self.mean.len(), T::ZERO);
        x.scatter(buffer);
        for ((x, mean), inverse) in buffer.iter_mut().zip(&self.mean).zip(&self.inverse) {
            *x = T::from_f64(((x.to_f64() - mean) * inverse).clamp(-CLIP, CLIP));
        }
        Row::Dense(buffer)
    }

    /// Whether a row's numbers are finite, so that they are clipped, and clipped ones have squares of `square` at most.
    pub(super) fn within<T: Real>(x: Row<'_, T>, square: T) -> bool {
        CLIP * CLIP <= square.to_f64() && x.values().iter().all(|x| x.is_finite())
    }

    pub(super) fn widen(&mut self, features: usize) {
        self.mean.resize(features, 0.0);
        self.squares.resize(features, 0.0);
        self.inverse.resize(features, 1.0);
    }

    pub(crate) fn save(&self, out: &mut Tensors) {
        out.set("rows", self.rows);
        for (name, numbers) in [("mean", &self.mean), ("squares", &self.squares)] {
            out.put(name, &[numbers.len()], numbers.iter().copied());
        }
    }

    /// Reads it, after `seen` rows.
    pub(crate) fn load(from: &Tensors, features: usize, seen: u64, memory: Option<u64>) -> Result<Self> {
        let (mean, squares) = (from.get("mean", &[features])?, from.get("squares", &[features])?);
        let rows = from.u64("rows")?;
        let mut running = Self { rows, memory, mean, squares, inverse: vec![1.0; features] };
        let legal = rows == memory.map_or(seen, |memory| seen.min(memory))
            && running.mean.iter().all(|mean: &f64| mean.is_finite())
            && running.squares.iter().all(|squares: &f64| squares.is_finite() && *squares >= 0.0);
        if !legal {
            return Err(Error::Model("the scaling does not fit the rows that were seen".into()));
        }
        if rows > 0 {
            let statistics = running.mean.iter().zip(&running.squares);
            for (inverse_deviation, (mean, squares)) in running.inverse.iter_mut().zip(statistics) {
                *inverse_deviation = inverse(*mean, squares * (1.0 / rows as f64));
            }
        }
        Ok(running)
    }
}
