//! Batches in parts: checked whole, then learned or scored some rows at a time.

use super::predict::Served;
use super::{Learner, Rows, Targets};
use crate::error::{Error, Result};
use crate::float::Real;
use rayon::prelude::*;

/// Rows that one thread takes at a time.
const PART: usize = 64;

/// A legal batch that is learned some rows at a time, so that its caller can show progress, or stop: the rows learned so
/// far stay learned. [`Learner::learn_in_parts`] makes it.
#[derive(Debug)]
pub struct LearnInParts<'a, 'r, T: Real> {
    learner: &'a mut Learner<T>,
    rows: Rows<'r, T>,
    targets: Targets<'a>,
    weights: Option<&'a [f64]>,
    next: usize,
}

/// Legal rows that are scored some at a time. [`Learner::score_in_parts`] makes it.
#[derive(Debug)]
pub struct ScoreInParts<'a, 'r, T: Real> {
    learner: &'a Learner<T>,
    served: Served<'a, T>,
    rows: Rows<'r, T>,
    next: usize,
}

impl<T: Real> Learner<T> {
    /// Checks a batch whole, to learn it in parts: the same bits as [`Learner::learn_batch`], however it is cut.
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec, Targets};
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(1, 2)?;
    /// let x = ndarray::arr2(&[[0.0], [1.0], [2.0]]);
    /// let rows = Rows::Dense(x.view());
    /// let mut parts = learner.learn_in_parts(&rows, Targets::Classes(&[0, 1, 1]), None)?;
    /// while parts.remaining() > 0 {
    ///     parts.learn(2);
    /// }
    /// assert_eq!(learner.counts().seen, 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::check`]; nothing is learned then.
    pub fn learn_in_parts<'a, 'r>(
        &'a mut self,
        rows: &Rows<'r, T>,
        targets: Targets<'a>,
        weights: Option<&'a [f64]>,
    ) -> Result<LearnInParts<'a, 'r, T>> {
        self.check(rows, targets, weights)?;
        Ok(LearnInParts { learner: self, rows: *rows, targets, weights, next: 0 })
    }

    /// Checks rows whole, to score them in parts: the same bits as [`Learner::decision_function`], however they are cut.
    ///
    /// # Errors
    /// When the rows have another number of features, or a value that is not finite or too large.
    pub fn score_in_parts<'r>(&self, rows: &Rows<'r, T>) -> Result<ScoreInParts<'_, 'r, T>> {
        self.check_rows(rows)?;
        Ok(ScoreInParts { learner: self, served: self.served(), rows: *rows, next: 0 })
    }
}

impl<T: Real> LearnInParts<'_, '_, T> {
    /// Rows that are still to be learned.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rows.len() - self.next
    }

    /// Learns the next rows: `rows` of them, or as many as remain.
    pub fn learn(&mut self, rows: usize) {
        let to = self.next + rows.min(self.remaining());
        self.learner.learn_checked(&self.rows, self.targets, self.weights, self.next, to);
        self.next = to;
    }
}

impl<T: Real> ScoreInParts<'_, '_, T> {
    /// Rows that are still to be scored.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rows.len() - self.next
    }

    /// Appends the scores of the next rows to `scores`: `rows` of them, or as many as remain.
    ///
    /// # Errors
    /// When a score does not fit into the float type.
    pub fn score(&mut self, rows: usize, scores: &mut Vec<T>) -> Result<()> {
        self.advance(rows, scores, |this, first, out| {
            this.learner.score_rows(&this.served, &this.rows, first, out);
        })
    }

    /// The same on the rayon pool that it is called from, and the same bits.
    ///
    /// # Errors
    /// When a score does not fit into the float type.
    pub fn score_parallel(&mut self, rows: usize, scores: &mut Vec<T>) -> Result<()> {
        self.advance(rows, scores, |this, first, out| {
            let parts = out.par_chunks_mut(PART * this.learner.n_outputs()).enumerate();
            parts.for_each(|(part, out)| {
                this.learner.score_rows(&this.served, &this.rows, first + part * PART, out);
            });
        })
    }

    fn advance(
        &mut self,
        rows: usize,
        scores: &mut Vec<T>,
        run: impl FnOnce(&Self, usize, &mut [T]),
    ) -> Result<()> {
        let (rows, outputs, before) = (rows.min(self.remaining()), self.learner.n_outputs(), scores.len());
        scores.resize(before + rows * outputs, T::ZERO);
        let new = &mut scores[before..];
        run(self, self.next, new);
        if let Some(at) = new.iter().position(|f| !f.is_finite()) {
            let expected = format!("scores within the range of {}", T::NAME);
            let row = self.next + at / outputs;
            return Err(Error::TooLarge { row, expected, got: new[at].to_string() });
        }
        self.next += rows;
        Ok(())
    }
}
