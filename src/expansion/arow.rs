//! Second-order steps of the linear term: AROW (Crammer, Kulesza and Dredze 2009).

use super::{LinearInput, Rescaling};
use crate::batch::Row;
use crate::constants::MAX_PAIRED_FEATURES;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::persist::Tensors;

/// Entries of the covariance below this share of their start value are rounding error.
const NOISE_RTOL: f64 = 1e-12;

/// The largest variance, in units of its start value: a change of the standardisation may increase variances.
const MAX_GROWTH: f64 = 1e6;

/// AROW's r: a larger value makes the covariance shrink more slowly.
const R: f64 = 30.0;

/// The covariance S: full over the first features and the constant, diagonal over the remaining features. A model that
/// starts with at most 64 features has a full covariance of its first 64 features, even if some appear later.
#[derive(Debug, Clone)]
pub(crate) struct Arow<T: Real> {
    /// The start value of each variance.
    variance: f64,
    /// The number of features with a full covariance.
    full: usize,
    /// The full part, row by row; the last row and column belong to the constant.
    covariance: Vec<f64>,
    /// The variances of the remaining features.
    diagonal: Vec<f64>,
    /// The variances of the excess of each feature, which is uncorrelated with all other inputs; optional.
    excess: Option<Vec<f64>>,
    /// The features of the excess of the last row, and `S x` of their excess.
    excess_features: Vec<u32>,
    excess_direction: Vec<T>,
    /// `S (x, 1)` of the last row: the features of the full part, the constant, and the remaining features.
    s_x: Vec<f64>,
    /// The last row, and then the direction of the step.
    direction: Vec<T>,
    squared_norm: f64,
}

impl<T: Real> Arow<T> {
    pub(super) fn new(variance: f64, features: usize, has_excess: bool) -> Self {
        let full = if features <= MAX_PAIRED_FEATURES { features } else { 0 };
        Self::with_full(variance, full, features, has_excess)
    }

    pub(super) fn has_excess(&self) -> bool {
        self.excess.is_some()
    }

    fn with_full(variance: f64, full: usize, features: usize, has_excess: bool) -> Self {
        let mut new = Self {
            variance,
            full,
            covariance: vec![0.0; (full + 1) * (full + 1)],
            diagonal: vec![variance; features - full],
            excess: has_excess.then(|| vec![variance; features]),
            excess_features: Vec::new(),
            excess_direction: Vec::new(),
            s_x: vec![0.0; features + 1],
            direction: vec![T::ZERO; features],
            squared_norm: 0.0,
        };
        new.covariance.iter_mut().step_by(full + 2).for_each(|s| *s = variance);
        new
    }

    /// The start value of each variance.
    pub(super) fn variance(&self) -> f64 {
        self.variance
    }

    /// `(x, 1)' S (x, 1)`
    #[inline(always)]
    pub(super) fn squared_norm(&mut self, x: LinearInput<'_, T>) -> f64 {
        x.clipped.scatter(&mut self.direction);
        let excess_sum = self.observe_excess(x);
        let (head, tail) = self.direction.split_at(self.full);
        let (s_head, s_tail) = self.s_x.split_at_mut(self.full + 1);
        // The matrix is symmetric, so its rows are its columns: sums of columns have no chain of dependent additions.
        s_head.fill(0.0);
        for (column, x) in self.covariance.chunks_exact(self.full + 1).zip(head.iter().chain([&T::ONE])) {
            if *x != T::ZERO {
                s_head.iter_mut().zip(column).for_each(|(s_i, s)| *s_i += s * x.to_f64());
            }
        }
        for ((s_i, s), x) in s_tail.iter_mut().zip(&self.diagonal).zip(tail) {
            *s_i = s * x.to_f64();
        }
        let head_sum: f64 = s_head.iter().zip(head).map(|(s_i, x)| s_i * x.to_f64()).sum();
        let tail_sum: f64 = s_tail.iter().zip(tail).map(|(s_i, x)| s_i * x.to_f64()).sum();
        self.squared_norm = (head_sum + s_head[self.full] + tail_sum).max(0.0);
        self.reject_noise();
        self.squared_norm += excess_sum;
        self.squared_norm
    }

    /// `x' S x` of the excess of a row.
    #[inline(always)]
    fn observe_excess(&mut self, x: LinearInput<'_, T>) -> f64 {
        self.excess_features.clear();
        self.excess_direction.clear();
        let Some(variances) = &self.excess else { return 0.0 };
        let mut sum = 0.0;
        for (&j, &x) in x.excess_features.iter().zip(x.excess) {
            let direction = T::from_f64(variances[j as usize] * x.to_f64());
            self.excess_features.push(j);
            self.excess_direction.push(direction);
            sum += direction.to_f64() * x.to_f64();
        }
        sum
    }

    /// Rejects rows along which rounding has made S indefinite: `(S x)_i^2 <= s_ii x'Sx` holds for every positive
    /// semidefinite matrix. A rejected row has the norm zero and makes no step.
    #[inline(always)]
    #[expect(clippy::needless_bitwise_bool, reason = "a branch per value would prevent vectorisation")]
    fn reject_noise(&mut self) {
        let max_sq_norm = self.squared_norm * (1.0 + NOISE_RTOL.sqrt());
        let noise = NOISE_RTOL * self.variance;
        let variances = self.covariance.iter().step_by(self.full + 2).chain(&self.diagonal);
        let holds =
            variances.zip(&self.s_x).fold(true, |holds, (s, a)| holds & (a * a <= (s + noise) * max_sq_norm));
        if !holds {
            self.s_x.fill(0.0);
            self.squared_norm = 0.0;
        }
    }

    /// Shrinks the covariance along the last row; returns the step along `S (x, 1)`: factor, constant and direction.
    #[inline(always)]
    pub(super) fn learn_direction(&mut self) -> (f64, f64, LinearInput<'_, T>) {
        let shrink = 1.0 / (R + self.squared_norm);
        let (s_head, s_tail) = self.s_x.split_at(self.full + 1);
        for (row, a) in self.covariance.chunks_exact_mut(self.full + 1).zip(s_head) {
            row.iter_mut().zip(s_head).for_each(|(s, b)| *s -= a * b * shrink);
        }
        self.covariance.iter_mut().step_by(self.full + 2).for_each(|s| *s = s.max(0.0));
        self.diagonal.iter_mut().zip(s_tail).for_each(|(s, a)| *s = (*s - a * a * shrink).max(0.0));
        for (j, a) in self.excess_features.iter().zip(&self.excess_direction) {
            if let Some(s) = self.excess.iter_mut().flatten().nth(*j as usize) {
                *s = (*s - a.to_f64() * a.to_f64() * shrink).max(0.0);
            }
        }
        let features = s_head[..self.full].iter().chain(s_tail);
        self.direction.iter_mut().zip(features).for_each(|(to, s_i)| *to = T::from_f64(*s_i));
        let clipped = Row::Dense(&self.direction[..]);
        let direction =
            LinearInput { clipped, excess_features: &self.excess_features, excess: &self.excess_direction };
        (1.0, s_head[self.full], direction)
    }

    /// Converts S at a change of the standardisation: with `x = x' / ratio + shift`, the weights of `(x', 1)` have the
    /// covariance `T S T'`, where T divides the weight of the feature by `ratio` and adds `shift` times the weight to
    /// the constant. The full part starts anew if one of its entries becomes too large. The diagonal part has no
    /// covariance with the constant, so that the shift has no effect there.
    pub(super) fn rescale(&mut self, Rescaling { feature, shift, ratio }: Rescaling) {
        let (n, constant, max) = (self.full + 1, self.full, MAX_GROWTH * self.variance);
        if let Some(excess) = self.excess.as_mut().map(|excess| &mut excess[feature]) {
            *excess = (*excess / (ratio * ratio)).min(max);
        }
        if let Some(tail) = feature.checked_sub(self.full) {
            self.diagonal[tail] = (self.diagonal[tail] / (ratio * ratio)).min(max);
            return;
        }
        // Rows, then columns.
        for (line, entry) in [(n, 1), (1, n)] {
            for k in 0..n {
                let s = self.covariance[feature * line + k * entry];
                self.covariance[constant * line + k * entry] += shift * s;
                self.covariance[feature * line + k * entry] = s / ratio;
            }
        }
        if self.covariance.iter().any(|s| s.abs() > max) {
            self.covariance.fill(0.0);
            self.covariance.iter_mut().step_by(n + 1).for_each(|s| *s = self.variance);
        }
    }

    /// Appends features, with a full covariance while there are at most 64.
    pub(super) fn add_features(&mut self, features: usize) {
        let before = self.direction.len();
        let full = if self.full == before { features.min(MAX_PAIRED_FEATURES) } else { self.full };
        let mut wider = Self::with_full(self.variance, full, features, self.has_excess());
        // The row and column of the constant move to the end.
        let index = |i: usize| if i == self.full { full } else { i };
        for (i, row) in self.covariance.chunks_exact(self.full + 1).enumerate() {
            for (j, s) in row.iter().enumerate() {
                wider.covariance[index(i) * (full + 1) + index(j)] = *s;
            }
        }
        wider.diagonal[..self.diagonal.len()].copy_from_slice(&self.diagonal);
        if let (Some(wider), Some(excess)) = (&mut wider.excess, &self.excess) {
            wider[..excess.len()].copy_from_slice(excess);
        }
        *self = wider;
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        out.put("matrix", &[self.covariance.len()], self.covariance.iter().copied());
        out.put("rest", &[self.diagonal.len()], self.diagonal.iter().copied());
        if let Some(excess) = &self.excess {
            out.put("excess", &[excess.len()], excess.iter().copied());
        }
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        let features = self.direction.len();
        let [entries]: [usize; 1] = from.shape("matrix")?;
        // A model that had many features from the start has no full part.
        let full = if entries == 1 && features > MAX_PAIRED_FEATURES {
            0
        } else {
            features.min(MAX_PAIRED_FEATURES)
        };
        *self = Self::with_full(self.variance, full, features, self.has_excess());
        self.covariance = from.get("matrix", &[(full + 1) * (full + 1)])?;
        self.diagonal = from.get("rest", &[features - full])?;
        if let Some(excess) = &mut self.excess {
            *excess = from.get("excess", &[features])?;
        }
        let max = self.variance * MAX_GROWTH * (1.0 + 1e-9);
        let excess = self.excess.iter().flatten();
        let mut variances = self.covariance.iter().step_by(full + 2).chain(&self.diagonal).chain(excess);
        if variances.all(|s| (0.0..=max).contains(s)) && self.covariance.iter().all(|s| s.abs() <= max) {
            Ok(())
        } else {
            Err(Error::Model("the covariance of the linear term is out of range".into()))
        }
    }
}
