//! Second-order steps of the linear term: AROW (Crammer, Kulesza and Dredze 2009).

use crate::batch::Row;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::persist::Tensors;

/// The most features with a full covariance matrix.
const FULL_MATRIX_FEATURES: usize = 64;

/// Entries of the covariance below this share of their start value are rounding error.
const NOISE: f64 = 1e-12;

/// AROW's r: a larger value makes the covariance shrink more slowly.
const R: f64 = 30.0;

/// The covariance S: full over the first features and the constant, diagonal over the rest. A model of at most 64
/// features has a full covariance of all, even if some appear later.
#[derive(Debug, Clone)]
pub(crate) struct Arow<T: Real> {
    /// The start value of each variance.
    variance: f64,
    /// The features with a full covariance; the row and column of the constant follow theirs.
    full: usize,
    covariance: Vec<f64>,
    diagonal: Vec<f64>,
    /// `S (x, 1)` of the last row, in the same order.
    moved: Vec<f64>,
    direction: Vec<T>,
    squared_norm: f64,
}

impl<T: Real> Arow<T> {
    pub(super) fn new(variance: f64, features: usize) -> Self {
        let full = if features <= FULL_MATRIX_FEATURES { features } else { 0 };
        Self::with_full(variance, full, features)
    }

    fn with_full(variance: f64, full: usize, features: usize) -> Self {
        let mut new = Self {
            variance,
            full,
            covariance: Vec::new(),
            diagonal: vec![0.0; features - full],
            moved: vec![0.0; features + 1],
            direction: vec![T::ZERO; features],
            squared_norm: 0.0,
        };
        new.reset();
        new
    }

    /// The start value of each variance.
    pub(super) fn variance(&self) -> f64 {
        self.variance
    }

    /// Resets the covariance to its start value.
    pub(super) fn reset(&mut self) {
        let side = self.full + 1;
        self.covariance.clear();
        self.covariance.resize(side * side, 0.0);
        self.covariance.iter_mut().step_by(side + 1).for_each(|s| *s = self.variance);
        self.diagonal.fill(self.variance);
    }

    /// `(x, 1)' S (x, 1)`
    #[inline(always)]
    pub(super) fn squared_norm(&mut self, x: Row<'_, T>) -> f64 {
        x.scatter(&mut self.direction);
        let (head, tail) = self.direction.split_at(self.full);
        let (moved, moved_rest) = self.moved.split_at_mut(self.full + 1);
        for (row, moved) in self.covariance.chunks_exact(self.full + 1).zip(&mut *moved) {
            let sum: f64 = row.iter().zip(head).map(|(s, x)| s * x.to_f64()).sum();
            *moved = sum + row[self.full];
        }
        for ((moved, s), x) in moved_rest.iter_mut().zip(&self.diagonal).zip(tail) {
            *moved = s * x.to_f64();
        }
        let sum: f64 = moved.iter().zip(head).map(|(moved, x)| moved * x.to_f64()).sum();
        let rest: f64 = moved_rest.iter().zip(tail).map(|(moved, x)| moved * x.to_f64()).sum();
        self.squared_norm = (sum + moved[self.full] + rest).max(0.0);
        self.reject_noise();
        self.squared_norm
    }

    /// `(S x)_i^2 <= s_ii x'Sx` holds for a matrix without negative eigenvalues. If rounding has broken that along a
    /// very long row, the row has no norm and makes no step.
    #[inline(always)]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "a branch per number would keep vectors out of the loop"
    )]
    fn reject_noise(&mut self) {
        let most = self.squared_norm * (1.0 + NOISE.sqrt());
        let least = NOISE * self.variance;
        let variances = self.covariance.iter().step_by(self.full + 2).chain(&self.diagonal);
        let holds =
            variances.zip(&self.moved).fold(true, |holds, (s, a)| holds & (a * a <= (s + least) * most));
        if !holds {
            self.moved.fill(0.0);
            self.squared_norm = 0.0;
        }
    }

    /// Shrinks the covariance along the last row; returns the step along `S (x, 1)`: factor, constant and direction.
    #[inline(always)]
    pub(super) fn step(&mut self) -> (f64, f64, Row<'_, T>) {
        let shrink = 1.0 / (R + self.squared_norm);
        let (moved, moved_rest) = self.moved.split_at(self.full + 1);
        for (row, a) in self.covariance.chunks_exact_mut(self.full + 1).zip(moved) {
            row.iter_mut().zip(moved).for_each(|(s, b)| *s -= a * b * shrink);
        }
        self.covariance.iter_mut().step_by(self.full + 2).for_each(|s| *s = s.max(0.0));
        self.diagonal.iter_mut().zip(moved_rest).for_each(|(s, a)| *s = (*s - a * a * shrink).max(0.0));
        let steps = moved[..self.full].iter().chain(moved_rest);
        self.direction.iter_mut().zip(steps).for_each(|(to, moved)| *to = T::from_f64(*moved));
        (1.0, moved[self.full], Row::Dense(&self.direction))
    }

    /// Appends features, with a full covariance while there are at most 64.
    pub(super) fn widen(&mut self, features: usize) {
        let before = self.direction.len();
        let full = if self.full == before { features.min(FULL_MATRIX_FEATURES) } else { self.full };
        let mut wider = Self::with_full(self.variance, full, features);
        let place = |i: usize| if i == self.full { full } else { i };
        for (i, row) in self.covariance.chunks_exact(self.full + 1).enumerate() {
            for (j, s) in row.iter().enumerate() {
                wider.covariance[place(i) * (full + 1) + place(j)] = *s;
            }
        }
        wider.diagonal[..self.diagonal.len()].copy_from_slice(&self.diagonal);
        *self = wider;
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        out.put("matrix", &[self.covariance.len()], self.covariance.iter().copied());
        out.put("rest", &[self.diagonal.len()], self.diagonal.iter().copied());
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        let features = self.direction.len();
        let [entries]: [usize; 1] = from.shape("matrix")?;
        // A model that had many features from the start has no full part.
        let full = if entries == 1 && features > FULL_MATRIX_FEATURES {
            0
        } else {
            features.min(FULL_MATRIX_FEATURES)
        };
        *self = Self::with_full(self.variance, full, features);
        self.covariance = from.get("matrix", &[(full + 1) * (full + 1)])?;
        self.diagonal = from.get("rest", &[features - full])?;
        let most = self.variance * (1.0 + 1e-9);
        let mut variances = self.covariance.iter().step_by(full + 2).chain(&self.diagonal);
        if variances.all(|s| (0.0..=most).contains(s)) && self.covariance.iter().all(|s| s.abs() <= most) {
            Ok(())
        } else {
            Err(Error::Model("the covariance of the linear term must be that of a run".into()))
        }
    }
}
