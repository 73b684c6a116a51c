//! Prediction of batches, in parallel.

use super::compiled_loops::Scorer;
use super::{LearnBuffers, Learner, Rows};
use crate::batch::Row;
use crate::error::{Error, Result};
use crate::expansion::Predictor;
use crate::float::Real;
use crate::input::ZeroRow;
use crate::losses::{predicted_class, probabilities};
use crate::ops::BLOCK_ROWS;
use std::ops::Range;

impl<T: Real> Learner<T> {
    /// The scores of a batch, `n_outputs` per row. Two classes have one score, which is positive for the second class.
    ///
    /// # Errors
    /// As [`Learner::validate`]; and if a score does not fit into the float type.
    pub fn decision_function(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        let mut session = self.begin_scoring(rows)?;
        let mut scores = Vec::new();
        session.score(rows.len(), &mut scores)?;
        Ok(scores)
    }

    /// [`Learner::decision_function`] on the calling rayon pool, with bit-identical scores.
    ///
    /// # Errors
    /// As [`Learner::validate`]; and when a score does not fit into the float type.
    pub fn decision_function_parallel(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        let mut session = self.begin_scoring(rows)?;
        let mut scores = Vec::new();
        session.score_parallel(rows.len(), &mut scores)?;
        Ok(scores)
    }

    /// The class index of each row of a batch, on the calling rayon pool.
    ///
    /// # Errors
    /// As [`Learner::validate`]; and when a score does not fit into the float type.
    pub fn predict(&self, rows: &Rows<'_, T>) -> Result<Vec<u32>> {
        Ok(self.predict_from(&self.decision_function_parallel(rows)?))
    }

    /// The class of each row, from the scores of [`Learner::decision_function`]: the sign for two classes, else the
    /// first class with the largest score. A model with an open class set that has seen one class predicts this class.
    #[must_use]
    pub fn predict_from(&self, scores: &[T]) -> Vec<u32> {
        scores.chunks_exact(self.n_outputs()).map(|f| self.class_of(f)).collect()
    }

    /// The class of one row, from its scores.
    #[must_use]
    pub fn class_of(&self, scores: &[T]) -> u32 {
        if self.progress.n_seen_classes == 1 { 0 } else { predicted_class(scores) as u32 }
    }

    /// For each row of a batch, whether its label could change the model. With the ramp loss these are the rows with
    /// `|f| <= 1`, or with a gap of at most 1 between the two best scores of more than two classes (Wang and Vucetic
    /// 2010, section 4). Learning only these rows gives a bit-identical model if gamma is final (it is a number, or row
    /// 1024 is past) and rows are not standardised by running statistics (`scaling = "online"`).
    ///
    /// # Errors
    /// If the loss is not the ramp loss, or with model averaging, which depends on every row; else as
    /// [`Learner::validate`].
    pub fn needs_label(&self, rows: &Rows<'_, T>) -> Result<Vec<bool>> {
        self.spec.check_needs_label()?;
        self.needs_label_from(&self.decision_function_parallel(rows)?)
    }

    /// [`Learner::needs_label`] from the scores of [`Learner::decision_function`].
    ///
    /// # Errors
    /// If the loss is not the ramp loss, or with model averaging.
    pub fn needs_label_from(&self, scores: &[T]) -> Result<Vec<bool>> {
        self.spec.check_needs_label()?;
        Ok(scores.chunks_exact(self.n_outputs()).map(|f| self.rule.needs_label(f)).collect())
    }

    /// The probability of each class, `n_classes` per row, from a model with the log loss or `online-kernel`.
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_proba`](crate::params::CheckedSpec::check_predict_proba) and
    /// [`Learner::validate`].
    pub fn predict_proba(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        self.spec.check_predict_proba()?;
        self.predict_proba_from(&self.decision_function_parallel(rows)?)
    }

    /// [`Learner::predict_proba`] from the scores of [`Learner::decision_function`].
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_proba`](crate::params::CheckedSpec::check_predict_proba).
    pub fn predict_proba_from(&self, scores: &[T]) -> Result<Vec<T>> {
        self.spec.check_predict_proba()?;
        let (outputs, classes) = (self.n_outputs(), self.n_classes());
        let mut all = Vec::with_capacity(scores.len() / outputs * classes);
        let Some(online) = self.monitors.probabilities() else {
            scores.chunks_exact(outputs).for_each(|f| probabilities(f, &mut all));
            return Ok(all);
        };
        let (calibration, mut f_64, mut p) = (online.calibration(), vec![0.0; outputs], vec![0.0; classes]);
        for f in scores.chunks_exact(outputs) {
            f_64.iter_mut().zip(f).for_each(|(to, f)| *to = f.to_f64());
            calibration.probabilities(self.expansion.ops(), &f_64, &mut p);
            all.extend(p.iter().map(|p| T::from_f64(*p)));
        }
        Ok(all)
    }

    /// The kernel values of preprocessed rows with the support vectors of the model used for prediction, `n_support`
    /// per row, in insertion order.
    ///
    /// # Errors
    /// If the rows have another number of features, or a value is not finite or too large.
    pub fn kernel_values(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        self.check_for_scoring(rows)?;
        let expansion = self.predictor().expansion;
        let (mut buffers, mut buffer) = (LearnBuffers::of(expansion), Vec::new());
        let mut values = Vec::with_capacity(rows.len() * expansion.len());
        for i in 0..rows.len() {
            let query = self.input.transform(expansion, rows.row(i, &mut buffer), &mut buffers.input);
            expansion.kernel_row((query.z, query.row_stat), &mut buffers.scores.k);
            values.extend(expansion.order().iter().map(|slot| buffers.scores.k.get(slot.index())));
        }
        Ok(values)
    }

    /// Scores the rows from `first` on, as many as fit into `out`.
    pub(super) fn score_rows(
        &self,
        (predictor, zero_row): Scorer<'_, T>,
        rows: &Rows<'_, T>,
        first: usize,
        buffers: &mut LearnBuffers<T>,
        out: &mut [T],
    ) {
        let mut buffer = Vec::new();
        let per_row = predictor.values_per_row();
        if let Some(zero_row) = zero_row {
            for (row, values) in (first..).zip(out.chunks_exact_mut(per_row)) {
                self.score_entries((predictor, zero_row), rows.row(row, &mut buffer), buffers, values);
            }
            return;
        }
        for (chunk, out) in out.chunks_mut(BLOCK_ROWS * per_row).enumerate() {
            let first = first + chunk * BLOCK_ROWS;
            let n = out.len() / per_row;
            if self.input.uses_blocks(predictor.expansion, rows, n) {
                self.score_block(predictor, rows, first..first + n, buffers, out);
            } else {
                for (i, values) in out.chunks_exact_mut(per_row).enumerate() {
                    self.score(predictor, rows.row(first + i, &mut buffer), buffers, values);
                }
            }
        }
    }

    /// Scores a block of rows.
    fn score_block(
        &self,
        predictor: &Predictor<'_, T>,
        rows: &Rows<'_, T>,
        range: Range<usize>,
        buffers: &mut LearnBuffers<T>,
        out: &mut [T],
    ) {
        let Predictor { expansion, coefficients, .. } = predictor;
        let LearnBuffers { input: buffers, scores, row_block, kernel_block, .. } = buffers;
        self.input.transform_block(expansion, rows, range, row_block, buffers);
        expansion.fill_kernel_block(row_block.z_from(0), kernel_block);
        let outputs = self.n_outputs();
        for (i, values) in out.chunks_exact_mut(predictor.values_per_row()).enumerate() {
            let (row_stat, f) =
                (expansion.kernel().query_stat(Row::Dense(row_block.z(i))), &mut values[..outputs]);
            expansion.scores_from_block(coefficients, kernel_block, row_stat, &mut scores.k, f);
            predictor.complete_scores((row_block.linear_input(i), None), &mut scores.linear_values, f);
            self.limit(f);
            predictor.widen_to_interval((&scores.k, expansion.kernel().diag(row_stat)), values);
        }
    }

    /// Scores one row.
    fn score(
        &self,
        predictor: &Predictor<'_, T>,
        raw: Row<'_, T>,
        buffers: &mut LearnBuffers<T>,
        values: &mut [T],
    ) {
        let LearnBuffers { input: buffers, scores, .. } = buffers;
        let Predictor { expansion, coefficients, .. } = predictor;
        let query = self.input.transform(expansion, raw, buffers);
        let f = &mut values[..self.n_outputs()];
        let buffers = (&mut scores.k, &mut scores.differences);
        expansion.scores_by(coefficients, (query.z, query.row_stat), buffers, f);
        predictor.complete_scores((query.x, None), &mut scores.linear_values, f);
        self.limit(f);
        predictor.widen_to_interval((&scores.k, expansion.kernel().diag(query.row_stat)), values);
    }

    /// Scores a sparse row by its entries.
    fn score_entries(
        &self,
        (predictor, zero_row): (&Predictor<'_, T>, &ZeroRow<T>),
        raw: Row<'_, T>,
        buffers: &mut LearnBuffers<T>,
        values: &mut [T],
    ) {
        let LearnBuffers { input: buffers, scores, .. } = buffers;
        let Predictor { expansion, coefficients, .. } = predictor;
        let x = self.input.transform_entries(zero_row, expansion, raw, buffers, &mut scores.differences);
        let f = &mut values[..self.n_outputs()];
        expansion.scores_by_differences(coefficients, &scores.differences, &mut scores.k, f);
        predictor.complete_scores((x, Some(zero_row.linear_values())), &mut scores.linear_values, f);
        self.limit(f);
        predictor.widen_to_interval((&scores.k, expansion.kernel().diag(T::ZERO)), values);
    }

    /// Limits the scores of a row: in regression with `online-kernel` to the range of the targets.
    fn limit(&self, f: &mut [T]) {
        for f in f {
            *f = self.rule.limited(*f);
        }
    }

    /// The learned model, without the vote of recent rows.
    pub(super) fn learned(&self) -> Predictor<'_, T> {
        self.monitors.learned(&self.expansion)
    }

    /// The model used for prediction.
    pub(super) fn predictor(&self) -> Predictor<'_, T> {
        self.monitors.predictor(&self.expansion)
    }
}

/// Checks that all scores of the rows from `first` on, `outputs` per row, are finite.
pub(super) fn check_scores<T: Real>(scores: &[T], first: usize, outputs: usize) -> Result<()> {
    let Some(i) = scores.iter().position(|f| !f.is_finite()) else { return Ok(()) };
    let expected = format!("scores within the range of {}", T::NAME);
    Err(Error::TooLarge { row: first + i / outputs, expected, got: scores[i].to_string() })
}
