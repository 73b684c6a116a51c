//! The terms of the scores of a row, as arrays.

use crate::array_input::{AlignedRows, InputForm, Purpose, with_rows};
use crate::error::to_python;
use crate::float_type::{FloatMatrix, NumpyFloat};
use crate::methods::typed_learner;
use crate::native_model::NativeModel;
use budgetrs::Rows;
use budgetrs::learner::Explanation;
use budgetrs::model::Model;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

impl NativeModel {
    /// The terms of the scores of a row: for each support vector, for each column of the linear term, and others.
    pub(crate) fn explain<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = x.py();
        let (terms, support_vectors) =
            self.with_input(x, InputForm::Row, Purpose::Predict, |AlignedRows { input, columns }| {
                with_rows!(input.rows(), rows => self.shared.read(py, |model| {
                    let fits = columns.as_ref().is_none_or(|columns| model.has_columns(columns));
                    fits.then(|| explained(model, &rows)).transpose()
                }))
            })?;
        let found = PyDict::new(py);
        let classes = terms.classes.into_iter().map(|class| class as i64);
        found.set_item("classes", PyArray1::from_iter(py, classes))?;
        found.set_item("similarities", PyArray1::from_vec(py, terms.similarities))?;
        found.set_item("contributions", PyArray1::from_vec(py, terms.vectors))?;
        found.set_item("vectors", support_vectors.into_array(py)?)?;
        found.set_item("linear", PyArray1::from_vec(py, terms.linear))?;
        found.set_item("intercept", PyArray1::from_vec(py, terms.constant))?;
        found.set_item("limit", PyArray1::from_vec(py, terms.limit))?;
        found.set_item("scores", PyArray1::from_vec(py, terms.scores))?;
        found.set_item("columns", terms.columns)?;
        Ok(found)
    }
}

fn explained<T: NumpyFloat>(model: &Model, rows: &Rows<'_, T>) -> PyResult<(Explanation, FloatMatrix)> {
    let learner = typed_learner::<T>(model)?;
    let vectors = T::matrix(learner.support_vectors(), [learner.n_support(), learner.n_features()]);
    Ok((model.explain(rows).map_err(to_python)?, vectors))
}
