//! `limit_memory`: what a model may take.

use crate::arguments::{Argument, MaxMemory};
use crate::error::to_python;
use budgetrs::learner;
use pyo3::prelude::*;

/// Set the most memory that any model of this process may take.
///
/// A model whose budget, number of features and number of classes would take more when it is full is refused before
/// memory is reserved for it: when its first batch is learned, when it is widened or gets classes, and when it is
/// loaded. The command line's ``--max-memory`` sets the same limit.
///
/// Parameters
/// ----------
/// max_memory : int or None
///     Bytes of one model, at least 1; None is no limit. A model without a budget is counted with its first support
///     vectors.
///
/// Returns
/// -------
/// int or None
///     The limit before.
///
/// Raises
/// ------
/// ValueError
///     When the number is less than 1 or no integer.
///
/// Examples
/// --------
/// >>> import budgetrs
/// >>> import numpy as np
/// >>> before = budgetrs.limit_memory(2**20)
/// >>> try:
/// ...     budgetrs.Classifier("pa-random", budget=100).learn(np.eye(2, 10_000), [0, 1])
/// ... except ValueError as error:
/// ...     print(error)
/// max_memory must be at least 16692152 bytes for 101 support vectors of 10000 features, got 1048576
/// >>> budgetrs.limit_memory(before)
/// 1048576
#[pyfunction]
#[pyo3(text_signature = "(max_memory)")]
pub(crate) fn limit_memory(max_memory: Argument<MaxMemory>) -> PyResult<Option<usize>> {
    learner::limit_memory(max_memory.0.map(|bytes| bytes.0)).map_err(to_python)
}
