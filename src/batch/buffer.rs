//! Copies of rows of a batch: in another order, or because another thread may change the memory of the batch.

use super::{Rows, Targets};
use crate::float::Real;
use ndarray::ArrayView2;

/// Copied rows in the order in which they are learned, with their targets and weights.
#[derive(Debug, Default)]
pub(crate) struct RowBuffer<T: Real> {
    /// The values of dense or sparse rows.
    x: Vec<T>,
    columns: usize,
    rows: usize,
    /// The structure of sparse rows; empty for dense ones.
    indices: Vec<u32>,
    indptr: Vec<usize>,
    classes: Vec<u32>,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl<T: Real> RowBuffer<T> {
    /// Copies the rows of these numbers, with their targets and weights.
    pub(crate) fn copy(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        numbers: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        self.copy_rows(rows, numbers.clone());
        match targets {
            Targets::Classes(y) => refill(&mut self.classes, y, numbers.clone()),
            Targets::Values(y) => refill(&mut self.values, y, numbers.clone()),
        }
        if let Some(weights) = weights {
            refill(&mut self.weights, weights, numbers);
        }
    }

    /// Copies the rows of these numbers.
    pub(crate) fn copy_rows(
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

    /// The copied rows.
    pub(crate) fn rows(&self) -> Rows<'_, T> {
        if self.indptr.is_empty() {
            let rows = ArrayView2::from_shape((self.rows, self.columns), &self.x);
            return Rows::Dense(rows.expect("as many values were copied"));
        }
        let Self { indptr, indices, x: values, columns, .. } = self;
        Rows::Sparse { indptr, indices, values, columns: *columns }
    }

    /// Their targets, of the same kind as `like`.
    pub(crate) fn targets(&self, like: Targets<'_>) -> Targets<'_> {
        match like {
            Targets::Classes(_) => Targets::Classes(&self.classes),
            Targets::Values(_) => Targets::Values(&self.values),
        }
    }

    /// Their weights, if there are any.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }
}

fn refill<A: Copy>(to: &mut Vec<A>, from: &[A], numbers: impl Iterator<Item = usize>) {
    to.clear();
    to.extend(numbers.map(|row| from[row]));
}
