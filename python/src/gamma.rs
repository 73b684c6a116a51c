//! `scale_gamma`: the kernel's width from a whole batch.

use crate::array_input::{self, AnyInput, Form, Input};
use crate::error::{guard, to_python};
use crate::float_type::NumpyFloat;
use crate::table_input::NamedRows;
use budgetrs::{Error, Result, Spec, learner};
use pyo3::prelude::*;

/// Compute gamma="scale" of a whole batch: 1 / (n_features * variance of all entries).
///
/// It is `1 / n_features` where all are equal, and never beyond 1e-30 and 1e30. Dense and sparse rows give the same
/// bits.
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
    let (py, named) = (X.py(), X.cast::<NamedRows>().ok());
    let array = named.map_or_else(|| X.clone(), |rows| rows.get().array(py));
    let gamma = match array_input::input(&array, Form::Batch, array_input::dtype_of(&array)?)? {
        AnyInput::F32(input) => of(py, &input)?,
        AnyInput::F64(input) => of(py, &input)?,
    };
    gamma.map_err(|error| to_python(refusal(error, named)))
}

fn of<T: NumpyFloat>(py: Python<'_>, input: &Input<'_, T>) -> PyResult<Result<f64>> {
    let rows = input.rows();
    py.detach(|| guard(|| Ok(learner::scale_gamma(&rows))))
}

/// The error of rows that a model without scaling would learn.
fn refusal(error: Error, named: Option<&Bound<'_, NamedRows>>) -> Error {
    let error = named.map_or_else(|| error.clone(), |rows| rows.get().columns.named_in(error.clone()));
    match Spec::named("bsgd-merge").and_then(|spec| spec.check()) {
        Ok(spec) => spec.with_remedy(error),
        Err(_) => error,
    }
}
