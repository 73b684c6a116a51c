//! The loops over rows, compiled for `f32` and for `f64`.

use super::{LearnBuffers, Learner, Rows, Targets};
use crate::expansion::Predictor;
use crate::float::Real;
use crate::input::ZeroRow;
use std::any::Any;
use std::ops::Range;

/// Learns a range of rows of a checked batch.
type Learn<T> = fn(&mut Learner<T>, &Rows<'_, T>, Targets<'_>, Option<&[f64]>, Range<usize>);
/// Scores the rows of a checked batch from a row on, as many as fit into the output.
type Score<T> = fn(&Learner<T>, Scorer<'_, T>, &Rows<'_, T>, usize, &mut LearnBuffers<T>, &mut [T]);
/// The model used for prediction, and its row of zeros if sparse rows are scored by their entries.
pub(super) type Scorer<'a, T> = (&'a Predictor<'a, T>, Option<&'a ZeroRow<T>>);

/// The two loops, compiled for one float type.
///
/// A generic function is compiled again in every crate that uses it: in each test, benchmark, example and program.
/// These functions are not generic, so the loops are compiled only in this crate, and a program that depends on it
/// builds in seconds instead of a minute. The type of a function pointer is checked at the look-up, which costs
/// nanoseconds.
pub(super) struct Loops<T: Real> {
    pub(super) learn: Learn<T>,
    pub(super) score: Score<T>,
}

impl<T: Real> Loops<T> {
    pub(super) fn of_type() -> Self {
        let (learn_f32, learn_f64): (Learn<f32>, Learn<f64>) = (learn_f32, learn_f64);
        let (score_f32, score_f64): (Score<f32>, Score<f64>) = (score_f32, score_f64);
        Self { learn: one_of([&learn_f32, &learn_f64]), score: one_of([&score_f32, &score_f64]) }
    }
}

/// The function of type `F`.
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
    learner.learn_checked(rows, targets, weights, part);
}

#[inline(never)]
fn learn_f64(
    learner: &mut Learner<f64>,
    rows: &Rows<'_, f64>,
    targets: Targets<'_>,
    weights: Option<&[f64]>,
    part: Range<usize>,
) {
    learner.learn_checked(rows, targets, weights, part);
}

#[inline(never)]
fn score_f32(
    learner: &Learner<f32>,
    scorer: Scorer<'_, f32>,
    rows: &Rows<'_, f32>,
    first: usize,
    buffers: &mut LearnBuffers<f32>,
    out: &mut [f32],
) {
    learner.score_rows(scorer, rows, first, buffers, out);
}

#[inline(never)]
fn score_f64(
    learner: &Learner<f64>,
    scorer: Scorer<'_, f64>,
    rows: &Rows<'_, f64>,
    first: usize,
    buffers: &mut LearnBuffers<f64>,
    out: &mut [f64],
) {
    learner.score_rows(scorer, rows, first, buffers, out);
}
