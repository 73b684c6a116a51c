//! Several passes over a data set.

use super::any_learner::of_type_mut;
use super::any_learner::with_learner;
use super::{Batch, LearnerFloat, Model, RawTargets};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::learner::{Counts, FitRows, LearnSession, MAX_REFIT_ROWS, Rows};
use crate::params::{Average, Forget, Rule};
use crate::rng::Rng;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The largest number of rows over which [`Passes::Auto`] makes several passes.
const MAX_ROWS: usize = 100_000;
/// The number of passes over up to this number of rows.
const PASSES: usize = 3;
/// The number of rows up to which the error of the first pass does not measure noise.
const SHORT_PASS: u64 = 1000;
/// The largest unexplained share of the targets' variance at which more passes do not just fit noise.
const MAX_UNEXPLAINED: f64 = 0.4;

/// How often [`Model::fit`] learns the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Passes {
    /// With `online-kernel`, 3 passes over up to 100,000 rows if they are shuffled, otherwise 1. Regression
    /// stops after a pass if more than 1,000 rows are learned in all, and more than 40% of the variance of
    /// recent targets is unexplained: more passes would fit noise.
    #[default]
    Auto,
    /// This many passes, at least 1.
    Number(usize),
}

/// How [`Model::fit`] goes through the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// The number of passes.
    pub passes: Passes,
    /// Whether each pass has a new random order, which depends on the seed.
    pub shuffle: bool,
}

impl Default for Fit {
    fn default() -> Self {
        Self { passes: Passes::Auto, shuffle: true }
    }
}

/// A pass of a fit that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Pass<'a> {
    /// The number of the pass, from 1 on.
    pub number: usize,
    /// The maximum number of passes.
    pub max_passes: usize,
    /// The row numbers in the order in which the pass learned them.
    pub order: &'a [usize],
    /// The counters after half of the rows.
    pub halfway: Counts,
    /// The counters after all rows.
    pub counts: Counts,
    /// The number of support vectors.
    pub n_support: usize,
}

/// What a caller does during [`Model::fit`].
pub trait FitObserver<T: LearnerFloat> {
    /// Learns the next `rows` rows of a session, in as many steps as the caller likes. A break ends the fit.
    fn learn(&mut self, session: &mut LearnSession<'_, '_, T>, rows: usize) -> ControlFlow<()> {
        session.learn(rows);
        ControlFlow::Continue(())
    }

    /// Sees a pass that has ended. A break ends the fit.
    fn pass_ended(&mut self, _: &Pass<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Is called between the steps of the ridge regression. A break ends the fit.
    fn between_steps(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// No action during a fit.
impl<T: LearnerFloat> FitObserver<T> for () {}

impl Model {
    /// Learns a data set in several passes, each in a new random order: the best use of rows that are all
    /// there. Returns the number of passes; none if the observer has ended the fit.
    ///
    /// A model that has learned rows continues. With `online-kernel`, later passes learn the rows as known
    /// rows, so that progressive errors, drift detection and calibration use the first pass only; and
    /// regression ends with a ridge regression of the residuals on the basis functions of the model (without
    /// it if rows are not shuffled or `forget` is a number, because the ridge regression weights all rows
    /// equally).
    ///
    /// ```
    /// use budgetrs::model::{Batch, Fit, Model};
    /// use budgetrs::{Rows, Spec};
    ///
    /// let mut model = Model::new(Spec::named_regression("online-kernel")?.check()?);
    /// let x = ndarray::Array2::from_shape_fn((500, 1), |(i, _)| i as f64 / 100.0);
    /// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
    /// model.fit(&Rows::Dense(x.view()), None, &Batch::values(&y), Fit::default(), &mut ())?;
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no row has a weight above 0; and as [`Model::learn`]. After an error or a break the model may have learned a
    /// part of the passes: fit a copy where this matters.
    pub fn fit<T: LearnerFloat>(
        &mut self,
        rows: &Rows<'_, T>,
        columns: Option<&Arc<Columns>>,
        batch: &Batch<'_>,
        fit: Fit,
        observer: &mut impl FitObserver<T>,
    ) -> Result<Option<usize>> {
        let weights = batch.row_weights(&self.spec.spec().class_weight)?;
        let weights = weights.as_deref();
        let is_kept = |row: &usize| weights.is_none_or(|weights| weights.get(*row).is_none_or(|w| *w > 0.0));
        let mut order: Vec<usize> = (0..rows.len()).filter(is_kept).collect();
        if order.is_empty() && !rows.is_empty() {
            return Err(Error::parameter("sample_weight", "above 0 for at least one row", "only zeros"));
        }
        let is_online = self.spec.spec().rule() == Rule::OnlineKernel;
        let max_passes = match fit.passes {
            Passes::Auto if is_online && fit.shuffle && order.len() <= MAX_ROWS => PASSES,
            Passes::Auto => 1,
            Passes::Number(0) => return Err(Error::parameter("passes", "at least 1", 0)),
            Passes::Number(passes) => passes,
        };
        self.set_stream_length((max_passes * order.len()) as u64)?;
        let mut rng = self.shuffling();
        let (mut passes, mut late_error) = (0, 0.0);
        while passes < max_passes {
            if fit.shuffle {
                rng.shuffle(&mut order);
            }
            let half = order.len() / 2;
            let part = Batch { order: Some(&order), repeated: is_online && passes > 0, ..*batch };
            let learned = self.learn_with(rows, columns, &part, |session| {
                observer.learn(session, half)?;
                let halfway = session.learner().counts();
                observer.learn(session, session.remaining())?;
                ControlFlow::Continue((halfway, session.learner().counts()))
            })?;
            let ControlFlow::Continue((halfway, counts)) = learned else { return Ok(None) };
            if passes == 0 && half > 0 {
                late_error = (counts.absolute_error - halfway.absolute_error) / (order.len() - half) as f64;
            }
            passes += 1;
            let n_support =
                self.trained.as_ref().map_or(0, |any| with_learner!(any, learner => learner.n_support()));
            let pass = Pass { number: passes, max_passes, order: &order, halfway, counts, n_support };
            if observer.pass_ended(&pass).is_break() {
                return Ok(None);
            }
            if fit.passes == Passes::Auto && counts.n_seen > SHORT_PASS && self.is_mostly_noise() {
                break;
            }
        }
        let keeps_all_rows = fit.shuffle && !matches!(self.spec.spec().forget, Forget::Rows(_));
        if let (true, true, RawTargets::Values(y)) = (is_online, keeps_all_rows, batch.targets)
            && let Some(learner) = &mut self.trained
        {
            rng.shuffle(&mut order);
            order.truncate(MAX_REFIT_ROWS);
            let end = FitRows { rows, y, weights, order: &order, late_error };
            let go_on = || observer.between_steps().is_continue();
            if !of_type_mut::<T>(learner)?.refit(end, go_on)? {
                return Ok(None);
            }
        }
        Ok(Some(passes))
    }

    /// Tells a new model with an average over a share of the stream how many rows it will learn, unless it was told.
    fn set_stream_length(&mut self, n: u64) -> Result<()> {
        let mut spec = self.spec.spec().clone();
        let averages_share = !matches!(spec.average, Average::Last | Average::Polynomial);
        if self.trained.is_none() && averages_share && spec.stream_length.is_none() {
            spec.stream_length = Some(n);
            self.spec = spec.check()?;
        }
        Ok(())
    }

    /// Whether recent predictions left most of the targets' variance unexplained.
    fn is_mostly_noise(&self) -> bool {
        let Some(any) = &self.trained else { return false };
        with_learner!(any, learner => learner.unexplained_variance())
            .is_some_and(|share| share > MAX_UNEXPLAINED)
    }

    /// The generator of the orders of a fit, which depends on the seed and on the rows learned before.
    fn shuffling(&self) -> Rng {
        let n_seen =
            self.trained.as_ref().map_or(0, |any| with_learner!(any, learner => learner.counts().n_seen));
        Rng::new(Rng::new(self.spec.spec().seed ^ n_seen).bits())
    }
}

#[cfg(test)]
mod tests;
