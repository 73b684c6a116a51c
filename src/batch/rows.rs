//! A batch of rows, dense or sparse, and the checks of its shape.

use super::Row;
use crate::error::{Error, Result};
use crate::float::Real;
use ndarray::ArrayView2;

/// Rows of input.
#[derive(Debug, Clone, Copy)]
pub enum Rows<'a, T: Real> {
    /// One row of an array per example, in any memory layout.
    Dense(ArrayView2<'a, T>),
    /// Compressed sparse rows: row `i` has the entries `indptr[i]..indptr[i + 1]`; indices are zero-based and strictly
    /// increasing within a row.
    Sparse {
        /// Non-decreasing, with one more entry than there are rows.
        indptr: &'a [usize],
        /// The feature of each entry.
        indices: &'a [u32],
        /// The value of each entry.
        values: &'a [T],
        /// The number of features.
        columns: usize,
    },
}

impl<'a, T: Real> Rows<'a, T> {
    /// A batch of one dense row.
    #[must_use]
    pub fn one(x: &'a [T]) -> Self {
        let row = ndarray::ArrayView1::from(x);
        Self::Dense(row.insert_axis(ndarray::Axis(0)))
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Dense(x) => x.nrows(),
            Self::Sparse { indptr, .. } => indptr.len().saturating_sub(1),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of features.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse { columns, .. } => *columns,
        }
    }

    /// The number of rows in which a feature has a value.
    #[must_use]
    pub fn count(&self, feature: usize, value: f64) -> usize {
        let mut buffer = Vec::new();
        let is_equal = |i: &usize| self.row(*i, &mut buffer).get(feature).to_f64() == value;
        (0..self.len()).filter(is_equal).count()
    }

    /// Row `i`; a row that is not contiguous in memory is copied into `buffer`.
    #[inline(always)]
    pub(crate) fn row<'b>(&'b self, i: usize, buffer: &'b mut Vec<T>) -> Row<'b, T> {
        match self {
            Self::Dense(x) => {
                if let Some(all) = x.as_slice() {
                    let columns = x.ncols();
                    return Row::Dense(&all[i * columns..(i + 1) * columns]);
                }
                buffer.clear();
                buffer.extend(x.row(i).iter());
                Row::Dense(buffer)
            }
            Self::Sparse { indptr, indices, values, .. } => {
                let entries = indptr[i]..indptr[i + 1];
                Row::Sparse(&indices[entries.clone()], &values[entries])
            }
        }
    }

    /// Checks that every row has `features` features and that sparse rows are well-formed; values are not checked.
    pub(crate) fn check_shape(&self, features: usize) -> Result<()> {
        if self.columns() != features {
            return Err(Error::shape(
                "X",
                format!("{features} features, as the rows learned before"),
                self.columns(),
            ));
        }
        match self {
            Self::Dense(_) => Ok(()),
            Self::Sparse { indptr, indices, values, columns } => {
                check_sparse(indptr, indices, values.len(), *columns)
            }
        }
    }
}

impl<T: Real> Row<'_, T> {
    /// Checks that all values are finite, or NaN if `accepts_nan`; `row` is the index of the row in its batch.
    pub(crate) fn check_finite(self, row: usize, accepts_nan: bool) -> Result<()> {
        let is_valid = |x: &T| x.is_finite() || accepts_nan && x.is_nan();
        let Some(i) = self.values().iter().position(|x| !is_valid(x)) else { return Ok(()) };
        let column = self.feature(i);
        let got = if self.values()[i].is_nan() { "NaN" } else { "infinity" };
        Err(Error::NotFinite { name: "X", row, column, named: None, got: got.into(), instead: None })
    }
}

fn check_sparse(indptr: &[usize], indices: &[u32], entries: usize, columns: usize) -> Result<()> {
    let error = |expected: &str, got: String| Err(Error::shape("X", expected, got));
    if indices.len() != entries {
        return error("as many indices as values", format!("{} and {entries}", indices.len()));
    }
    if indptr.first() != Some(&0) || indptr.last() != Some(&entries) {
        let got = match indptr {
            [first, .., last] => format!("some from {first} to {last}"),
            _ => format!("{} of them", indptr.len()),
        };
        return error("row pointers from 0 to the number of entries", got);
    }
    if indptr.windows(2).any(|w| w[0] > w[1]) {
        return error("row pointers that do not decrease", "decreasing ones".into());
    }
    for (row, w) in indptr.windows(2).enumerate() {
        let row_indices = &indices[w[0]..w[1]];
        if row_indices.windows(2).any(|pair| pair[0] >= pair[1]) {
            return error(
                "strictly increasing column indices within a row",
                format!("different ones in row {row}"),
            );
        }
        if row_indices.last().is_some_and(|&last| last as usize >= columns) {
            return error(
                "column indices below the number of features",
                format!("different ones in row {row}"),
            );
        }
    }
    Ok(())
}
