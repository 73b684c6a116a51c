//! Rows that are learned in another order than that of their batch, some at a time side by side.

use super::{Rows, Targets};
use crate::float::Real;
use ndarray::ArrayView2;

/// Dense rows of a batch in the order in which they are learned, with their targets and weights: a large store looks at
/// several of them at once.
#[derive(Debug, Default)]
pub(super) struct Gathered<T: Real> {
    x: Vec<T>,
    columns: usize,
    classes: Vec<u32>,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl<T: Real> Gathered<T> {
    /// Copies the rows of these numbers.
    pub(super) fn gather(
        &mut self,
        rows: &Rows<'_, T>,
        targets: Targets<'_>,
        weights: Option<&[f64]>,
        numbers: &[usize],
    ) {
        let mut buffer = Vec::new();
        self.columns = rows.columns();
        self.x.clear();
        for &row in numbers {
            self.x.extend_from_slice(rows.row(row, &mut buffer).values());
        }
        match targets {
            Targets::Classes(y) => refill(&mut self.classes, y, numbers),
            Targets::Values(y) => refill(&mut self.values, y, numbers),
        }
        if let Some(weights) = weights {
            refill(&mut self.weights, weights, numbers);
        }
    }

    /// The rows, as many as were gathered.
    pub(super) fn rows(&self, count: usize) -> Rows<'_, T> {
        let rows = ArrayView2::from_shape((count, self.columns), &self.x);
        Rows::Dense(rows.expect("rows of so many columns were gathered"))
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

fn refill<A: Copy>(to: &mut Vec<A>, from: &[A], numbers: &[usize]) {
    to.clear();
    to.extend(numbers.iter().map(|&row| from[row]));
}
