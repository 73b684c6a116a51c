//! `combine`: the weighted mean of models.

use crate::arguments::{self, Count};
use crate::array_input;
use crate::error::{catch_panic, to_python};
use crate::native_model::NativeModel;
use budgetrs::Error;
use budgetrs::model::Model;
use pyo3::prelude::*;

/// Combine native models, as `budgetrs.combine` describes: the weighted mean, and its relative error within the budget.
#[pyfunction]
pub(crate) fn combine<'py>(
    py: Python<'py>,
    models: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = arguments::budget)] budget: Option<Count>,
    weights: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, f64)> {
    let weights = weights.map(|weights| array_input::read_floats("weights", weights)).transpose()?;
    let no_models = |got: &Bound<'_, PyAny>| {
        let expected = "a list of Classifiers or of Regressors";
        to_python(Error::parameter("models", expected, got.get_type().to_string()))
    };
    let mut all = Vec::new();
    for model in models.try_iter().map_err(|_| no_models(models))? {
        let model = model?;
        let native = model.cast::<NativeModel>().map_err(|_| no_models(&model))?;
        all.push(native.get().shared.read(py, |model| Ok(model.clone()))?);
    }
    let (mean, relative_error) = py.detach(|| {
        catch_panic(|| {
            let models: Vec<&Model> = all.iter().collect();
            Model::combine(&models, budget.map(|budget| budget.0), weights.as_deref()).map_err(to_python)
        })
    })?;
    Ok((NativeModel::object(py, mean, None)?, relative_error))
}
