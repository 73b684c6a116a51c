//! Copies of rows, some at a time side by side: in another order than that of their batch, or because their memory may
//! be changed by others.

use super::{Rows, Targets};
use crate::float::Real;
use ndarray::ArrayView2;

/// Rows of a batch in the order in which they are learned, with their targets and weights: a large store looks at
/// several of them at once.
#[derive(Debug, Default)]
pub(crate) struct RowBuffer<T: Real> {
    /// The numbers of dense rows, or the values of sparse ones.
    x: Vec<T>,
    columns: usize,
    rows: usize,
    /// Of sparse rows.
    indices: Vec<u32>,
    indptr: Vec<usize>,
    classes: Vec<u32>,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl<T: Real> RowBuffer<T> {
    /// Copies the rows of these numbers, with their targets and weights.
    pub(super) fn gather(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        numbers: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        self.gather_rows(rows, numbers.clone());
        match targets {
            Targets::Classes(y) => refill(&mut self.classes, y, numbers.clone()),
            Targets::Values(y) => refill(&mut self.values, y, numbers.clone()),
        }
        if let Some(weights) = weights {
            refill(&mut self.weights, weights, numbers);
        }
    }

    /// Copies the rows of these numbers.
    pub(crate) fn gather_rows(
        &mut self,
        rows: &Rows<'_, T>,
        numbers: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        (self.columns, self.rows) = (rows.columns(), numbers.len());
        self.x.clear();
        self.indptr.clear();
        match rows {
            Rows::Dense(x) => {
                let mut buffer = Vec::new();
                for row in numbers.clone() {
                    self.x.extend_from_slice(rows.row(row, &mut buffer).values());
                }
                debug_assert_eq!(self.x.len(), x.ncols() * numbers.len(), "every number of each row");
            }
            Rows::Sparse { indptr, indices, values, .. } => {
                self.indices.clear();
                self.indptr.push(0);
                for row in numbers {
                    let entries = indptr[row]..indptr[row + 1];
                    self.x.extend_from_slice(&values[entries.clone()]);
                    self.indices.extend_from_slice(&indices[entries]);
                    self.indptr.push(self.x.len());
                }
            }
        }
    }

    /// The rows that were gathered.
    pub(crate) fn rows(&self) -> Rows<'_, T> {
        if self.indptr.is_empty() {
            let rows = ArrayView2::from_shape((self.rows, self.columns), &self.x);
            return Rows::Dense(rows.expect("rows of so many columns were gathered"));
        }
        let Self { indptr, indices, x: values, columns, .. } = self;
        Rows::Sparse { indptr, indices, values, columns: *columns }
    }

    /// Their targets, which are of the kind of these.
    pub(super) fn targets(&self, like: Targets<'_>) -> Targets<'_> {
        match like {
            Targets::Classes(_) => Targets::Classes(&self.classes),
            Targets::Values(_) => Targets::Values(&self.values),
        }
    }

    /// Their weights, if there are any.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }
}

fn refill<A: Copy>(to: &mut Vec<A>, from: &[A], numbers: impl Iterator<Item = usize>) {
    to.clear();
    to.extend(numbers.map(|row| from[row]));
}
