//! Prediction intervals and prediction sets.

use super::{LearnBuffers, Learner, Rows, ScoreSession};
use crate::error::Result;
use crate::float::Real;
use crate::monitor::{COVERAGES, PredictionSets};

impl<T: Real> Learner<T> {
    /// A prediction interval for each row of a batch, on the calling rayon pool: lower and upper end, 2 values per row.
    ///
    /// In the long run a share `coverage` of the targets of a stream lies in the intervals of its rows, each computed
    /// before the row is learned. The interval is `f(x) -+ q l(x)`: l is the absolute error expected at x, from the
    /// errors of the rows near each support vector, and each row moves q up if the interval misses its target, and down
    /// otherwise (adaptive conformal inference, Gibbs and Candes 2021). Unlike predictions, the ends are not limited to
    /// the range of the targets seen, which later targets may leave.
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec, Target, Task};
    ///
    /// let mut learner: Learner<f64> = Spec::named_regression("online-kernel")?.check()?.build(1, Task::Regression)?;
    /// for i in 0..500 {
    ///     let x = f64::from(i % 100) / 100.0;
    ///     learner.learn_one(&[x], Target::Value(x + 0.1 * f64::from(i * 37 % 21 - 10)), 1.0)?;
    /// }
    /// let ends = learner.predict_interval(&Rows::one(&[0.5]), 0.9)?;
    /// assert!(ends[0] < 0.5 && 0.5 < ends[1]);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_interval`](crate::params::CheckedSpec::check_predict_interval) and
    /// [`Learner::decision_function`].
    pub fn predict_interval(&self, rows: &Rows<'_, T>, coverage: f64) -> Result<Vec<T>> {
        let mut session = self.begin_intervals(rows, coverage)?;
        let mut ends = Vec::new();
        session.score_parallel(rows.len(), &mut ends)?;
        Ok(ends)
    }

    /// Checks rows as a whole, and starts a session that computes their prediction intervals in steps, 2
    /// values per row.
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_interval`](crate::params::CheckedSpec::check_predict_interval) and
    /// [`Learner::begin_scoring`].
    pub fn begin_intervals<'r>(&self, rows: &Rows<'r, T>, coverage: f64) -> Result<ScoreSession<'_, 'r, T>> {
        self.spec.check_predict_interval(coverage)?;
        let half_width = self.monitors.intervals().map(|intervals| intervals.at(coverage));
        let mut session = self.begin_scoring(rows)?;
        session.predictor.half_width = half_width;
        Ok(session)
    }

    /// The absolute errors expected at the rows of these indices; 0 for a model without prediction intervals.
    pub(crate) fn expected_errors(&self, rows: &Rows<'_, T>, order: &[usize]) -> Vec<f64> {
        let (expansion, mut buffer) = (&self.expansion, Vec::new());
        let mut buffers = LearnBuffers::of(expansion);
        let expected = |&row: &usize| {
            let query = self.input.transform(expansion, rows.row(row, &mut buffer), &mut buffers.input);
            expansion.kernel_row((query.z, query.row_stat), &mut buffers.scores.k);
            expansion.expected_error((&buffers.scores.k, expansion.kernel().diag(query.row_stat)))
        };
        order.iter().map(expected).collect()
    }

    /// Replaces the half widths of prediction intervals in units of the expected error, one for each coverage of
    /// [`COVERAGES`]. Later rows move them again.
    ///
    /// # Errors
    /// If the model has no prediction intervals, or a number is not from 0 to 1e9.
    pub(crate) fn set_half_widths(&mut self, half_widths: &[f64]) -> Result<()> {
        self.spec.check_predict_interval(COVERAGES[0])?;
        self.monitors.set_half_widths(half_widths)
    }

    /// A prediction set for each row of a batch, on the calling rayon pool: for each class whether it belongs
    /// to the set, `n_classes` values per row.
    ///
    /// A set has the predicted class and all classes whose probability is above a threshold. In the long run
    /// a share `coverage` of the classes of a stream lies in the sets of its rows, each computed before the
    /// row is learned; more if the predicted class alone is right more often. Each row moves the threshold as
    /// in [`Learner::predict_interval`].
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec};
    ///
    /// let mut learner: Learner<f64> = Spec::named("online-kernel")?.check()?.build(1, 2)?;
    /// for i in 0..500 {
    ///     learner.learn_one(&[f64::from(i % 100)], u32::from(i % 100 > 50), 1.0)?;
    /// }
    /// assert_eq!(learner.predict_set(&Rows::one(&[90.0]), 0.9)?, [false, true]);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_set`](crate::params::CheckedSpec::check_predict_set) and
    /// [`Learner::decision_function`].
    pub fn predict_set(&self, rows: &Rows<'_, T>, coverage: f64) -> Result<Vec<bool>> {
        self.spec.check_predict_set(coverage)?;
        self.predict_set_from(&self.decision_function_parallel(rows)?, coverage)
    }

    /// [`Learner::predict_set`] from the scores of [`Learner::decision_function`].
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_set`](crate::params::CheckedSpec::check_predict_set).
    pub fn predict_set_from(&self, scores: &[T], coverage: f64) -> Result<Vec<bool>> {
        self.spec.check_predict_set(coverage)?;
        let (outputs, classes) = (self.n_outputs(), self.n_classes());
        let mut all = Vec::with_capacity(scores.len() / outputs * classes);
        let Some(probabilities) = self.monitors.probabilities() else { return Ok(all) };
        let (calibration, q) = (probabilities.calibration(), probabilities.sets().thresholds().at(coverage));
        let (mut f_64, mut p) = (vec![0.0; outputs], vec![0.0; classes]);
        for f in scores.chunks_exact(outputs) {
            f_64.iter_mut().zip(f).for_each(|(to, f)| *to = f.to_f64());
            calibration.probabilities(self.expansion.ops(), &f_64, &mut p);
            all.extend(PredictionSets::of(&p, self.class_of(f) as usize, q));
        }
        Ok(all)
    }
}

impl<T: Real> ScoreSession<'_, '_, T> {
    /// The number of values per row: scores, or the two ends of an interval.
    #[must_use]
    pub fn values_per_row(&self) -> usize {
        self.predictor.values_per_row()
    }
}
