//! Fast checks whether all values of a batch are bounded, without a branch per value. The checks are conservative:
//! false means that the batch must be checked row by row.

use super::scaler::all_bounded;
use super::{InputMap, Scaler};
use crate::batch::{Row, Rows};
use crate::float::Real;

impl<T: Real> InputMap<T> {
    /// Whether every transformed row of a batch has `|x|^2 <= max_squared_norm`, and the square of each of its values
    /// is at most `bound`.
    pub(crate) fn are_bounded(&self, rows: &Rows<'_, T>, max_squared_norm: f64, bound: T) -> bool {
        let scaler = self.row_transform.scaler.as_ref();
        match &self.row_transform.hasher {
            None => rows_are_bounded(rows, bound, scaler),
            Some(_) => hashed_rows_are_bounded(rows, max_squared_norm, bound, scaler),
        }
    }
}

/// Whether the square of every standardised value is at most `bound`.
fn rows_are_bounded<T: Real>(rows: &Rows<'_, T>, bound: T, scaler: Option<&Scaler<T>>) -> bool {
    match (rows, scaler) {
        (Rows::Dense(x), None) => x.as_slice().is_some_and(|x| slice_is_bounded(x, bound)),
        (Rows::Dense(x), Some(scaler)) => x
            .as_slice()
            .is_some_and(|all| all.chunks_exact(x.ncols()).all(|x| scaler.is_bounded(Row::Dense(x), bound))),
        (Rows::Sparse { values, .. }, None) => slice_is_bounded(values, bound),
        (Rows::Sparse { indices, values, .. }, Some(scaler)) => {
            scaler.is_bounded(Row::Sparse(indices, values), bound)
        }
    }
}

/// Whether hashed rows are bounded. Without standardisation, every hashed row must have `|x|^2 <= max_squared_norm`;
/// otherwise the square of every value must be at most `bound`. A sum of n values is at most n times the largest value.
fn hashed_rows_are_bounded<T: Real>(
    rows: &Rows<'_, T>,
    max_squared_norm: f64,
    bound: T,
    scaler: Option<&Scaler<T>>,
) -> bool {
    let entries = match rows {
        Rows::Dense(x) => x.ncols(),
        Rows::Sparse { indptr, .. } => indptr.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0),
    };
    let max_squared_norm = match scaler {
        None => max_squared_norm,
        // The scaler clips every finite sum.
        Some(scaler) if scaler.makes_dense() && scaler.is_bounded(Row::Sparse(&[], &[]), bound) => {
            T::MAX_SQ_NORM / 4.0
        }
        Some(_) => return false,
    };
    rows_are_bounded(rows, T::from_f64(max_squared_norm / (entries * entries).max(1) as f64), None)
}

fn slice_is_bounded<T: Real>(values: &[T], bound: T) -> bool {
    values.chunks(1024).all(|chunk| all_bounded(chunk.iter().copied(), bound))
}
