//! `combine`: the weighted mean of models.

use crate::arguments::{Argument, Budget};
use crate::arrays;
use crate::classifier::Classifier;
use crate::error::{guard, to_python};
use crate::native_model::NativeModel;
use crate::regressor::Regressor;
use budgetrs::Error;
use budgetrs::model::Model;
use pyo3::prelude::*;

/// What `budgetrs.combine` calls: the mean of native models, and what a budget costs.
#[pyfunction]
pub(crate) fn combine(
    py: Python<'_>,
    models: &Bound<'_, PyAny>,
    budget: Argument<Budget>,
    weights: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Py<PyAny>, f64)> {
    let weights = weights.map(|weights| arrays::read("weights", weights)).transpose()?;
    let refused =
        |got: String| to_python(Error::parameter("models", "a list of Classifiers or of Regressors", got));
    let mut all = Vec::new();
    let listed = models.try_iter().map_err(|_| refused(models.get_type().to_string()))?;
    for model in listed {
        let model = model?;
        let native = model.cast::<NativeModel>().map_err(|_| refused(model.get_type().to_string()))?;
        all.push(native.get().shared.read(py, |state| Ok(state.model.clone()))?);
    }
    let (mean, lost) = py.detach(|| {
        guard(|| {
            let models: Vec<&Model> = all.iter().collect();
            Model::combine(&models, budget.0.map(|most| most.0), weights.as_deref()).map_err(to_python)
        })
    })?;
    let regression = mean.spec.spec().loss.is_regression();
    let native = NativeModel::new(mean, None)?;
    let model = if regression {
        Regressor::with(py, native)?.into_any()
    } else {
        Classifier::with(py, native)?.into_any()
    };
    Ok((model, lost))
}
