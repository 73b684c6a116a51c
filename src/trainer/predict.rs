//! Prediction: the first half of the loop, over batches in parallel.

use super::{Learner, Rows, Workspace};
use crate::batch::Row;
use crate::error::Result;
use crate::float::Real;
use crate::losses::{predicted_class, probabilities};
use crate::ops::{BLOCK_ROWS, SimdBuffer};
use crate::rules::UpdateRule;
use crate::store::{Coefficients, KernelBlock, KernelExpansion};
use std::ops::Range;

/// The model that predicts: support vectors, and coefficients that may be averaged.
#[derive(Debug)]
pub(super) struct Predictor<'a, T: Real> {
    pub(super) model: &'a KernelExpansion<T>,
    pub(super) expansion: &'a Coefficients<T>,
}

impl<T: Real> Learner<T> {
    /// The scores of a batch: `n_outputs` numbers to the row; two classes have one, positive for the second class.
    ///
    /// # Errors
    /// As [`Learner::check`]; and when a score does not fit into the float type.
    pub fn decision_function(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        let mut parts = self.begin_scoring(rows)?;
        let mut scores = Vec::new();
        parts.score(rows.len(), &mut scores)?;
        Ok(scores)
    }

    /// [`Learner::decision_function`] on the calling rayon pool, with bit-identical scores.
    ///
    /// # Errors
    /// As [`Learner::check`]; and when a score does not fit into the float type.
    pub fn decision_function_parallel(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        let mut parts = self.begin_scoring(rows)?;
        let mut scores = Vec::new();
        parts.score_parallel(rows.len(), &mut scores)?;
        Ok(scores)
    }

    /// The class of each row of a batch, by index; on the rayon pool that it is called from.
    ///
    /// # Errors
    /// As [`Learner::check`]; and when a score does not fit into the float type.
    pub fn predict(&self, rows: &Rows<'_, T>) -> Result<Vec<u32>> {
        Ok(self.predict_from(&self.decision_function_parallel(rows)?))
    }

    /// The class of each row, from the scores of [`Learner::decision_function`]: by sign for two classes, else the
    /// first of the largest. Where classes come as they come and all rows were of one, it is that one.
    #[must_use]
    pub fn predict_from(&self, scores: &[T]) -> Vec<u32> {
        scores.chunks_exact(self.n_outputs()).map(|f| self.class_of(f)).collect()
    }

    /// The same of the scores of one row.
    #[must_use]
    pub fn class_of(&self, scores: &[T]) -> u32 {
        if self.progress.n_seen_classes == 1 { 0 } else { predicted_class(scores) as u32 }
    }

    /// Whether a label of each row of a batch could change the model. With the ramp loss these are the rows with `|f|
    /// <= 1`, for more than two classes those with a gap of at most 1 between the two best scores (Wang and Vucetic
    /// 2010, section 4). Learning only these rows gives the same model, provided that gamma no longer changes (it is a
    /// number, or row 1024 is past) and that the model does not scale rows by all rows so far (`scale = "online"`).
    ///
    /// # Errors
    /// If the loss is not the ramp loss, or with an average, which counts every row; else as [`Learner::check`].
    pub fn needs_label(&self, rows: &Rows<'_, T>) -> Result<Vec<bool>> {
        self.spec.check_needs_label()?;
        self.needs_label_from(&self.decision_function_parallel(rows)?)
    }

    /// The same from the scores that [`Learner::decision_function`] returned.
    ///
    /// # Errors
    /// With another loss, which needs all labels, or with an average.
    pub fn needs_label_from(&self, scores: &[T]) -> Result<Vec<bool>> {
        self.spec.check_needs_label()?;
        Ok(scores.chunks_exact(self.n_outputs()).map(|f| self.rule.needs_label(f)).collect())
    }

    /// The probability of each class, `n_classes` numbers to the row, from a model of the log loss or of
    /// `online-kernel`.
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_proba`](crate::params::CheckedSpec::check_predict_proba) and [`Learner::check`].
    pub fn predict_proba(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        self.spec.check_predict_proba()?;
        self.predict_proba_from(&self.decision_function_parallel(rows)?)
    }

    /// The same from the scores that [`Learner::decision_function`] returned.
    ///
    /// # Errors
    /// As [`CheckedSpec::check_predict_proba`](crate::params::CheckedSpec::check_predict_proba).
    pub fn predict_proba_from(&self, scores: &[T]) -> Result<Vec<T>> {
        self.spec.check_predict_proba()?;
        let (outputs, classes) = (self.n_outputs(), self.n_classes());
        let mut all = Vec::with_capacity(scores.len() / outputs * classes);
        let Some(calibration) = self.monitoring.calibration() else {
            scores.chunks_exact(outputs).for_each(|f| probabilities(f, &mut all));
            return Ok(all);
        };
        let (mut wide, mut row) = (vec![0.0; outputs], vec![0.0; classes]);
        for f in scores.chunks_exact(outputs) {
            wide.iter_mut().zip(f).for_each(|(wide, f)| *wide = f.to_f64());
            calibration.probabilities(&wide, &mut row);
            all.extend(row.iter().map(|p| T::from_f64(*p)));
        }
        Ok(all)
    }

    /// The kernel values of rows with the support vectors of the model that predicts, `n_support` numbers to the row,
    /// in insertion order: of rows as the kernel sees them, scaled and in the metric.
    ///
    /// # Errors
    /// When the rows have another number of features, or a value that is not finite or too large.
    pub fn kernel_values(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        self.check_rows(rows)?;
        let model = self.predictor().model;
        let (mut work, mut buffer) = (Workspace::of(model), Vec::new());
        let mut values = Vec::with_capacity(rows.len() * model.len());
        for i in 0..rows.len() {
            let query = self.input.transform(model, rows.row(i, &mut buffer), &mut work.input);
            model.kernel_row((query.z, query.row_stat), &mut work.scores.k);
            values.extend(model.order().iter().map(|slot| work.scores.k.get(slot.index())));
        }
        Ok(values)
    }

    /// Scores the rows from `first` on, as many as `out` has room for.
    pub(super) fn score_rows(
        &self,
        predictor: &Predictor<'_, T>,
        rows: &Rows<'_, T>,
        first: usize,
        work: &mut Workspace<T>,
        out: &mut [T],
    ) {
        let (mut buffer, mut block) = (Vec::new(), KernelBlock::default());
        let outputs = self.n_outputs();
        for (part, out) in out.chunks_mut(BLOCK_ROWS * outputs).enumerate() {
            let first = first + part * BLOCK_ROWS;
            let n = out.len() / outputs;
            if self.input.uses_blocks(predictor.model, rows, n) {
                self.score_block(predictor, rows, first..first + n, &mut block, work, out);
            } else {
                for (i, f) in out.chunks_exact_mut(outputs).enumerate() {
                    self.score(predictor, rows.row(first + i, &mut buffer), work, f);
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
        kernel_block: &mut KernelBlock<T>,
        work: &mut Workspace<T>,
        out: &mut [T],
    ) {
        let Predictor { model, expansion } = predictor;
        let Workspace { input: buffers, scores, block, .. } = work;
        self.input.transform_block(model, rows, range, block, buffers);
        model.precompute(block.z_from(0), kernel_block);
        for (i, f) in out.chunks_exact_mut(self.n_outputs()).enumerate() {
            let row_stat = model.kernel().query_stat(Row::Dense(block.z(i)));
            model.scores_from(expansion, kernel_block, row_stat, &mut scores.k, f);
            predictor.add_linear(Row::Dense(block.x(i)), &mut scores.values, f);
        }
    }

    /// Scores one row.
    fn score(&self, predictor: &Predictor<'_, T>, raw: Row<'_, T>, work: &mut Workspace<T>, f: &mut [T]) {
        let Workspace { input: buffers, scores, .. } = work;
        let Predictor { model, expansion } = predictor;
        let query = self.input.transform(model, raw, buffers);
        model.scores_by(expansion, (query.z, query.row_stat), &mut scores.k, f);
        predictor.add_linear(query.x, &mut scores.values, f);
    }

    /// The model that predicts.
    pub(super) fn predictor(&self) -> Predictor<'_, T> {
        let (model, expansion) = self.monitoring.predictor(&self.model);
        Predictor { model, expansion }
    }
}

impl<T: Real> Predictor<'_, T> {
    /// Adds the scores of the linear term, and multiplies by the scale.
    fn add_linear(&self, x: Row<'_, T>, values: &mut SimdBuffer<T>, f: &mut [T]) {
        if let Some(linear) = self.expansion.linear() {
            linear.values(self.model.ops(), x, values);
            linear.add_to(values, f);
        }
        let scale = self.model.scale();
        for f in f {
            *f = T::from_f64(f.to_f64() * scale);
        }
    }
}
