//! Rows that are scored alone, again and again: without allocation.

use super::compiled::Compiled;
use super::parts::check_scores;
use super::{Learner, Rows, Scratch};
use crate::error::Result;
use crate::float::Real;

/// Buffers in which rows are scored one by one, by any model: made once and kept by who predicts often.
#[derive(Debug, Clone, Default)]
pub struct ScoreBuffers<T: Real> {
    scratch: Scratch<T>,
    scores: Vec<T>,
}

impl<T: Real> Learner<T> {
    /// The scores of one dense row: the same bits as [`Learner::decision_function`] of a batch of it. Nothing is
    /// allocated once the buffers have served a model of its size.
    ///
    /// ```
    /// use budgetrs::learner::ScoreBuffers;
    /// use budgetrs::{Learner, Spec};
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(2, 2)?;
    /// learner.learn_one(&[0.5, 0.5], 1, 1.0)?;
    /// let mut buffers = ScoreBuffers::default();
    /// let scores = learner.score_one(&[0.5, 0.25], &mut buffers)?;
    /// assert_eq!(learner.class_of(scores), 1);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::decision_function`].
    pub fn score_one<'b>(&self, x: &[T], buffers: &'b mut ScoreBuffers<T>) -> Result<&'b [T]> {
        let rows = Rows::one(x);
        self.check_rows(&rows)?;
        let (served, ScoreBuffers { scratch, scores }) = (self.served(), buffers);
        scratch.k.grow(served.store.vectors());
        scores.resize(self.n_outputs(), T::ZERO);
        (Compiled::loops().score)(self, &served, &rows, 0, scratch, scores);
        check_scores(scores, 0, scores.len())?;
        Ok(scores)
    }
}
