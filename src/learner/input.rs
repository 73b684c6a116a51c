//! Batches of rows and labels, and whether they are legal.

use super::Scaler;
use super::scaling::all_within;
use crate::error::{Error, Result};
use crate::float::Real;
use crate::label::{Label, Task};
use crate::row::Row;
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
    pub(super) fn check_shape(&self, features: usize) -> Result<()> {
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

    /// Whether the square of every number, once it is scaled, is `square` at most: a look without a branch per number,
    /// which may also say no where it would take long to find out.
    pub(super) fn within(&self, square: T, scaling: Option<&Scaler<T>>) -> bool {
        match (self, scaling) {
            (Self::Dense(x), None) => x.as_slice().is_some_and(|x| slice_within(x, square)),
            (Self::Dense(x), Some(scaling)) => x.as_slice().is_some_and(|all| {
                all.chunks_exact(x.ncols()).all(|x| scaling.is_bounded(Row::Dense(x), square))
            }),
            (Self::Sparse { values, .. }, None) => slice_within(values, square),
            (Self::Sparse { indices, values, .. }, Some(scaling)) => {
                scaling.is_bounded(Row::Sparse(indices, values), square)
            }
        }
    }

    /// The same of folded rows, whose `|x|^2` is to be `longest` at most where they are not scaled: no sum of n numbers
    /// is larger than n times the largest of them.
    pub(super) fn folds_within(&self, longest: f64, square: T, scaling: Option<&Scaler<T>>) -> bool {
        let entries = match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse { indptr, .. } => indptr.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0),
        };
        let longest = match scaling {
            None => longest,
            // Any sum that is finite is clipped.
            Some(scaling @ (Scaler::Running(_) | Scaler::Frozen(_)))
                if scaling.is_bounded(Row::Sparse(&[], &[]), square) =>
            {
                T::MAX_SQ_NORM / 4.0
            }
            Some(_) => return false,
        };
        self.within(T::from_f64(longest / (entries * entries).max(1) as f64), None)
    }
}

fn slice_within<T: Real>(values: &[T], square: T) -> bool {
    values.chunks(1024).all(|part| all_within(part.iter().copied(), square))
}

impl<T: Real> Row<'_, T> {
    /// Whether all numbers are finite, or missing where that is legal; `row` is where they stand in their batch.
    pub(super) fn check_finite(self, row: usize, missing: bool) -> Result<()> {
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

/// What one row is learned with. It is made [`From`] an index or a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The index of its class.
    Class(u32),
    /// Its number, in regression.
    Value(f64),
}

impl From<u32> for Target {
    fn from(class: u32) -> Self {
        Self::Class(class)
    }
}

impl From<f64> for Target {
    fn from(value: f64) -> Self {
        Self::Value(value)
    }
}

/// The labels of a batch.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// The index of each row's class.
    Classes(&'a [u32]),
    /// The number of each row.
    Values(&'a [f64]),
}

/// The largest number to be predicted: squares of sums of such numbers fit into single precision.
const MAX_VALUE: f64 = 1e15;

impl<'a> From<&'a Target> for Targets<'a> {
    fn from(target: &'a Target) -> Self {
        match target {
            Target::Class(class) => Self::Classes(std::slice::from_ref(class)),
            Target::Value(value) => Self::Values(std::slice::from_ref(value)),
        }
    }
}

impl Targets<'_> {
    #[inline(always)]
    pub(crate) fn label(self, i: usize, task: Task) -> Label {
        match self {
            Self::Classes(y) => Label::of_class(y[i] as usize, task.classes()),
            Self::Values(y) => Label::Value(y[i]),
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Classes(y) => y.len(),
            Self::Values(y) => y.len(),
        }
    }

    /// Whether there is one legal label to each row.
    pub(crate) fn check(self, rows: usize, task: Task) -> Result<()> {
        if self.len() != rows {
            return Err(Error::shape("y", format!("{rows} entries"), self.len()));
        }
        match (self, task) {
            (Self::Classes(y), Task::Classes(classes)) => {
                match y.iter().enumerate().find(|(_, y)| **y as usize >= classes) {
                    Some((row, &got)) => {
                        let classes = format!("0 to {}", classes - 1);
                        Err(Error::Label { row, got: got.to_string(), classes })
                    }
                    None => Ok(()),
                }
            }
            (Self::Values(y), Task::Regression) => {
                match y.iter().enumerate().find(|(_, y)| y.abs() > MAX_VALUE || y.is_nan()) {
                    Some((row, got)) => Err(Error::entry("y", "numbers from -1e15 to 1e15", got, row)),
                    None => Ok(()),
                }
            }
            (Self::Classes(_), Task::Regression) => {
                Err(Error::parameter("y", "numbers, for regression", "classes"))
            }
            (Self::Values(_), Task::Classes(_)) => {
                Err(Error::parameter("y", "classes, for classification", "numbers"))
            }
        }
    }
}
