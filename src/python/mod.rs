//! The Python extension module `budgetrs._core`: conversion at the boundary, no mathematics.
#![allow(
    clippy::doc_markdown,
    clippy::needless_pass_by_value,
    reason = "these texts are Python's documentation, and PyO3 and `map_err` hand over values"
)]

mod classifier;
mod convert;
mod error;
mod labels;
mod numbers;
mod parameters;
mod reader;
mod shared;
mod state;
mod threads;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

#[pymodule]
#[pyo3(name = "_core")]
fn core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let names = crate::ALGORITHMS.iter().map(|algorithm| algorithm.name);
    module.add("ALGORITHMS", PyTuple::new(module.py(), names)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(isa, module)?)?;
    module.add_function(wrap_pyfunction!(parameters_of, module)?)?;
    module.add_function(wrap_pyfunction!(classifier::rebuild, module)?)?;
    module.add_class::<classifier::Classifier>()?;
    module.add_class::<reader::Reader>()?;
    Ok(())
}

/// The processor level in use: "avx512", "avx2", "neon" or "portable". The variable `BUDGETRS_SIMD` forces one.
#[pyfunction]
fn isa() -> &'static str {
    crate::simd::isa().name()
}

/// The parameters of a named algorithm with their defaults.
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
///     When there is no algorithm of that name.
#[pyfunction]
#[pyo3(name = "parameters")]
fn parameters_of<'py>(py: Python<'py>, algorithm: &str) -> PyResult<Bound<'py, PyDict>> {
    let spec = crate::Spec::named(algorithm).map_err(error::to_python)?;
    parameters::to_dict(py, &spec)
}
