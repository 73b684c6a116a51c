//! Whether a call learns in a copy of the model, so that readers need not wait for it.

use pyo3::prelude::*;

/// Calls of fewer rows are over before a reader has waited long.
const ROWS: usize = 64;
/// About how many bytes are copied in the time in which learning goes through one number of one support vector.
const BYTES: usize = 2;

/// Whether readers would wait longer for a call than a copy of the model takes, about.
///
/// Learning goes, for each row, through all support vectors, as many numbers of each as the row has `entries` on average; so
/// that time is `entries * vectors`, whatever maintenance adds to it. A copy goes through the bytes of the model: those of a
/// model that keeps products of all pairs of its vectors are many, and a cheap batch is learned in place.
pub(crate) fn pays(rows: usize, entries: usize, vectors: usize, bytes: usize) -> bool {
    rows >= ROWS && entries.saturating_mul(vectors.max(1)).saturating_mul(BYTES) >= bytes
}

/// Whether a call learns in a copy of the model, for tests: rows, their numbers, support vectors, bytes of the model.
#[pyfunction]
#[pyo3(name = "_learns_in_copy")]
pub(crate) fn learns_in_copy(rows: usize, entries: usize, vectors: usize, bytes: usize) -> bool {
    pays(rows, entries, vectors, bytes)
}
