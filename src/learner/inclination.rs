//! How the linear part of a model learns.

use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use crate::params::{CheckedSpec, Rule};
use crate::persist::Tensors;
use crate::row::Row;

/// Features up to which the matrix of second-order steps is whole.
const MOST: usize = 64;

/// The part of S at its start that rounding may have made of nothing.
const NOISE: f64 = 1e-12;

/// What a row adds to the certainty of second-order steps: the more, the slower these shrink.
const SLOW: f64 = 30.0;

/// The squared_norm of a row for the linear part, `|x|^2` in its kernel, and the direction in which a step moves it.
#[derive(Debug, Clone)]
pub(crate) enum LinearStep<T: Real> {
    /// Along `(x, 1)`, weighed by `linear / (d + 1)`.
    First { linear: f64, unit: f64 },
    /// Along `S (x, 1)`; S starts as `linear I` and shrinks by what is seen (Crammer, Kulesza and Dredze 2009, AROW).
    Second(Arow<T>),
}

/// S, whole over the first features and the constant, which comes behind them, and diagonal over the rest: of a model
/// of few features all of them, even if others come late.
#[derive(Debug, Clone)]
pub(crate) struct Arow<T: Real> {
    linear: f64,
    /// Features of the whole part.
    whole: usize,
    matrix: Vec<f64>,
    rest: Vec<f64>,
    /// `S (x, 1)` of a row, in the same order.
    moved: Vec<f64>,
    direction: Vec<T>,
    squared_norm: f64,
}

impl<T: Real> Arow<T> {
    fn new(linear: f64, whole: usize, features: usize) -> Self {
        let mut new = Self {
            linear,
            whole,
            matrix: Vec::new(),
            rest: vec![0.0; features - whole],
            moved: vec![0.0; features + 1],
            direction: vec![T::ZERO; features],
            squared_norm: 0.0,
        };
        new.restart();
        new
    }

    /// S as it was at first.
    fn restart(&mut self) {
        let side = self.whole + 1;
        self.matrix.clear();
        self.matrix.resize(side * side, 0.0);
        self.matrix.iter_mut().step_by(side + 1).for_each(|s| *s = self.linear);
        self.rest.fill(self.linear);
    }

    #[inline(always)]
    fn squared_norm(&mut self, x: Row<'_, T>) -> f64 {
        x.scatter(&mut self.direction);
        let (head, tail) = self.direction.split_at(self.whole);
        let (moved, moved_rest) = self.moved.split_at_mut(self.whole + 1);
        for (row, moved) in self.matrix.chunks_exact(self.whole + 1).zip(&mut *moved) {
            let sum: f64 = row.iter().zip(head).map(|(s, x)| s * x.to_f64()).sum();
            *moved = sum + row[self.whole];
        }
        for ((moved, s), x) in moved_rest.iter_mut().zip(&self.rest).zip(tail) {
            *moved = s * x.to_f64();
        }
        let sum: f64 = moved.iter().zip(head).map(|(moved, x)| moved * x.to_f64()).sum();
        let rest: f64 = moved_rest.iter().zip(tail).map(|(moved, x)| moved * x.to_f64()).sum();
        self.squared_norm = (sum + moved[self.whole] + rest).max(0.0);
        self.forget_noise();
        self.squared_norm
    }

    /// `(S x)_i^2 <= s_ii x'Sx` of a matrix without negative eigenvalues. Where rounding has made it one with some,
    /// along a row that is very long, nothing is known of that row: it moves nothing.
    #[inline(always)]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "a branch per number would keep vectors out of the loop"
    )]
    fn forget_noise(&mut self) {
        let most = self.squared_norm * (1.0 + NOISE.sqrt());
        let least = NOISE * self.linear;
        let diagonal = self.matrix.iter().step_by(self.whole + 2).chain(&self.rest);
        let known =
            diagonal.zip(&self.moved).fold(true, |known, (s, a)| known & (a * a <= (s + least) * most));
        if !known {
            self.moved.fill(0.0);
            self.squared_norm = 0.0;
        }
    }

    #[inline(always)]
    fn step(&mut self) -> (f64, f64, Row<'_, T>) {
        let shrink = 1.0 / (SLOW + self.squared_norm);
        let (moved, moved_rest) = self.moved.split_at(self.whole + 1);
        for (row, a) in self.matrix.chunks_exact_mut(self.whole + 1).zip(moved) {
            row.iter_mut().zip(moved).for_each(|(s, b)| *s -= a * b * shrink);
        }
        self.matrix.iter_mut().step_by(self.whole + 2).for_each(|s| *s = s.max(0.0));
        self.rest.iter_mut().zip(moved_rest).for_each(|(s, a)| *s = (*s - a * a * shrink).max(0.0));
        let steps = moved[..self.whole].iter().chain(moved_rest);
        self.direction.iter_mut().zip(steps).for_each(|(to, moved)| *to = T::from_f64(*moved));
        (1.0, moved[self.whole], Row::Dense(&self.direction))
    }

    fn widen(&mut self, features: usize) {
        let before = self.direction.len();
        let whole = if self.whole == before { features.min(MOST) } else { self.whole };
        let mut wider = Self::new(self.linear, whole, features);
        let place = |i: usize| if i == self.whole { whole } else { i };
        for (i, row) in self.matrix.chunks_exact(self.whole + 1).enumerate() {
            for (j, s) in row.iter().enumerate() {
                wider.matrix[place(i) * (whole + 1) + place(j)] = *s;
            }
        }
        wider.rest[..self.rest.len()].copy_from_slice(&self.rest);
        *self = wider;
    }

    fn load(&mut self, from: &Tensors) -> Result<()> {
        let features = self.direction.len();
        let [squared_norm]: [usize; 1] = from.shape("matrix")?;
        // A model that had many features from the start has no whole part.
        let whole = if squared_norm == 1 && features > MOST { 0 } else { features.min(MOST) };
        *self = Self::new(self.linear, whole, features);
        self.matrix = from.get("matrix", &[(whole + 1) * (whole + 1)])?;
        self.rest = from.get("rest", &[features - whole])?;
        let most = self.linear * (1.0 + 1e-9);
        let mut diagonal = self.matrix.iter().step_by(whole + 2).chain(&self.rest);
        if diagonal.all(|s| (0.0..=most).contains(s)) && self.matrix.iter().all(|s| s.abs() <= most) {
            Ok(())
        } else {
            Err(Error::Model("the certainty of the linear part must be that of a run".into()))
        }
    }
}

impl<T: Real> LinearStep<T> {
    /// That of a specification with a linear part: of second order where numbers are predicted without tuning.
    pub(super) fn new(spec: &CheckedSpec, features: usize, task: Task) -> Option<Self> {
        let linear = spec.spec().linear?;
        if spec.spec().rule() != Rule::OnlineKernel || task != Task::Regression {
            return Some(Self::First { linear, unit: linear / (features as f64 + 1.0) });
        }
        let whole = if features <= MOST { features } else { 0 };
        Some(Self::Second(Arow::new(linear, whole, features)))
    }

    /// S as it was at first.
    pub(super) fn restart(&mut self) {
        if let Self::Second(certainty) = self {
            certainty.restart();
        }
    }

    /// The squared_norm of a row; what a step along it needs is kept.
    #[inline(always)]
    pub(super) fn squared_norm(&mut self, x: Row<'_, T>) -> f64 {
        match self {
            Self::First { unit, .. } => *unit * (x.squared_norm().to_f64() + 1.0),
            Self::Second(certainty) => certainty.squared_norm(x),
        }
    }

    /// What `(x, 1)` and `1` of a step are multiplied with, and the direction in place of x where it has another.
    #[inline(always)]
    pub(super) fn step<'a>(&'a mut self, x: Row<'a, T>) -> (f64, f64, Row<'a, T>) {
        match self {
            Self::First { unit, .. } => (*unit, *unit, x),
            Self::Second(certainty) => certainty.step(),
        }
    }

    /// The largest number that a row's squared squared_norm is multiplied with.
    pub(super) fn most(&self) -> f64 {
        match self {
            Self::First { unit, .. } => *unit,
            Self::Second(certainty) => certainty.linear,
        }
    }

    /// Appends features: whatever of second order was learned of the others stays.
    pub(super) fn widen(&mut self, features: usize) {
        match self {
            Self::First { linear, unit } => *unit = *linear / (features as f64 + 1.0),
            Self::Second(certainty) => certainty.widen(features),
        }
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        if let Self::Second(Arow { matrix, rest, .. }) = self {
            out.put("matrix", &[matrix.len()], matrix.iter().copied());
            out.put("rest", &[rest.len()], rest.iter().copied());
        }
    }

    pub(super) fn load(&mut self, from: &Tensors) -> Result<()> {
        match self {
            Self::First { .. } => Ok(()),
            Self::Second(certainty) => certainty.load(from),
        }
    }
}
