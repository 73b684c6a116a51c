//! Prediction: the first half of the loop, over batches in parallel.

use super::{Learner, Rows, Scratch};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::losses::{predicted, probabilities};
use crate::row::Row;
use crate::rules::Update;
use crate::store::{Expansion, Store};
use rayon::prelude::*;

/// Rows that one thread takes at a time.
const PART: usize = 64;

/// The model that predicts: the vectors, and coefficients that may be others than those of the last model.
pub(super) struct Served<'a, T: Real> {
    pub(super) store: &'a Store<T>,
    pub(super) expansion: &'a Expansion<T>,
}

impl<'a, T: Real> Served<'a, T> {
    fn last(store: &'a Store<T>) -> Self {
        Self { store, expansion: store.expansion() }
    }
}

impl<T: Real> Learner<T> {
    /// The scores of a batch: `n_outputs` numbers to the row; two classes have one, positive for the second class.
    ///
    /// # Errors
    /// As [`Learner::check`]; and when a score does not fit into the float type.
    pub fn decision_function(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        self.check_rows(rows)?;
        let mut out = vec![T::ZERO; rows.len() * self.store.outputs()];
        self.score_rows(&self.served(), rows, 0, &mut out);
        self.check_scores(out)
    }

    /// The same on the rayon pool that it is called from, and the same bits.
    ///
    /// # Errors
    /// As [`Learner::check`]; and when a score does not fit into the float type.
    pub fn decision_function_parallel(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        self.check_rows(rows)?;
        let outputs = self.store.outputs();
        let mut out = vec![T::ZERO; rows.len() * outputs];
        let parts = out.par_chunks_mut(PART * outputs).enumerate();
        let served = self.served();
        parts.for_each(|(part, out)| self.score_rows(&served, rows, part * PART, out));
        self.check_scores(out)
    }

    /// The class of each row of a batch, by index; on the rayon pool that it is called from.
    ///
    /// # Errors
    /// As [`Learner::check`]; and when a score does not fit into the float type.
    pub fn predict(&self, rows: &Rows<'_, T>) -> Result<Vec<u32>> {
        let scores = self.decision_function_parallel(rows)?;
        Ok(scores.chunks_exact(self.store.outputs()).map(|f| predicted(f) as u32).collect())
    }

    /// The scores, if all are finite.
    fn check_scores(&self, scores: Vec<T>) -> Result<Vec<T>> {
        match scores.iter().position(|f| !f.is_finite()) {
            None => Ok(scores),
            Some(at) => {
                let expected = format!("scores within the range of {}", T::NAME);
                let row = at / self.store.outputs();
                Err(Error::TooLarge { row, expected, got: scores[at].to_string() })
            }
        }
    }

    /// Whether a label of each row of a batch could change the model: with the ramp loss `|f| <= 1`, for many classes a gap
    /// of at most 1 between the two best scores (Wang and Vucetic 2010, section 4). Whoever asks for labels of these rows
    /// alone gets the same model for fewer labels, once gamma is fixed: a number, or "scale" after row 1024.
    ///
    /// # Errors
    /// With another loss, which needs all labels; else as [`Learner::check`].
    pub fn needs_label(&self, rows: &Rows<'_, T>) -> Result<Vec<bool>> {
        self.spec.check_asks()?;
        let scores = self.decision_function_parallel(rows)?;
        Ok(scores.chunks_exact(self.store.outputs()).map(|f| self.update.asks(f)).collect())
    }

    /// The probability of each class, `n_classes` numbers to the row, from a model of the log loss.
    ///
    /// # Errors
    /// With another loss, whose scores are no probabilities; else as [`Learner::check`].
    pub fn predict_proba(&self, rows: &Rows<'_, T>) -> Result<Vec<T>> {
        self.spec.check_probabilities()?;
        let scores = self.decision_function_parallel(rows)?;
        let mut all = Vec::with_capacity(rows.len() * self.n_classes());
        scores.chunks_exact(self.store.outputs()).for_each(|f| probabilities(f, &mut all));
        Ok(all)
    }

    /// Scores the rows from `first` on, as many as `out` has room for.
    fn score_rows(&self, served: &Served<'_, T>, rows: &Rows<'_, T>, first: usize, out: &mut [T]) {
        let mut scratch = Scratch::of(served.store);
        let mut buffer = Vec::new();
        for (i, f) in out.chunks_exact_mut(self.store.outputs()).enumerate() {
            self.score(served, rows.row(first + i, &mut buffer), &mut scratch, f);
        }
    }

    /// The model that predicts.
    pub(super) fn served(&self) -> Served<'_, T> {
        let Some(averaging) = &self.averaging else { return Served::last(&self.store) };
        if let Some(store) = averaging.drawn() {
            return Served::last(store);
        }
        Served { store: &self.store, expansion: averaging.mean(self.counts.seen, &self.store) }
    }

    fn score(&self, served: &Served<'_, T>, raw: Row<'_, T>, scratch: &mut Scratch<T>, f: &mut [T]) {
        let x = match &self.scaling {
            Some(scaling) => scaling.apply(raw, &mut scratch.x),
            None => raw,
        };
        let Served { store, expansion } = served;
        store.scores_by(self.kernel, expansion, (x, self.kernel.norm(x)), &mut scratch.k, f);
        let scale = store.scale();
        for f in f {
            *f = T::from_f64(f.to_f64() * scale);
        }
    }
}
