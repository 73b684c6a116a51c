//! `scale_gamma`: the kernel parameter gamma from a whole batch.

use crate::array_input::{InputForm, Purpose, with_rows};
use crate::call_rows::with_aligned;
use crate::error::{catch_panic, to_python};
use crate::named_table::Known;
use budgetrs::columns::Columns;
use budgetrs::{Error, Spec, learner};
use pyo3::prelude::*;

/// Compute gamma="scale" of a whole batch: 1 / (n_features * variance of all entries).
///
/// If all entries are equal it is `1 / n_features`. It is limited to 1e-30 to 1e30. Dense and sparse rows give
/// bit-identical results.
///
/// Parameters
/// ----------
/// X : array-like of shape (n, d), scipy.sparse CSR matrix or NamedRows
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
    let py = X.py();
    with_aligned(
        (X, InputForm::Batch),
        Purpose::Predict,
        || Ok(Known::default()),
        |aligned| {
            with_rows!(aligned.input.rows(), rows => {
                let gamma = py.detach(|| catch_panic(|| Ok(learner::scale_gamma(&rows))))?;
                let columns = aligned.columns.as_deref();
                gamma.map(Some).map_err(|error| to_python(with_names_and_remedy(error, columns)))
            })
        },
    )
}

/// The error as a model without scaling would raise it.
fn with_names_and_remedy(error: Error, columns: Option<&Columns>) -> Error {
    let error = columns.into_iter().fold(error, |error, columns| columns.with_column_name(error));
    match Spec::named("bsgd-merge").and_then(|spec| spec.check()) {
        Ok(spec) => spec.with_remedy(error),
        Err(_) => error,
    }
}
