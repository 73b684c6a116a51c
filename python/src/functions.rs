//! Functions of the module that belong to no class.

use crate::arguments::{self, Count};
use crate::array_input::{self, InputForm, Purpose, with_rows};
use crate::error::{catch_panic, to_python};
use crate::native_model::NativeModel;
use crate::parameters;
use budgetrs::model::Model;
use budgetrs::{Error, Spec, learner, ops};
use pyo3::prelude::*;
use pyo3::types::PyDict;

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

/// Set the largest size of any model of this process.
///
/// The size is computed for a full model, from its parameters and its numbers of features and classes. It counts the
/// support vectors, one more than the budget, because a row can become a support vector before another one is removed;
/// after each row the model is within its budget. It also counts all other arrays and buffers of the model. A larger
/// model raises an error before memory is reserved: when it learns its first batch, when features or classes are
/// added, and when it is loaded. Existing models above the limit continue. The command line's ``--max-memory`` sets
/// the same limit. The `max_memory` of `KeyedModels` is another number: it bounds the models in memory together.
///
/// Parameters
/// ----------
/// max_memory : int or None
///     Bytes per model, at least 1. None is no limit. A model without a largest size (``budget=None``, or `rate`
///     without `max_size`) is counted with its first 128 support vectors (float64: 64), and can grow beyond the limit.
///
/// Returns
/// -------
/// int or None
///     The previous limit.
///
/// Raises
/// ------
/// ValueError
///     If the number is less than 1 or no integer.
///
/// Examples
/// --------
/// >>> import budgetrs
/// >>> import numpy as np
/// >>> before = budgetrs.set_memory_limit(2**20)
/// >>> try:
/// ...     budgetrs.Classifier("pa-random", budget=100).learn(np.eye(2, 10_000), [0, 1])
/// ... except ValueError as error:
/// ...     print(error)
/// max_memory must be at least 16692152 bytes for 101 support vectors of 10000 features, got 1048576
/// >>> budgetrs.set_memory_limit(before)
/// 1048576
#[pyfunction]
pub(crate) fn set_memory_limit(
    #[pyo3(from_py_with = arguments::max_memory)] max_memory: Option<Count>,
) -> PyResult<Option<usize>> {
    learner::set_memory_limit(max_memory.map(|bytes| bytes.0)).map_err(to_python)
}

/// Return the SIMD level in use: "avx512", "avx2", "neon" or "portable".
///
/// The environment variable `BUDGETRS_SIMD` forces a level. If the processor does not have it, the import raises
/// `ImportError`.
///
/// Returns
/// -------
/// str
///     The level, chosen once per process.
#[pyfunction]
pub(crate) fn isa() -> &'static str {
    ops::isa().name()
}

/// Return the parameters of a named algorithm with their defaults.
///
/// Parameters
/// ----------
/// algorithm : str
///     A name in `ALGORITHMS`.
///
/// Returns
/// -------
/// dict
///     Parameter names to defaults.
///
/// Raises
/// ------
/// ValueError
///     If there is no algorithm of that name.
///
/// Examples
/// --------
/// >>> from budgetrs._core import parameters
/// >>> parameters("bsgd-merge")["maintenance"]
/// 'merge'
#[pyfunction]
#[pyo3(name = "parameters")]
pub(crate) fn parameters_of<'py>(py: Python<'py>, algorithm: &str) -> PyResult<Bound<'py, PyDict>> {
    let spec = Spec::named(algorithm).map_err(to_python)?;
    parameters::to_dict(py, &spec)
}
