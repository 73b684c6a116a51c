//! Sessions: a batch is checked as a whole, then learned or scored in steps.

use super::compiled_loops::Loops;
use super::predict::check_scores;
use super::{LearnBuffers, Learner, Rows, Targets};
use crate::batch::{RowBuffer, Task};
use crate::error::{Error, Result};
use crate::expansion::Predictor;
use crate::float::Real;
use crate::input::ZeroRow;
use crate::ops::{BLOCK_ROWS, rows_left_in_block};
use rayon::prelude::*;

/// The number of rows per task of a thread, and the maximum number of rows copied at a time.
const CHUNK_ROWS: usize = 128;
/// The maximum number of values copied at a time, except for a single row.
const CHUNK_VALUES: usize = 1 << 16;

/// A checked batch that is learned in steps, so that the caller can show progress, or stop after any step.
/// [`Learner::begin_learning`] makes it.
#[derive(Debug)]
pub struct LearnSession<'a, 'r, T: Real> {
    learner: &'a mut Learner<T>,
    rows: Rows<'r, T>,
    targets: Targets<'a>,
    weights: Option<&'a [f64]>,
    /// The order of the rows; None for the order of the batch.
    order: Option<&'a [usize]>,
    /// Whether rows are copied and the copies checked, as the batch may change. `order` always copies rows.
    checks_copies: bool,
    copied: RowBuffer<T>,
    /// Whether the batch may have new classes.
    is_open: bool,
    next: usize,
}

/// Checked rows that are scored in steps. [`Learner::begin_scoring`] makes it.
#[derive(Debug)]
pub struct ScoreSession<'a, 'r, T: Real> {
    learner: &'a Learner<T>,
    pub(super) predictor: Predictor<'a, T>,
    /// The row of zeros, if sparse rows are scored by their entries.
    zero_row: Option<ZeroRow<T>>,
    rows: Rows<'r, T>,
    /// The buffers of single-threaded scoring, made at the first step.
    buffers: Option<LearnBuffers<T>>,
    next: usize,
}

impl<T: Real> Learner<T> {
    /// Checks a batch as a whole, and starts a session that learns it in steps. The model is bit-identical to
    /// [`Learner::learn_batch`], whatever the steps.
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec, Targets};
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(1, 2)?;
    /// let x = ndarray::arr2(&[[0.0], [1.0], [2.0]]);
    /// let rows = Rows::Dense(x.view());
    /// let mut session = learner.begin_learning(&rows, Targets::Classes(&[0, 1, 1]), None)?;
    /// while session.remaining() > 0 {
    ///     session.learn(2);
    /// }
    /// assert_eq!(learner.counts().n_seen, 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::validate`]; then nothing is learned.
    pub fn begin_learning<'a, 'r>(
        &'a mut self,
        rows: &Rows<'r, T>,
        targets: Targets<'a>,
        weights: Option<&'a [f64]>,
    ) -> Result<LearnSession<'a, 'r, T>> {
        self.validate(rows, targets, weights)?;
        self.input.observe_columns(rows.columns());
        self.progress.n_seen_classes = self.n_classes();
        Ok(LearnSession::new(self, rows, (targets, weights), false))
    }

    /// [`Learner::begin_learning`] with an open class set. The first row of a new class with a weight above 0 adds the
    /// class, as [`Learner::add_classes`] does. A model has at least two classes; as long as all rows belong to one
    /// class, the model predicts this class.
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec, Targets};
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(1, 2)?;
    /// let x = ndarray::arr2(&[[0.0], [1.0], [2.0]]);
    /// let mut session = learner.begin_learning_open(&Rows::Dense(x.view()), Targets::Classes(&[0, 1, 2]), None)?;
    /// session.learn(3);
    /// assert_eq!(learner.n_classes(), 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::check_open`]; then nothing is learned.
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

    /// Checks rows as a whole, and starts a session that scores them in steps. The scores are bit-identical to
    /// [`Learner::decision_function`], whatever the steps.
    ///
    /// # Errors
    /// If the rows have another number of features, or a value is not finite or too large.
    pub fn begin_scoring<'r>(&self, rows: &Rows<'r, T>) -> Result<ScoreSession<'_, 'r, T>> {
        self.check_for_scoring(rows)?;
        let predictor = self.predictor();
        let zero_row = self.input.zero_row(rows, &predictor);
        Ok(ScoreSession { learner: self, predictor, zero_row, rows: *rows, buffers: None, next: 0 })
    }
}

impl<'a, 'r, T: Real> LearnSession<'a, 'r, T> {
    fn new(
        learner: &'a mut Learner<T>,
        rows: &Rows<'r, T>,
        (targets, weights): (Targets<'a>, Option<&'a [f64]>),
        is_open: bool,
    ) -> Self {
        learner.progress.repeated = false;
        let (rows, copied) = (*rows, RowBuffer::default());
        Self { learner, rows, targets, weights, order: None, checks_copies: false, copied, is_open, next: 0 }
    }

    /// Learns the rows in the order of these row indices, which may repeat or omit rows.
    ///
    /// # Errors
    /// If an index is out of range; if gamma is not final and the kernel (poly) has no bound; or if a row is not valid
    /// after the rows before it in this order.
    pub fn in_order(self, order: &'a [usize]) -> Result<Self> {
        let rows = self.rows.len();
        if let Some(got) = order.iter().find(|&&row| row >= rows) {
            return Err(Error::parameter(
                "order",
                format!("row indices from 0 to {}", rows.saturating_sub(1)),
                got,
            ));
        }
        self.learner.check_count(order.len())?;
        let kernel = self.learner.expansion.kernel();
        if !self.learner.input.has_final_gamma() && !kernel.has_bounded_diag::<T>() {
            let reason =
                "fit needs a number as gamma before row 1024, because the others depend on the rows seen";
            return Err(Error::State(format!("with kernel = {:?}, {reason}", kernel.name()).into()));
        }
        self.learner.check_in_order(&self.rows, self.weights, Some(order))?;
        Ok(Self { order: Some(order), ..self })
    }

    /// Learns rows again that an earlier pass has learned. The rows are counted. Progressive error, drift
    /// detection and calibration need rows that are new to the model, and leave them out.
    ///
    /// # Errors
    /// If a row is not valid as a repeated row.
    pub fn repeated(self) -> Result<Self> {
        self.learner.progress.repeated = true;
        self.learner.check_in_order(&self.rows, self.weights, self.order)?;
        Ok(self)
    }

    /// The number of rows that are not learned yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.order.map_or(self.rows.len(), <[usize]>::len) - self.next
    }

    /// The learner, which has learned the rows of this session so far.
    #[must_use]
    pub fn learner(&self) -> &Learner<T> {
        self.learner
    }

    /// Learns the next `rows` rows, or all remaining rows.
    pub fn learn(&mut self, rows: usize) {
        self.checks_copies = false;
        let learned = self.advance(rows);
        debug_assert!(learned.is_ok(), "the batch has not changed since its check");
    }

    /// [`LearnSession::learn`] for rows that another thread may change: copies a chunk, checks the copy, and learns the
    /// copy.
    ///
    /// # Errors
    /// If a copy is invalid, because the batch has changed since its check. The rows before the copy are learned, and
    /// the model is valid.
    pub fn learn_copies(&mut self, rows: usize) -> Result<()> {
        self.checks_copies = true;
        self.advance(rows)
    }

    fn advance(&mut self, rows: usize) -> Result<()> {
        let to = self.next + rows.min(self.remaining());
        while self.is_open && self.learn_up_to_new_class(to)? {}
        self.learn_seen_classes(to)
    }

    /// Learns up to and including the first row of a new class before `to`. Returns false, and learns nothing, if there
    /// is no such row.
    fn learn_up_to_new_class(&mut self, to: usize) -> Result<bool> {
        let Targets::Classes(y) = self.targets else { return Ok(false) };
        let n_seen_classes = self.learner.progress.n_seen_classes;
        let row = |i: usize| self.order.map_or(i, |order| order[i]);
        let is_new =
            |row: usize| y[row] as usize >= n_seen_classes && self.weights.is_none_or(|w| w[row] > 0.0);
        let Some(first) = (self.next..to).find(|i| is_new(row(*i))) else { return Ok(false) };
        let class = y[row(first)] as usize;
        self.learn_seen_classes(first)?;
        // The copy is checked before the class is added, so that an error does not change the model.
        self.copy(1)?;
        if class >= self.learner.n_classes() {
            self.learner.add_outputs_for(Task::Classes(class + 1));
        }
        let before = self.learner.counts();
        self.learn_copied(1);
        self.learner.progress.n_seen_classes = class + 1;
        // A new class cannot be predicted: the row counts as a mistake, unless it is the first or repeated.
        if !self.learner.progress.repeated {
            self.learner.progress.counts.recount_mistake(&before, n_seen_classes > 0);
        }
        Ok(true)
    }

    /// Learns the rows before `to`, whose classes were seen before.
    fn learn_seen_classes(&mut self, to: usize) -> Result<()> {
        let before = self.learner.counts();
        let learned = self.learn_to(to);
        if self.learner.progress.n_seen_classes == 1 {
            // The only class seen is predicted, so there are no mistakes.
            self.learner.progress.counts.undo_mistakes(&before);
        }
        learned
    }

    fn learn_to(&mut self, to: usize) -> Result<()> {
        let Self { learner, rows, targets, weights, .. } = self;
        if self.order.is_none() && !self.checks_copies {
            (Loops::of_type().learn)(learner, rows, *targets, *weights, self.next..to);
            self.next = to;
            return Ok(());
        }
        while self.next < to {
            // If a chunk may have 32 rows, it ends where a block of the stream ends.
            let max = (CHUNK_VALUES / self.rows.columns().max(1)).clamp(1, CHUNK_ROWS);
            let left = rows_left_in_block(self.learner.progress.next_row());
            let count = if max >= BLOCK_ROWS { max - (max - left) % BLOCK_ROWS } else { max };
            let count = count.min(to - self.next);
            self.copy(count)?;
            self.learn_copied(count);
        }
        Ok(())
    }

    /// Copies the next rows, and checks the copies if the batch may have changed.
    fn copy(&mut self, count: usize) -> Result<()> {
        let Self { copied, rows, targets, weights, .. } = self;
        let next = self.next..self.next + count;
        match self.order {
            Some(order) => copied.copy(rows, *targets, *weights, order[next].iter().copied()),
            None => copied.copy(rows, *targets, *weights, next),
        }
        if !self.checks_copies
            || self.learner.accepts_values(&self.copied.rows(), self.weights.map(|_| self.copied.weights()))
        {
            return Ok(());
        }
        let reason = format!(
            "another thread or process changed X during the call, and rows {} to {} became invalid; the rows before them \
             are learned",
            self.next,
            self.next + count - 1
        );
        Err(Error::State(reason.into()))
    }

    /// Learns the rows copied last.
    fn learn_copied(&mut self, count: usize) {
        let Self { learner, copied, targets, weights, .. } = self;
        let (rows, targets) = (copied.rows(), copied.targets(*targets));
        (Loops::of_type().learn)(learner, &rows, targets, weights.map(|_| copied.weights()), 0..count);
        self.next += count;
    }
}

impl<T: Real> ScoreSession<'_, '_, T> {
    /// The number of rows that are not scored yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rows.len() - self.next
    }

    /// Appends the scores of the next `rows` rows, or of all remaining rows, to `scores`.
    ///
    /// # Errors
    /// If a score does not fit into the float type; then none is appended.
    pub fn score(&mut self, rows: usize, scores: &mut Vec<T>) -> Result<()> {
        self.advance(rows, scores, |this, first, out| {
            let Self { learner, predictor, zero_row, rows, buffers, .. } = this;
            let buffers = buffers.get_or_insert_with(|| LearnBuffers::of(predictor.expansion));
            (Loops::of_type().score)(learner, (predictor, zero_row.as_ref()), rows, first, buffers, out);
        })
    }

    /// [`ScoreSession::score`] on the calling rayon pool, with bit-identical scores.
    ///
    /// # Errors
    /// If a score does not fit into the float type; then none is appended.
    pub fn score_parallel(&mut self, rows: usize, scores: &mut Vec<T>) -> Result<()> {
        self.advance(rows, scores, |this, first, out| {
            let (this, score) = (&*this, Loops::of_type().score);
            let chunks = out.par_chunks_mut(CHUNK_ROWS * this.predictor.values_per_row()).enumerate();
            let workspace = || LearnBuffers::of(this.predictor.expansion);
            chunks.for_each_init(workspace, |buffers, (chunk, out)| {
                let scorer = (&this.predictor, this.zero_row.as_ref());
                score(this.learner, scorer, &this.rows, first + chunk * CHUNK_ROWS, buffers, out);
            });
        })
    }

    fn advance(
        &mut self,
        rows: usize,
        scores: &mut Vec<T>,
        run: impl FnOnce(&mut Self, usize, &mut [T]),
    ) -> Result<()> {
        let (rows, outputs, before) =
            (rows.min(self.remaining()), self.predictor.values_per_row(), scores.len());
        scores.resize(before + rows * outputs, T::ZERO);
        let (new, first) = (&mut scores[before..], self.next);
        run(self, first, new);
        let checked = check_scores(new, first, outputs);
        match checked {
            Ok(()) => self.next += rows,
            Err(_) => scores.truncate(before),
        }
        checked
    }
}
