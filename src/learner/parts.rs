//! Batches in parts: checked whole, then learned or scored some rows at a time.

use super::ordered::Gathered;
use super::predict::Served;
use super::{Counts, Learner, Rows, Scratch, Targets};
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Task;
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;

/// Rows that one thread takes at a time, or that are learned side by side.
const PART: usize = 128;

/// Learns some rows of a batch that has been checked.
type Learn<T> = fn(&mut Learner<T>, &Rows<'_, T>, Targets<'_>, Option<&[f64]>, Range<usize>);
/// Scores as many rows of a batch that has been checked as there is room for, from a row on.
type Score<T> = fn(&Learner<T>, &Served<'_, T>, &Rows<'_, T>, usize, &mut Scratch<T>, &mut [T]);

/// The two loops, compiled for one float type.
///
/// A generic function is compiled again in every crate that uses it: in each test, benchmark, example and program. These
/// functions are not generic, so the loops are compiled here alone, and a program that depends on this crate builds in
/// seconds instead of a minute. The type of a function pointer is checked where it is looked up; a call costs nanoseconds.
pub(super) struct Compiled<T: Real> {
    learn: Learn<T>,
    pub(super) score: Score<T>,
}

impl<T: Real> Compiled<T> {
    pub(super) fn loops() -> Self {
        let (learn_f32, learn_f64): (Learn<f32>, Learn<f64>) = (learn_f32, learn_f64);
        let (score_f32, score_f64): (Score<f32>, Score<f64>) = (score_f32, score_f64);
        Self { learn: one_of([&learn_f32, &learn_f64]), score: one_of([&score_f32, &score_f64]) }
    }
}

/// The one of two functions that has this type.
fn one_of<F: Any + Copy>(functions: [&dyn Any; 2]) -> F {
    let found = functions.iter().find_map(|function| function.downcast_ref::<F>());
    *found.expect("a float type is f32 or f64")
}

#[inline(never)]
fn learn_f32(
    learner: &mut Learner<f32>,
    rows: &Rows<'_, f32>,
    targets: Targets<'_>,
    weights: Option<&[f64]>,
    part: Range<usize>,
) {
    learner.learn_checked(rows, targets, weights, part.start, part.end);
}

#[inline(never)]
fn learn_f64(
    learner: &mut Learner<f64>,
    rows: &Rows<'_, f64>,
    targets: Targets<'_>,
    weights: Option<&[f64]>,
    part: Range<usize>,
) {
    learner.learn_checked(rows, targets, weights, part.start, part.end);
}

#[inline(never)]
fn score_f32(
    learner: &Learner<f32>,
    served: &Served<'_, f32>,
    rows: &Rows<'_, f32>,
    first: usize,
    scratch: &mut Scratch<f32>,
    out: &mut [f32],
) {
    learner.score_rows(served, rows, first, scratch, out);
}

#[inline(never)]
fn score_f64(
    learner: &Learner<f64>,
    served: &Served<'_, f64>,
    rows: &Rows<'_, f64>,
    first: usize,
    scratch: &mut Scratch<f64>,
    out: &mut [f64],
) {
    learner.score_rows(served, rows, first, scratch, out);
}

/// A legal batch that is learned some rows at a time, so that its caller can show progress, or stop: the rows learned so
/// far stay learned. [`Learner::learn_in_parts`] makes it.
#[derive(Debug)]
pub struct LearnInParts<'a, 'r, T: Real> {
    learner: &'a mut Learner<T>,
    rows: Rows<'r, T>,
    targets: Targets<'a>,
    weights: Option<&'a [f64]>,
    /// Where it is not that of the batch.
    order: Option<&'a [usize]>,
    /// Whether classes may come that the model does not have.
    grows: bool,
    next: usize,
}

/// Legal rows that are scored some at a time. [`Learner::score_in_parts`] makes it.
#[derive(Debug)]
pub struct ScoreInParts<'a, 'r, T: Real> {
    learner: &'a Learner<T>,
    served: Served<'a, T>,
    rows: Rows<'r, T>,
    /// That of one thread, once it has begun.
    scratch: Option<Scratch<T>>,
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
    /// let mut parts = learner.learn_in_parts(&rows, Targets::Classes(&[0, 1, 1]), None)?;
    /// while parts.remaining() > 0 {
    ///     parts.learn(2);
    /// }
    /// assert_eq!(learner.counts().seen, 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::check`]; nothing is learned then.
    pub fn learn_in_parts<'a, 'r>(
        &'a mut self,
        rows: &Rows<'r, T>,
        targets: Targets<'a>,
        weights: Option<&'a [f64]>,
    ) -> Result<LearnInParts<'a, 'r, T>> {
        self.check(rows, targets, weights)?;
        self.see_columns(rows.columns());
        self.seen_classes = self.n_classes();
        Ok(LearnInParts { learner: self, rows: *rows, targets, weights, order: None, grows: false, next: 0 })
    }

    /// The same where classes come as they come: the model grows at the first row of a class that it does not have, as by
    /// [`Learner::grow_classes`], unless the row has weight 0. The same bits however the rows are cut. A model has two
    /// classes at least; as long as all rows were of one, it predicts that one.
    ///
    /// ```
    /// use budgetrs::{Learner, Rows, Spec, Targets};
    ///
    /// let mut learner: Learner<f64> = Spec::named("pa")?.check()?.build(1, 2)?;
    /// let x = ndarray::arr2(&[[0.0], [1.0], [2.0]]);
    /// let mut parts = learner.learn_growing(&Rows::Dense(x.view()), Targets::Classes(&[0, 1, 2]), None)?;
    /// parts.learn(3);
    /// assert_eq!(learner.n_classes(), 3);
    /// # Ok::<(), budgetrs::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::check_growing`]; nothing is learned then.
    pub fn learn_growing<'a, 'r>(
        &'a mut self,
        rows: &Rows<'r, T>,
        targets: Targets<'a>,
        weights: Option<&'a [f64]>,
    ) -> Result<LearnInParts<'a, 'r, T>> {
        self.check_growing(rows, targets, weights)?;
        self.see_columns(rows.columns());
        if self.counts.seen == 0 {
            self.seen_classes = 0;
        }
        Ok(LearnInParts { learner: self, rows: *rows, targets, weights, order: None, grows: true, next: 0 })
    }

    /// Rows of a legal batch have so many columns.
    fn see_columns(&mut self, columns: usize) {
        if let Some(hashing) = &mut self.hashing {
            hashing.columns = hashing.columns.max(columns);
        }
    }

    /// Checks rows whole, to score them in parts: the same bits as [`Learner::decision_function`], however they are cut.
    ///
    /// # Errors
    /// When the rows have another number of features, or a value that is not finite or too large.
    pub fn score_in_parts<'r>(&self, rows: &Rows<'r, T>) -> Result<ScoreInParts<'_, 'r, T>> {
        self.check_rows(rows)?;
        Ok(ScoreInParts { learner: self, served: self.served(), rows: *rows, scratch: None, next: 0 })
    }
}

impl<'a, T: Real> LearnInParts<'a, '_, T> {
    /// Learns the rows in another order: the numbers of rows, each as often as it is to be learned.
    ///
    /// # Errors
    /// When there is no row of that number; or gamma still follows from the rows seen and the kernel (poly) has no bound, so
    /// that what is legal depends on their order.
    pub fn in_order(self, order: &'a [usize]) -> Result<Self> {
        let rows = self.rows.len();
        if let Some(got) = order.iter().find(|&&row| row >= rows) {
            return Err(Error::parameter("order", format!("numbers of rows, 0 to {}", rows - 1), got));
        }
        let bounded = self.learner.kernel.reach(T::LARGE) == f64::INFINITY;
        if !self.learner.gamma.is_settled() && !bounded {
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
        self.learner.counts
    }

    /// Learns the next rows: `rows` of them, or as many as remain.
    pub fn learn(&mut self, rows: usize) {
        let to = self.next + rows.min(self.remaining());
        while self.grows && self.learn_up_to_new_class(to) {}
        self.learn_known(to);
    }

    /// If a row before `to` has a class that no row had before, learns the rows up to that row. Whether there was one.
    fn learn_up_to_new_class(&mut self, to: usize) -> bool {
        let Targets::Classes(y) = self.targets else { return false };
        let known = self.learner.seen_classes;
        let row = |place: usize| self.order.map_or(place, |order| order[place]);
        let is_new = |row: usize| y[row] as usize >= known && self.weights.is_none_or(|w| w[row] > 0.0);
        let Some(first) = (self.next..to).find(|place| is_new(row(*place))) else { return false };
        let class = y[row(first)] as usize;
        self.learn_known(first);
        if class >= self.learner.n_classes() {
            self.learner.add_classes(Task::Classes(class + 1));
        }
        let mistakes = self.learner.counts.mistakes;
        self.learn_to(first + 1);
        self.learner.seen_classes = class + 1;
        // Nobody could have predicted it; and before the first row nothing is predicted.
        self.learner.counts.mistakes = mistakes + u64::from(class > 0);
        true
    }

    /// Learns rows of classes that are known.
    fn learn_known(&mut self, to: usize) {
        let mistakes = self.learner.counts.mistakes;
        self.learn_to(to);
        if self.learner.seen_classes == 1 {
            // The only one is what is predicted.
            self.learner.counts.mistakes = mistakes;
        }
    }

    fn learn_to(&mut self, to: usize) {
        let learn = Compiled::loops().learn;
        let Self { learner, rows, targets, weights, .. } = self;
        match (self.order.map(|order| &order[self.next..to]), &rows) {
            (None, _) => learn(learner, rows, *targets, *weights, self.next..to),
            (Some(order), Rows::Dense(_)) => {
                let mut gathered = Gathered::default();
                for part in order.chunks(PART) {
                    gathered.gather(rows, *targets, *weights, part);
                    let (rows, targets) = (gathered.rows(part.len()), gathered.targets(*targets));
                    learn(learner, &rows, targets, weights.map(|_| gathered.weights()), 0..part.len());
                }
            }
            (Some(order), Rows::Sparse { .. }) => {
                for &row in order {
                    learn(learner, rows, *targets, *weights, row..row + 1);
                }
            }
        }
        self.next = to;
    }
}

impl<T: Real> ScoreInParts<'_, '_, T> {
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
            let Self { learner, served, rows, scratch, .. } = this;
            let scratch = scratch.get_or_insert_with(|| Scratch::of(served.store));
            (Compiled::loops().score)(learner, served, rows, first, scratch, out);
        })
    }

    /// The same on the rayon pool that it is called from, and the same bits.
    ///
    /// # Errors
    /// When a score does not fit into the float type.
    pub fn score_parallel(&mut self, rows: usize, scores: &mut Vec<T>) -> Result<()> {
        self.advance(rows, scores, |this, first, out| {
            let (this, score) = (&*this, Compiled::loops().score);
            let parts = out.par_chunks_mut(PART * this.learner.n_outputs()).enumerate();
            parts.for_each(|(part, out)| {
                let scratch = &mut Scratch::of(this.served.store);
                score(this.learner, &this.served, &this.rows, first + part * PART, scratch, out);
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
