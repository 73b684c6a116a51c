//! `set_memory_limit`: the largest size of a model.

use crate::arguments::{self, Count};
use crate::error::to_python;
use budgetrs::learner;
use pyo3::prelude::*;

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
