//! Estimates of the time of a call: short calls hold the GIL to their end, long ones learn in a copy of the model, so that
//! readers do not wait for them.
//!
//! Where other threads run Python code, a thread that releases the GIL waits up to 5 ms, Python's switch interval, to
//! take it again. A call of less than a tenth of that keeps it.

use crate::float_type::NumpyFloat;
use budgetrs::Learner;
use pyo3::prelude::*;

/// Products of features and support vectors that take some ten microseconds.
pub(crate) const MAX_PRODUCTS: usize = 1 << 18;
/// Bytes of the model that as many products read.
const MAX_BYTES: usize = MAX_PRODUCTS * size_of::<f32>();
/// Bounds on the rows: each takes some time, however short.
const MAX_SCORED_ROWS: usize = 1024;
const MAX_LEARNED_ROWS: usize = 32;

/// A reader does not wait long for a call of fewer rows.
const MIN_COPYING_ROWS: usize = 64;
/// The costs of learning and copying, in products of a feature and a support vector, about: the fixed cost of a row.
const COST_PER_ROW: usize = 1 << 12;
/// The cost of a copied byte, at worst: in memory that is new to the process.
const COST_PER_BYTE: usize = 16;
/// The cost of about a millisecond. Waiting for the GIL can take longer.
const MIN_COST: usize = 1 << 22;

/// Whether rows with `values` values in all are scored in a short call.
pub(crate) fn is_short_score<T: NumpyFloat>(learner: &Learner<T>, rows: usize, values: usize) -> bool {
    let per_vector = values.saturating_add(rows.saturating_mul(learner.n_outputs()));
    rows <= MAX_SCORED_ROWS
        && per_vector.saturating_mul(learner.n_support()) <= MAX_PRODUCTS
        && values <= MAX_PRODUCTS
}

/// Whether rows with `values` values in all are learned in a short call. Maintenance reads the whole model.
pub(crate) fn is_short_learn<T: NumpyFloat>(learner: &Learner<T>, rows: usize, values: usize) -> bool {
    rows <= MAX_LEARNED_ROWS && values <= MAX_PRODUCTS && learner.memory().saturating_mul(rows) <= MAX_BYTES
}

/// Whether learning takes longer than copying the model, so that readers had better keep the old snapshot.
///
/// Learning takes `values * vectors` products, for rows with `values` values in all and a model with `vectors` support
/// vectors, a fixed cost per row, and maintenance, which is not counted. A copy takes all `bytes` of the model; where
/// these include a matrix over pairs of support vectors, a cheap batch is learned in place.
#[pyfunction]
#[pyo3(name = "_learns_in_copy")]
pub(crate) fn should_copy(rows: usize, values: usize, vectors: usize, bytes: usize) -> bool {
    let learning = values.saturating_mul(vectors).saturating_add(rows.saturating_mul(COST_PER_ROW));
    // A first batch has nothing to copy.
    rows >= MIN_COPYING_ROWS && (bytes == 0 || learning >= MIN_COST.max(bytes.saturating_mul(COST_PER_BYTE)))
}
