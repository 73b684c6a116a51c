//! A batch of rows, dense or sparse, and the checks of its shape.

use super::Row;
use crate::error::{Error, Result};
use crate::float::Real;
use ndarray::ArrayView2;

/// Rows of input.
#[derive(Debug, Clone, Copy)]
pub enum Rows<'a, T: Real> {
    /// One row of an array to the example, whatever its memory layout.
    Dense(ArrayView2<'a, T>),
    /// Compressed sparse rows: row `i` has the entries `indptr[i]..indptr[i + 1]`; indices are zero-based and strictly
    /// increasing within a row.
    Sparse {
        /// One more entry than there are rows, not decreasing.
        indptr: &'a [usize],
        /// The feature of each entry.
        indices: &'a [u32],
        /// The value of each entry.
        values: &'a [T],
        /// Features of a row.
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

    /// How many rows.
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

    /// Features of a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse { columns, .. } => *columns,
        }
    }

    /// Row `i`; one that is not contiguous goes through `buffer`.
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

    /// Whether every row has `features` places for numbers, which may be any.
    pub(crate) fn check_shape(&self, features: usize) -> Result<()> {
        if self.columns() != features {
            return Err(Error::shape("X", format!("{features} features"), self.columns()));
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
    /// Whether all numbers are finite, or missing where that is legal; `row` is where they stand in their batch.
    pub(crate) fn check_finite(self, row: usize, missing: bool) -> Result<()> {
        let legal = |x: &T| x.is_finite() || missing && x.is_nan();
        let Some(at) = self.values().iter().position(|x| !legal(x)) else { return Ok(()) };
        let column = match self {
            Self::Dense(_) => at,
            Self::Sparse(indices, _) => indices[at] as usize,
        };
        let got = if self.values()[at].is_nan() { "NaN" } else { "infinity" };
        Err(Error::NotFinite { name: "X", row, column, named: None, got: got.into(), instead: None })
    }
}

fn check_sparse(indptr: &[usize], indices: &[u32], entries: usize, columns: usize) -> Result<()> {
    let bad = |expected: &str, got: String| Err(Error::shape("X", expected, got));
    if indices.len() != entries {
        return bad("as many indices as values", format!("{} and {entries}", indices.len()));
    }
    if indptr.first() != Some(&0) || indptr.last() != Some(&entries) {
        let got = match indptr {
            [first, .., last] => format!("some from {first} to {last}"),
            _ => format!("{} of them", indptr.len()),
        };
        return bad("row pointers from 0 to the number of entries", got);
    }
    if indptr.windows(2).any(|w| w[0] > w[1]) {
        return bad("row pointers that do not decrease", "decreasing ones".into());
    }
    for (row, w) in indptr.windows(2).enumerate() {
        let within = &indices[w[0]..w[1]];
        if within.windows(2).any(|pair| pair[0] >= pair[1]) {
            return bad("strictly increasing column indices within a row", format!("others in row {row}"));
        }
        if within.last().is_some_and(|&last| last as usize >= columns) {
            return bad("column indices below the number of features", format!("others in row {row}"));
        }
    }
    Ok(())
}
