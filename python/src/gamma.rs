//! `scale_gamma`: the kernel parameter gamma from a whole batch.

use crate::array_input::{self, InputForm, Purpose, with_rows};
use crate::error::{catch_panic, to_python};
use budgetrs::learner;
use pyo3::prelude::*;

/// Compute gamma="scale" of a whole batch: 1 / (n_features * variance of all entries).
///
/// If all entries are equal it is `1 / n_features`. It is limited to 1e-30 to 1e30. Dense and sparse rows give
/// bit-identical results.
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
///     If there are no rows, or an entry is not finite.
///
/// Examples
/// --------
/// >>> from budgetrs._core import scale_gamma
/// >>> scale_gamma([[0.0, 2.0], [4.0, 2.0]])
/// 0.25
#[pyfunction]
#[expect(non_snake_case, reason = "the name that every scikit-learn user knows")]
pub(crate) fn scale_gamma(X: &Bound<'_, PyAny>) -> PyResult<f64> {
    let input = array_input::read(X, InputForm::Batch, None, Purpose::Predict)?;
    with_rows!(input.rows(), rows => {
        X.py().detach(|| catch_panic(|| learner::scale_gamma(&rows).map_err(to_python)))
    })
}
