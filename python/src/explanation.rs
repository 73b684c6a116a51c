//! The terms of the scores of a row, as arrays.

use crate::array_input::{AlignedRows, InputForm, Purpose, with_rows};
use crate::error::to_python;
use crate::float_type::{FloatMatrix, NumpyFloat};
use crate::methods::typed_learner;
use crate::native_model::NativeModel;
use budgetrs::Rows;
use budgetrs::columns::Columns;
use budgetrs::learner::Explanation;
use budgetrs::model::Model;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;

/// An explanation, with what else the model says about the row and its support vectors.
struct Explained {
    terms: Explanation,
    scores: Vec<f64>,
    support_vectors: FloatMatrix,
    /// The names of the columns, if the terms of the linear term belong to columns with names.
    columns: Option<Vec<String>>,
}

impl NativeModel {
    /// The terms of the scores of a row: for each support vector, for each column of the linear term, and others.
    pub(crate) fn explain<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let Explained { terms, scores, support_vectors, columns } = self.with_input(
            x,
            InputForm::Row,
            Purpose::Predict,
            |AlignedRows { input, columns, .. }| {
                with_rows!(input.rows(), rows => self.shared.read(x.py(), |model| {
                    if columns.as_ref().is_some_and(|columns| !model.has_columns(columns)) {
                        return Ok(None);
                    }
                    explained(model, &rows).map(Some)
                }))
            },
        )?;
        let (py, outputs) = (x.py(), scores.len());
        let found = PyDict::new(py);
        let matrix = |terms: Vec<f64>| {
            let rows = terms.len() / outputs;
            FloatMatrix::F64(terms, [rows, outputs]).into_array(py)
        };
        found.set_item(
            "classes",
            PyArray1::from_iter(py, terms.classes.into_iter().map(|class| class as i64)),
        )?;
        found.set_item("similarities", PyArray1::from_vec(py, terms.similarities))?;
        found.set_item("contributions", matrix(terms.vectors)?)?;
        found.set_item("vectors", support_vectors.into_array(py)?)?;
        found.set_item("linear", matrix(terms.linear)?)?;
        found.set_item("intercept", PyArray1::from_vec(py, terms.constant))?;
        found.set_item("limit", PyArray1::from_vec(py, terms.limit))?;
        found.set_item("scores", PyArray1::from_vec(py, scores))?;
        found.set_item("columns", columns)?;
        Ok(found)
    }
}

fn explained<T: NumpyFloat>(model: &Model, rows: &Rows<'_, T>) -> PyResult<Explained> {
    let learner = typed_learner::<T>(model)?;
    let named = |error| to_python(model.with_column_name(error));
    let scores =
        learner.decision_function(rows).map_err(named)?.into_iter().map(T::to_f64).collect::<Vec<_>>();
    let mut terms = learner.explain(rows).map_err(named)?;
    // Hashed features belong to no column.
    let columns = model.columns.as_deref().filter(|_| model.spec.spec().hash_features.is_none());
    if let Some(columns) = columns {
        terms.linear = by_column(columns, &terms.linear, scores.len());
    }
    Ok(Explained {
        terms,
        scores,
        support_vectors: T::matrix(learner.support_vectors(), [learner.n_support(), learner.n_features()]),
        columns: columns.map(|columns| columns.names().map(str::to_owned).collect()),
    })
}

/// The sum of the terms of the features of each column.
fn by_column(columns: &Columns, features: &[f64], outputs: usize) -> Vec<f64> {
    let places: HashMap<&str, usize> = columns.names().zip(0..).collect();
    let mut sums = vec![0.0; columns.n_columns() * outputs];
    for (feature, terms) in features.chunks_exact(outputs).enumerate() {
        if let Some(place) = columns.column_of(feature).and_then(|name| places.get(name)) {
            sums[place * outputs..].iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
    }
    sums
}
