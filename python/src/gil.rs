//! Short calls, which hold the GIL to their end.
//!
//! Where other threads run Python code, a thread that releases the GIL waits up to 5 ms, Python's switch interval, to
//! take it again. A call of less than a tenth of that keeps it.

use crate::float_type::NumpyFloat;
use budgetrs::Learner;

/// Products of features and support vectors that take some ten microseconds.
pub(crate) const MAX_PRODUCTS: usize = 1 << 18;
/// Bytes of the model that as many products read.
const MAX_BYTES: usize = MAX_PRODUCTS * size_of::<f32>();
/// Bounds on the rows: each takes some time, however short.
const MAX_SCORED_ROWS: usize = 1024;
const MAX_LEARNED_ROWS: usize = 32;

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
