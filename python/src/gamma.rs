//! `scale_gamma`: the kernel's width from a whole batch.

use crate::convert::{self, AnyInput, Form, Input};
use crate::error::{guard, to_python};
use crate::native::Native;
use budgetrs::learner;
use pyo3::prelude::*;

/// Compute gamma="scale" of a whole batch: 1 / (n_features * variance of all entries).
///
/// It is `1 / n_features` where all are equal, and never beyond 1e-30 and 1e30. Dense and sparse rows give the same bits.
///
/// Parameters
/// ----------
/// X : array-like of shape (n, d) or scipy.sparse CSR matrix
///     Finite numbers.
///
/// Returns
/// -------
/// float
///     The gamma.
///
/// Raises
/// ------
/// ValueError
///     When there are no rows, or an entry is not finite.
///
/// Examples
/// --------
/// >>> from budgetrs._core import scale_gamma
/// >>> scale_gamma([[0.0, 2.0], [4.0, 2.0]])
/// 0.25
#[pyfunction]
#[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
pub(crate) fn scale_gamma(X: &Bound<'_, PyAny>) -> PyResult<f64> {
    match convert::input(X, Form::Batch, convert::dtype_of(X)?)? {
        AnyInput::F32(input) => of(X.py(), &input),
        AnyInput::F64(input) => of(X.py(), &input),
    }
}

fn of<T: Native>(py: Python<'_>, input: &Input<'_, T>) -> PyResult<f64> {
    let rows = input.rows();
    py.detach(|| guard(|| learner::scale_gamma(&rows).map_err(to_python)))
}
