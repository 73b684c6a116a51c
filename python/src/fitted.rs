//! The parts of a trained model from which its attributes are read.

use crate::float_type::{FloatMatrix, NumpyFloat, with_learner};
use crate::shared_model::{SharedModel, learner_of};
use budgetrs::columns::Columns;
use budgetrs::learner::{Baselines, Counts};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use std::sync::Arc;

impl SharedModel {
    pub(crate) fn counts(&self, py: Python<'_>) -> PyResult<Counts> {
        self.read_holding_gil(py, |model| Ok(with_learner!(learner_of(model)?, l => l.counts())))
    }

    /// The mean error of a baseline over the rows learned for the first time.
    pub(crate) fn mean_baseline(&self, py: Python<'_>, sum: fn(&Baselines) -> f64) -> PyResult<f64> {
        self.read_holding_gil(py, |model| {
            let (sum, rows) = with_learner!(learner_of(model)?, l => (sum(l.baselines()), l.counts().n_new));
            Ok(sum / rows.max(1) as f64)
        })
    }

    /// The number of columns of X, before one-hot encoding.
    pub(crate) fn n_features_in(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |model| {
            let width = with_learner!(learner_of(model)?, l => l.n_columns());
            Ok(model.columns.as_ref().map_or(width, |columns| columns.names().count()))
        })
    }

    /// The columns; an error if they have no names.
    pub(crate) fn columns(&self, py: Python<'_>) -> PyResult<Arc<Columns>> {
        let missing = || {
            PyAttributeError::new_err("this model has no column names: it learned arrays, not data frames")
        };
        self.read(py, |model| model.columns.clone().ok_or_else(missing))
    }

    /// The matrix of the learned metric, or its diagonal.
    pub(crate) fn metric(&self, py: Python<'_>) -> PyResult<FloatMatrix> {
        let missing = || {
            PyAttributeError::new_err(
                "this model has no components_: it learns no metric (metric_learning = \"none\")",
            )
        };
        self.read_learner(py, |any| {
            with_learner!(any, l => {
                let entries = l.components().ok_or_else(missing)?;
                let shape = [entries.len() / l.n_features(), l.n_features()];
                Ok(NumpyFloat::matrix(entries, shape))
            })
        })
    }

    /// The slopes of the linear term beyond the clip.
    pub(crate) fn linear_tail(&self, py: Python<'_>) -> PyResult<FloatMatrix> {
        let missing = || {
            PyAttributeError::new_err(
                "this model has no tail_coef_: only regressors with algorithm = \"online-kernel\" and scaling = \"online\" do",
            )
        };
        self.read_learner(py, |any| {
            with_learner!(any, l => {
                let slopes = l.linear_tail().ok_or_else(missing)?;
                Ok(NumpyFloat::matrix(slopes, [l.n_outputs(), l.n_features()]))
            })
        })
    }

    /// The matrix of the linear term, and the column of its intercepts.
    pub(crate) fn linear(&self, py: Python<'_>) -> PyResult<(FloatMatrix, FloatMatrix)> {
        let missing = || PyAttributeError::new_err("this model has no linear term (linear_weight = None)");
        self.read_learner(py, |any| {
            with_learner!(any, l => {
                let (matrix, intercepts) = l.linear().ok_or_else(missing)?;
                let (outputs, features) = (l.n_outputs(), l.n_features());
                let matrix = NumpyFloat::matrix(matrix, [outputs, features]);
                Ok((matrix, NumpyFloat::matrix(intercepts, [outputs, 1])))
            })
        })
    }
}

/// Names as an array of objects: the dtype of `feature_names_in_` in scikit-learn.
pub(crate) fn objects(py: Python<'_>, names: Vec<String>) -> PyResult<Bound<'_, PyAny>> {
    py.import("numpy")?.call_method1("array", (names, "object"))
}
