//! `scale_gamma`: the kernel parameter gamma from a whole batch.

use crate::array_input::{self, InputForm, Purpose, with_rows};
use crate::error::{catch_panic, to_python};
use crate::named_rows::NamedRows;
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
    let (py, named) = (X.py(), X.cast::<NamedRows>().ok());
    let array = named.map_or_else(|| X.clone(), |rows| rows.get().array(py));
    let float_type = array_input::float_type_of(&array)?;
    let input = array_input::read(&array, InputForm::Batch, float_type, Purpose::Predict)?;
    with_rows!(input.rows(), rows => {
        let gamma = py.detach(|| catch_panic(|| Ok(learner::scale_gamma(&rows))))?;
        gamma.map_err(|error| to_python(with_names_and_remedy(error, named)))
    })
}

/// The error as a model without scaling would raise it.
fn with_names_and_remedy(error: Error, named: Option<&Bound<'_, NamedRows>>) -> Error {
    let error =
        named.map_or_else(|| error.clone(), |rows| rows.get().columns.with_column_name(error.clone()));
    match Spec::named("bsgd-merge").and_then(|spec| spec.check()) {
        Ok(spec) => spec.with_remedy(error),
        Err(_) => error,
    }
}
