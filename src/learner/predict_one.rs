//! Prediction of single rows without allocation.

use super::compiled_loops::Loops;
use super::predict::check_scores;
use super::{LearnBuffers, Learner, Rows};
use crate::error::Result;
use crate::float::Real;

/// Buffers for [`Learner::score_one`]: make them once and reuse them, with any model.
#[derive(Debug, Clone, Default)]
pub struct ScoreBuffers<T: Real> {
    buffers: LearnBuffers<T>,
    scores: Vec<T>,
}

impl<T: Real> Learner<T> {
    /// The scores of one dense row, bit-identical to [`Learner::decision_function`]. After the first call with a model
    /// of this size there are no allocations.
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
        self.check_for_scoring(&rows)?;
        let (predictor, ScoreBuffers { buffers, scores }) = (self.predictor(), buffers);
        buffers.scores.k.grow(predictor.expansion.n_simd());
        scores.resize(self.n_outputs(), T::ZERO);
        (Loops::of_type().score)(self, (&predictor, None), &rows, 0, buffers, scores);
        check_scores(scores, 0, scores.len())?;
        Ok(scores)
    }
}
