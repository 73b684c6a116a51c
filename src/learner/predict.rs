//! Prediction: the first half of the loop, over batches in parallel.

use super::{Learner, OnlineMonitor, Rows, Scratch};
use crate::error::Result;
use crate::float::Real;
use crate::hashing::HashedRow;
use crate::losses::{predicted_class, probabilities};
use crate::ops::{BLOCK_ROWS, SimdBuffer};
use crate::row::Row;
use crate::rules::UpdateRule;
use crate::store::{Coefficients, KernelBlock, KernelExpansion};

/// The model that predicts: the vectors, and coefficients that may be others than those of the last model.
#[derive(Debug)]
pub(super) struct Predictor<'a, T: Real> {
    pub(super) store: &'a KernelExpansion<T>,
    pub(super) expansion: &'a Coefficients<T>,
}

impl<'a, T: Real> Predictor<'a, T> {
    fn last(store: &'a KernelExpansion<T>) -> Self {
        Self { store, expansion: store.expansion() }
    }
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

    /// The same on the rayon pool that it is called from, and the same bits.
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
        if self.n_seen_classes == 1 { 0 } else { predicted_class(scores) as u32 }
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
        Ok(scores.chunks_exact(self.n_outputs()).map(|f| self.update.needs_label(f)).collect())
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
        let Some(calibration) = self.serving.as_ref().and_then(OnlineMonitor::calibration) else {
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
        let store = self.served().store;
        let (mut scratch, mut buffer) = (Scratch::of(store), Vec::new());
        let mut values = Vec::with_capacity(rows.len() * store.len());
        for i in 0..rows.len() {
            let Scratch { folded, x, z, lanes, k, .. } = &mut scratch;
            let (_, z) = self.seen(rows.row(i, &mut buffer), folded, x, z, lanes);
            store.kernel_row(self.kernel, (z, self.kernel.query_stat(z)), k);
            values.extend(store.order().iter().map(|slot| scratch.k.get(slot.index())));
        }
        Ok(values)
    }

    /// Scores the rows from `first` on, as many as `out` has room for.
    pub(super) fn score_rows(
        &self,
        served: &Predictor<'_, T>,
        rows: &Rows<'_, T>,
        first: usize,
        scratch: &mut Scratch<T>,
        out: &mut [T],
    ) {
        let (mut buffer, mut ahead) = (Vec::new(), KernelBlock::default());
        let outputs = self.store.outputs();
        for (part, out) in out.chunks_mut(BLOCK_ROWS * outputs).enumerate() {
            let first = first + part * BLOCK_ROWS;
            if self.are_better_together(served.store, rows, out.len() / outputs) {
                self.score_block(served, (rows, first), &mut ahead, scratch, out);
            } else {
                for (i, f) in out.chunks_exact_mut(outputs).enumerate() {
                    self.score(served, rows.row(first + i, &mut buffer), scratch, f);
                }
            }
        }
    }

    /// Scores the rows of a block, looking at all of them at once.
    fn score_block(
        &self,
        served: &Predictor<'_, T>,
        (rows, first): (&Rows<'_, T>, usize),
        ahead: &mut KernelBlock<T>,
        scratch: &mut Scratch<T>,
        out: &mut [T],
    ) {
        let Predictor { store, expansion } = served;
        let Scratch { folded, x, lanes, k, block, row: buffer, .. } = scratch;
        let outputs = self.store.outputs();
        block.start(store.features());
        for row in first..first + out.len() / outputs {
            block.push(row, self.scaled(rows.row(row, buffer), folded, x).values());
        }
        block.map(0, self.metric.as_ref(), store.ops(), lanes);
        store.precompute(self.kernel, block.seen_from(0), ahead);
        for (i, f) in out.chunks_exact_mut(outputs).enumerate() {
            let norm = self.kernel.query_stat(Row::Dense(block.z(i)));
            store.scores_from(self.kernel, expansion, ahead, norm, k, f);
            self.add_linear(served, Row::Dense(block.x(i)), lanes, f);
        }
    }

    /// The model that predicts.
    pub(super) fn served(&self) -> Predictor<'_, T> {
        let Some(averaging) = &self.averaging else { return Predictor::last(&self.store) };
        if let Some(store) = averaging.sampled() {
            return Predictor::last(store);
        }
        match self.serving.as_ref().map_or(Some(0), OnlineMonitor::mean) {
            Some(number) => Predictor { store: &self.store, expansion: averaging.mean(number, &self.store) },
            None => Predictor::last(&self.store),
        }
    }

    /// The row as the linear part sees it: folded and scaled.
    fn scaled<'r>(&self, raw: Row<'r, T>, folded: &'r mut HashedRow<T>, x: &'r mut Vec<T>) -> Row<'r, T> {
        let raw = match &self.hashing {
            Some(hashing) => hashing.hash_row(raw, folded),
            None => raw,
        };
        match &self.scaling {
            Some(scaling) => scaling.apply(self.store.ops(), raw, x),
            None => raw,
        }
    }

    /// The row as the linear part sees it, and as the kernel sees it, in the metric too.
    fn seen<'r>(
        &self,
        raw: Row<'r, T>,
        folded: &'r mut HashedRow<T>,
        x: &'r mut Vec<T>,
        z: &'r mut Vec<T>,
        lanes: &mut SimdBuffer<T>,
    ) -> (Row<'r, T>, Row<'r, T>) {
        let x = self.scaled(raw, folded, x);
        match &self.metric {
            Some(metric) => {
                metric.apply(self.store.ops(), x, lanes, z);
                (x, Row::Dense(z))
            }
            None => (x, x),
        }
    }

    fn score(&self, served: &Predictor<'_, T>, raw: Row<'_, T>, scratch: &mut Scratch<T>, f: &mut [T]) {
        let Scratch { folded, x, z, lanes, k, .. } = scratch;
        let (x, z) = self.seen(raw, folded, x, z, lanes);
        let query = (z, self.kernel.query_stat(z));
        served.store.scores_by(self.kernel, served.expansion, query, k, f);
        self.add_linear(served, x, lanes, f);
    }

    /// Adds what the linear part says to scores, and gives them their scale.
    fn add_linear(&self, served: &Predictor<'_, T>, x: Row<'_, T>, lanes: &mut SimdBuffer<T>, f: &mut [T]) {
        if let Some(linear) = served.expansion.linear() {
            linear.values(self.store.ops(), x, lanes);
            linear.add_to(lanes, f);
        }
        let scale = served.store.scale();
        for f in f {
            *f = T::from_f64(f.to_f64() * scale);
        }
    }
}
