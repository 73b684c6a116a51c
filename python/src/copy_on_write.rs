//! Whether a call learns in a copy of the model, so that readers do not wait for it.

use pyo3::prelude::*;

/// A reader does not wait long for a call of fewer rows.
const MIN_ROWS: usize = 64;
/// The costs of learning and copying, in products of a feature and a support vector, about: the fixed cost of a row.
const COST_PER_ROW: usize = 1 << 12;
/// The cost of a copied byte, at worst: in memory that is new to the process.
const COST_PER_BYTE: usize = 16;
/// The cost of about a millisecond. Waiting for the GIL can take longer.
const MIN_COST: usize = 1 << 22;

/// Whether learning takes longer than copying the model, so that readers had better keep the old snapshot.
///
/// Learning takes `values * vectors` products, for rows with `values` values in all and a model with `vectors` support
/// vectors, a fixed cost per row, and maintenance, which is not counted. A copy takes all `bytes` of the model; where
/// these include a matrix over pairs of support vectors, a cheap batch is learned in place.
pub(crate) fn should_copy(rows: usize, values: usize, vectors: usize, bytes: usize) -> bool {
    let learning = values.saturating_mul(vectors).saturating_add(rows.saturating_mul(COST_PER_ROW));
    // A first batch has nothing to copy.
    rows >= MIN_ROWS && (bytes == 0 || learning >= MIN_COST.max(bytes.saturating_mul(COST_PER_BYTE)))
}

/// Tell tests whether a call learns in a copy of the model.
#[pyfunction]
#[pyo3(name = "_learns_in_copy")]
pub(crate) fn learns_in_copy(rows: usize, values: usize, vectors: usize, bytes: usize) -> bool {
    should_copy(rows, values, vectors, bytes)
}
