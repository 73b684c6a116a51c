//! Batches of rows as the parsers give them.

use super::targets::ParsedTargets;

/// Rows of a sparse matrix (CSR) with their targets.
///
/// Row `i` has the values `values[indptr[i]..indptr[i + 1]]` in the zero-based columns `indices[..]` of the same
/// range; columns increase within a row, and no value is zero.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseRows<T> {
    /// Where each row starts, and the end of the last: one more than there are rows, the first is 0.
    pub indptr: Vec<usize>,
    /// Zero-based column of each value, below 2^31.
    pub indices: Vec<u32>,
    /// The values, finite and not zero.
    pub values: Vec<T>,
    /// Columns of the matrix: the stated number of features, or the width that the parser has seen so far.
    pub n_columns: usize,
    /// One target per row, unless unlabelled.
    pub targets: ParsedTargets,
}

impl<T> SparseRows<T> {
    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// The columns and values of row `i`.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.indptr[i]..self.indptr[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }
}

/// Rows of a dense matrix with their targets.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseRows<T> {
    /// The values, `n_rows * n_columns` of them, row by row; finite, or NaN if missing values are allowed.
    pub values: Vec<T>,
    /// Number of rows.
    pub n_rows: usize,
    /// Number of features.
    pub n_columns: usize,
    /// One target per row, unless unlabelled.
    pub targets: ParsedTargets,
}

impl<T> DenseRows<T> {
    /// The values of row `i`.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n_columns..][..self.n_columns]
    }
}

/// An empty buffer with room for as much as this one holds: the next batch is likely to be as large, and growing
/// to it by doubling costs 15% of the reading.
pub(super) fn fresh<T>(full: &[T]) -> Vec<T> {
    Vec::with_capacity(full.len())
}
