//! Sessions: a batch is checked whole, then learned or scored some rows at a time.

use super::precision::Loops;
use super::predict::Predictor;
use super::{Counts, Learner, Rows, Targets, Workspace};
use crate::batch::{RowBuffer, Task};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::ops::BLOCK_ROWS;
use rayon::prelude::*;

/// Rows that one thread takes at a time, or that are copied before they are learned.
const CHUNK_ROWS: usize = 128;
/// Numbers that are copied at most, but for one row.
const CHUNK_VALUES: usize = 1 << 16;

/// A legal batch that is learned some rows at a time, so that its caller can show progress, or stop: the rows learned
/// so far stay learned. [`Learner::begin_learning`] makes it.
#[derive(Debug)]
pub struct LearnSession<'a, 'r, T: Real> {
    learner: &'a mut Learner<T>,
    rows: Rows<'r, T>,
    targets: Targets<'a>,
    weights: Option<&'a [f64]>,
    /// Where it is not that of the batch.
    order: Option<&'a [usize]>,
    /// Whether rows are copied before they are learned, and the copy is checked.
    copies: bool,
    copied: RowBuffer<T>,
    /// Whether classes may come that the model does not have.
    is_open: bool,
    next: usize,
}

/// Legal rows that are scored some at a time. [`Learner::begin_scoring`] makes it.
#[derive(Debug)]
pub struct ScoreSession<'a, 'r, T: Real> {
    learner: &'a Learner<T>,
    predictor: Predictor<'a, T>,
    rows: Rows<'r, T>,
    /// That of one thread, once it has begun.
    work: Option<Workspace<T>>,
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
    /// let mut parts = learner.begin_learning(&rows, Targets::Classes(&[0, 1, 1]), None)?;
    /// while parts.remaining() > 0 {
    ///     parts.learn(2);
    /// }
    /// assert_eq!(learner.counts().n_seen, 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::check`]; nothing is learned then.
    pub fn begin_learning<'a, 'r>(
        &'a mut self,
        rows: &Rows<'r, T>,
        targets: Targets<'a>,
        weights: Option<&'a [f64]>,
    ) -> Result<LearnSession<'a, 'r, T>> {
        self.check(rows, targets, weights)?;
        self.input.observe_columns(rows.columns());
        self.progress.n_seen_classes = self.n_classes();
        Ok(LearnSession::new(self, rows, (targets, weights), false))
    }

    /// The same where classes come as they come: the model grows at the first row of a class that it does not have, as
    /// by
    /// [`Learner::add_classes`], unless the row has weight 0. The same bits however the rows are cut. A model has two
    /// classes at least; as long as all rows were of one, it predicts that one.
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec, Targets};
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(1, 2)?;
    /// let x = ndarray::arr2(&[[0.0], [1.0], [2.0]]);
    /// let mut parts = learner.begin_learning_open(&Rows::Dense(x.view()), Targets::Classes(&[0, 1, 2]), None)?;
    /// parts.learn(3);
    /// assert_eq!(learner.n_classes(), 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::check_open`]; nothing is learned then.
    pub fn begin_learning_open<'a, 'r>(
        &'a mut self,
        rows: &Rows<'r, T>,
        targets: Targets<'a>,
        weights: Option<&'a [f64]>,
    ) -> Result<LearnSession<'a, 'r, T>> {
        self.check_open(rows, targets, weights)?;
        self.input.observe_columns(rows.columns());
        if self.progress.counts.n_seen == 0 {
            self.progress.n_seen_classes = 0;
        }
        Ok(LearnSession::new(self, rows, (targets, weights), true))
    }

    /// Checks rows whole, to score them in parts: the same bits as [`Learner::decision_function`], however they are
    /// cut.
    ///
    /// # Errors
    /// When the rows have another number of features, or a value that is not finite or too large.
    pub fn begin_scoring<'r>(&self, rows: &Rows<'r, T>) -> Result<ScoreSession<'_, 'r, T>> {
        self.check_rows(rows)?;
        Ok(ScoreSession { learner: self, predictor: self.predictor(), rows: *rows, work: None, next: 0 })
    }
}

impl<'a, 'r, T: Real> LearnSession<'a, 'r, T> {
    fn new(
        learner: &'a mut Learner<T>,
        rows: &Rows<'r, T>,
        (targets, weights): (Targets<'a>, Option<&'a [f64]>),
        is_open: bool,
    ) -> Self {
        let copied = RowBuffer::default();
        Self { learner, rows: *rows, targets, weights, order: None, copies: false, copied, is_open, next: 0 }
    }

    /// Learns the rows in another order: the numbers of rows, each as often as it is to be learned.
    ///
    /// # Errors
    /// When there is no row of that number; or gamma still follows from the rows seen and the kernel (poly) has no
    /// bound, so that what is legal depends on their order.
    pub fn in_order(self, order: &'a [usize]) -> Result<Self> {
        let rows = self.rows.len();
        if let Some(got) = order.iter().find(|&&row| row >= rows) {
            return Err(Error::parameter("order", format!("numbers of rows, 0 to {}", rows - 1), got));
        }
        let bounded = self.learner.model.kernel().max_row_stat(T::MAX_SQ_NORM) == f64::INFINITY;
        if !self.learner.input.has_final_gamma() && !bounded {
            let reason = "an order needs a gamma that does not follow from the rows seen where the kernel has no bound \
                          (poly): \"scale\" and \"standardized\" do, up to row 1024";
            return Err(Error::State(reason.into()));
        }
        Ok(Self { order: Some(order), ..self })
    }

    /// Rows that are still to be learned.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.order.map_or(self.rows.len(), <[usize]>::len) - self.next
    }

    /// What the learner has seen so far, these rows included.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.learner.progress.counts
    }

    /// Learns the next rows: `rows` of them, or as many as remain.
    pub fn learn(&mut self, rows: usize) {
        let learned = self.advance(rows);
        debug_assert!(learned.is_ok(), "a batch that stays what it was when it was checked");
    }

    /// The same of rows in memory that others may change meanwhile: some at a time are copied, and what is learned is
    /// the copy, once it is checked.
    ///
    /// # Errors
    /// When a copy is not legal: the batch was, so it has been changed since. The rows before it are learned, and the
    /// model is sound.
    pub fn learn_copies(&mut self, rows: usize) -> Result<()> {
        self.copies = true;
        self.advance(rows)
    }

    fn advance(&mut self, rows: usize) -> Result<()> {
        let to = self.next + rows.min(self.remaining());
        while self.is_open && self.learn_up_to_new_class(to)? {}
        self.learn_seen_classes(to)
    }

    /// If a row before `to` has a class that no row had before, learns the rows up to that row. Whether there was one.
    fn learn_up_to_new_class(&mut self, to: usize) -> Result<bool> {
        let Targets::Classes(y) = self.targets else { return Ok(false) };
        let known = self.learner.progress.n_seen_classes;
        let row = |place: usize| self.order.map_or(place, |order| order[place]);
        let is_new = |row: usize| y[row] as usize >= known && self.weights.is_none_or(|w| w[row] > 0.0);
        let Some(first) = (self.next..to).find(|place| is_new(row(*place))) else { return Ok(false) };
        let class = y[row(first)] as usize;
        self.learn_seen_classes(first)?;
        // Before there is a class that it does not have.
        self.copy(1)?;
        if class >= self.learner.n_classes() {
            self.learner.expand_outputs(Task::Classes(class + 1));
        }
        let mistakes = self.learner.progress.counts.mistakes;
        self.learn_copied(1);
        self.learner.progress.n_seen_classes = class + 1;
        // Nobody could have predicted it; and before the first row nothing is predicted.
        self.learner.progress.counts.mistakes = mistakes + u64::from(class > 0);
        Ok(true)
    }

    /// Learns rows of classes that are known.
    fn learn_seen_classes(&mut self, to: usize) -> Result<()> {
        let mistakes = self.learner.progress.counts.mistakes;
        let learned = self.learn_to(to);
        if self.learner.progress.n_seen_classes == 1 {
            // The only one is what is predicted.
            self.learner.progress.counts.mistakes = mistakes;
        }
        learned
    }

    fn learn_to(&mut self, to: usize) -> Result<()> {
        let Self { learner, rows, targets, weights, .. } = self;
        if self.order.is_none() && !self.copies {
            (Loops::of_type().learn)(learner, rows, *targets, *weights, self.next..to);
            self.next = to;
            return Ok(());
        }
        while self.next < to {
            // Up to the end of a block of the learner, where there is room for as many rows.
            let seen = (self.learner.progress.counts.n_seen % BLOCK_ROWS as u64) as usize;
            let room = (CHUNK_VALUES / self.rows.columns().max(1)).clamp(1, CHUNK_ROWS);
            let count = if room >= BLOCK_ROWS { room - (seen + room) % BLOCK_ROWS } else { room };
            let count = count.min(to - self.next);
            self.copy(count)?;
            self.learn_copied(count);
        }
        Ok(())
    }

    /// Copies the next rows, and checks the copies where the rows may have changed.
    fn copy(&mut self, count: usize) -> Result<()> {
        let Self { copied, rows, targets, weights, .. } = self;
        let next = self.next..self.next + count;
        match self.order {
            Some(order) => copied.copy(rows, *targets, *weights, order[next].iter().copied()),
            None => copied.copy(rows, *targets, *weights, next),
        }
        if !self.copies
            || self.learner.accepts(&self.copied.rows(), self.weights.map(|_| self.copied.weights()))
        {
            return Ok(());
        }
        let reason = format!(
            "X was changed while it was learned, by another thread or process: of those to learn, numbers {} to {} are not legal \
             any more. The rows before them are learned, no others",
            self.next,
            self.next + count - 1
        );
        Err(Error::State(reason.into()))
    }

    /// Learns the rows that were copied last.
    fn learn_copied(&mut self, count: usize) {
        let Self { learner, copied, targets, weights, .. } = self;
        let (rows, targets) = (copied.rows(), copied.targets(*targets));
        (Loops::of_type().learn)(learner, &rows, targets, weights.map(|_| copied.weights()), 0..count);
        self.next += count;
    }
}

impl<T: Real> ScoreSession<'_, '_, T> {
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
            let Self { learner, predictor, rows, work, .. } = this;
            let work = work.get_or_insert_with(|| Workspace::of(predictor.model));
            (Loops::of_type().score)(learner, predictor, rows, first, work, out);
        })
    }

    /// The same on the rayon pool that it is called from, and the same bits.
    ///
    /// # Errors
    /// When a score does not fit into the float type.
    pub fn score_parallel(&mut self, rows: usize, scores: &mut Vec<T>) -> Result<()> {
        self.advance(rows, scores, |this, first, out| {
            let (this, score) = (&*this, Loops::of_type().score);
            let parts = out.par_chunks_mut(CHUNK_ROWS * this.learner.n_outputs()).enumerate();
            parts.for_each(|(part, out)| {
                let work = &mut Workspace::of(this.predictor.model);
                score(this.learner, &this.predictor, &this.rows, first + part * CHUNK_ROWS, work, out);
            });
        })
    }

    fn advance(
        &mut self,
        rows: usize,
        scores: &mut Vec<T>,
        run: impl FnOnce(&mut Self, usize, &mut [T]),
    ) -> Result<()> {
        let (rows, outputs, before) = (rows.min(self.remaining()), self.learner.n_outputs(), scores.len());
        scores.resize(before + rows * outputs, T::ZERO);
        let (new, first) = (&mut scores[before..], self.next);
        run(self, first, new);
        check_scores(new, first, outputs)?;
        self.next += rows;
        Ok(())
    }
}

/// Whether all scores of the rows from `first` on, `outputs` to the row, are finite.
pub(super) fn check_scores<T: Real>(scores: &[T], first: usize, outputs: usize) -> Result<()> {
    let Some(at) = scores.iter().position(|f| !f.is_finite()) else { return Ok(()) };
    let expected = format!("scores within the range of {}", T::NAME);
    Err(Error::TooLarge { row: first + at / outputs, expected, got: scores[at].to_string() })
}
