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
    /// Copies the rows with these indices, with their targets and weights.
    pub(crate) fn copy(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        indices: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        self.copy_rows(rows, indices.clone());
        match targets {
            Targets::Classes(y) => refill(&mut self.classes, y, indices.clone()),
            Targets::Values(y) => refill(&mut self.values, y, indices.clone()),
        }
        if let Some(weights) = weights {
            refill(&mut self.weights, weights, indices);
        }
    }

    /// Copies the rows with these indices.
    pub(crate) fn copy_rows(
        &mut self,
        rows: &Rows<'_, T>,
        row_indices: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        (self.columns, self.rows) = (rows.columns(), row_indices.len());
        self.x.clear();
        self.indptr.clear();
        match rows {
            Rows::Dense(x) => {
                let mut buffer = Vec::new();
                for row in row_indices.clone() {
                    self.x.extend_from_slice(rows.row(row, &mut buffer).values());
                }
                debug_assert_eq!(self.x.len(), x.ncols() * row_indices.len(), "every value of each row");
            }
            Rows::Sparse { indptr, indices, values, .. } => {
                self.indices.clear();
                self.indptr.push(0);
                for row in row_indices {
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

    /// The copied targets: classes or values, as in `kind`.
    pub(crate) fn targets(&self, kind: Targets<'_>) -> Targets<'_> {
        match kind {
            Targets::Classes(_) => Targets::Classes(&self.classes),
            Targets::Values(_) => Targets::Values(&self.values),
        }
    }

    /// The copied weights; empty without weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }
}

fn refill<A: Copy>(to: &mut Vec<A>, from: &[A], indices: impl Iterator<Item = usize>) {
    to.clear();
    to.extend(indices.map(|row| from[row]));
}
