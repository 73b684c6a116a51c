//! Which calls are over so soon that they hold the interpreter.
//!
//! A thread that releases it and takes it again waits up to 5 ms, the interval at which Python passes it on, where
//! others run code of Python; so it is better held for less than a tenth of that.

use crate::float_type::{NumpyFloat, with_learner};
use budgetrs::Learner;
use budgetrs::model::AnyLearner;

/// Numbers that are gone through with the interpreter held: in some tens of microseconds.
const NUMBERS: usize = 1 << 18;
/// The same in bytes.
const BYTES: usize = NUMBERS * size_of::<f32>();
/// Rows that are scored, and that are learned, with the interpreter held: each takes some time whatever its length.
const SCORED: usize = 1024;
const LEARNED: usize = 32;

/// Whether so many rows, of so many numbers in all, are scored soon.
pub(crate) fn is_short_score<T: NumpyFloat>(learner: &Learner<T>, rows: usize, numbers: usize) -> bool {
    let each = numbers.saturating_add(rows.saturating_mul(learner.n_outputs()));
    rows <= SCORED && each.saturating_mul(learner.n_support()) <= NUMBERS && numbers <= NUMBERS
}

/// Whether so many rows, of so many numbers in all, are learned soon. Maintenance goes through all that a model keeps.
pub(crate) fn is_short_learn(learner: &AnyLearner, rows: usize, numbers: usize) -> bool {
    let bytes = with_learner!(learner, learner => learner.memory());
    rows <= LEARNED && numbers <= NUMBERS && bytes.saturating_mul(rows) <= BYTES
}
