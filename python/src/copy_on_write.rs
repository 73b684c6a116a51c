//! Whether a call learns in a copy of the model, so that readers need not wait for it.

use pyo3::prelude::*;

/// Calls of fewer rows are over before a reader has waited long.
const ROWS: usize = 64;
/// Numbers of support vectors that learning goes through in the time of a row's fixed part, about.
const ROW: usize = 1 << 12;
/// The same in about a millisecond. A reader that has to wait for it would wait longer for the interpreter.
const LEAST: usize = 1 << 22;
/// The same in the time in which a byte is copied at worst, to memory that is new.
const BYTE: usize = 16;

/// Whether readers would wait longer for a call than a copy of the model takes, about.
///
/// Learning goes, for each row, through all support vectors, as many numbers of each as the row has `entries` on
/// average; so that time is `entries * vectors` and a part for each row, whatever maintenance adds to it. A copy goes
/// through the bytes of the model: those of a model that keeps products of all pairs of its vectors are many, and a
/// cheap batch is learned in place.
pub(crate) fn should_copy(rows: usize, entries: usize, vectors: usize, bytes: usize) -> bool {
    let learning = entries.saturating_mul(vectors).saturating_add(rows.saturating_mul(ROW));
    // A first batch has nothing to copy.
    rows >= ROWS && (bytes == 0 || learning >= LEAST.max(bytes.saturating_mul(BYTE)))
}

/// Whether a call learns in a copy of the model, for tests: rows, their numbers, support vectors, bytes of the model.
#[pyfunction]
#[pyo3(name = "_learns_in_copy")]
pub(crate) fn learns_in_copy(rows: usize, entries: usize, vectors: usize, bytes: usize) -> bool {
    should_copy(rows, entries, vectors, bytes)
}
