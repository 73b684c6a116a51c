//! Batches of rows and labels, and whether they are legal.

use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::Label;
use crate::row::Row;
use ndarray::ArrayView2;
use std::ops::Range;

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

    /// Whether there are none.
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

    /// Whether every row has `features` finite values.
    pub(crate) fn check(&self, features: usize) -> Result<()> {
        if self.columns() != features {
            return Err(Error::shape("X", format!("{features} features"), self.columns()));
        }
        match self {
            Self::Dense(x) => check_dense(x),
            Self::Sparse { indptr, indices, values, columns } => {
                check_sparse(indptr, indices, values, *columns)
            }
        }
    }
}

/// Whether all are finite, without a branch per number.
fn all_finite<T: Real>(values: &[T]) -> bool {
    values.chunks(1024).all(|part| part.iter().fold(true, |ok, x| ok & x.is_finite()))
}

fn check_dense<T: Real>(x: &ArrayView2<'_, T>) -> Result<()> {
    if x.as_slice().is_some_and(all_finite) {
        return Ok(());
    }
    match x.indexed_iter().find(|(_, v)| !v.is_finite()) {
        Some(((row, column), v)) => Err(not_finite(row, column, *v)),
        None => Ok(()),
    }
}

fn not_finite<T: Real>(row: usize, column: usize, v: T) -> Error {
    let got = if v.to_f64().is_nan() { "NaN" } else { "infinity" };
    Error::NotFinite { name: "X", row, column, got: got.into() }
}

fn check_sparse<T: Real>(indptr: &[usize], indices: &[u32], values: &[T], columns: usize) -> Result<()> {
    let bad = |expected: &str, got: String| Err(Error::shape("X", expected, got));
    let entries = values.len().min(indices.len());
    if indices.len() != values.len() {
        return bad("as many indices as values", format!("{} and {}", indices.len(), values.len()));
    }
    if indptr.first() != Some(&0) || indptr.last() != Some(&entries) {
        return bad("row pointers from 0 to the number of entries", format!("{:?}", indptr.last()));
    }
    if indptr.windows(2).any(|w| w[0] > w[1]) {
        return bad("row pointers that do not decrease", "decreasing ones".into());
    }
    for (row, w) in indptr.windows(2).enumerate() {
        let entries: Range<usize> = w[0]..w[1];
        let within = &indices[entries.clone()];
        if within.windows(2).any(|pair| pair[0] >= pair[1]) {
            return bad("strictly increasing column indices within a row", format!("others in row {row}"));
        }
        if within.last().is_some_and(|&last| last as usize >= columns) {
            return bad("column indices below the number of features", format!("others in row {row}"));
        }
        if let Some(at) = entries.clone().find(|&at| !values[at].is_finite()) {
            return Err(not_finite(row, indices[at] as usize, values[at]));
        }
    }
    Ok(())
}

/// The labels of a batch.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// The index of each row's class.
    Classes(&'a [u32]),
}

impl Targets<'_> {
    #[inline(always)]
    pub(crate) fn label(self, i: usize, classes: usize) -> Label {
        match self {
            Self::Classes(y) => Label::of_class(y[i] as usize, classes),
        }
    }

    /// Whether there is one legal label to each row.
    pub(crate) fn check(self, rows: usize, classes: usize) -> Result<()> {
        match self {
            Self::Classes(y) => {
                if y.len() != rows {
                    return Err(Error::shape("y", format!("{rows} entries"), y.len()));
                }
                match y.iter().enumerate().find(|(_, y)| **y as usize >= classes) {
                    Some((row, &got)) => {
                        let classes = format!("0 to {}", classes - 1);
                        Err(Error::Label { row, got: got.to_string(), classes })
                    }
                    None => Ok(()),
                }
            }
        }
    }
}
