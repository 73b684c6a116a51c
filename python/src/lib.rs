//! The Python extension module `budgetrs._core`: conversion at the boundary, no mathematics.
#![allow(
    clippy::doc_link_with_quotes,
    clippy::doc_markdown,
    clippy::needless_pass_by_value,
    reason = "the doc comments are Python's documentation, and PyO3 and `map_err` pass arguments by value"
)]

mod after_learning;
mod arguments;
mod array_input;
mod atomic_file;
mod batch;
mod call_length;
mod call_rows;
mod classifier;
mod combine;
mod dict_row;
mod error;
mod explanation;
mod float_type;
mod gamma;
mod generate;
mod keyed;
mod labels;
mod memory_limit;
mod methods;
mod model_file;
mod named_table;
mod native_model;
mod parameter_table;
mod parameters;
mod reader;
mod regressor;
mod shared_model;
mod signals;
mod single_row;
mod thread_pool;
mod warnings;
mod writer_lock;

use budgetrs::params::MaintenanceEntry;
use budgetrs::{ALGORITHMS, Spec, ops, params};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Models of many keys come and go, which fragments the heap of other allocators. Development builds use the system's
/// allocator, whose blocks valgrind knows.
#[cfg(not(debug_assertions))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
#[pyo3(name = "_core", gil_used = true)]
fn core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ops::check_forced().map_err(|error| PyImportError::new_err(error.to_string()))?;
    let names = ALGORITHMS.iter().map(|algorithm| algorithm.name);
    module.add("ALGORITHMS", PyTuple::new(module.py(), names)?)?;
    let required = PyDict::new(module.py());
    for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.requires_rate) {
        required.set_item(algorithm.name, ("rate",))?;
    }
    module.add("REQUIRED", required)?;
    let probable =
        params::Loss::ALL.into_iter().filter(|loss| loss.has_probabilities()).map(params::Loss::name);
    module.add("COVERAGES", PyTuple::new(module.py(), budgetrs::learner::COVERAGES)?)?;
    module.add("PROBABILISTIC_LOSSES", PyTuple::new(module.py(), probable.collect::<Vec<_>>())?)?;
    module.add(
        "UNBOUNDED_STRATEGIES",
        PyTuple::new(module.py(), strategies(|entry| entry.may_be_unbounded))?,
    )?;
    module.add("MARGIN_STRATEGIES", PyTuple::new(module.py(), strategies(|entry| entry.needs_margins))?)?;
    module.add("RANDOM_STRATEGIES", PyTuple::new(module.py(), strategies(|entry| entry.draws_at_random))?)?;
    let kernels = PyDict::new(module.py());
    for kernel in params::KernelName::ALL {
        kernels.set_item(kernel.name(), kernel.accumulated())?;
    }
    module.add("KERNELS", kernels)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(isa, module)?)?;
    module.add_function(wrap_pyfunction!(parameters_of, module)?)?;
    module.add_function(wrap_pyfunction!(parameter_table::table, module)?)?;
    module.add_function(wrap_pyfunction!(parameter_table::choices, module)?)?;
    module.add_function(wrap_pyfunction!(parameter_table::reject_unknown, module)?)?;
    module.add_function(wrap_pyfunction!(parameter_table::applicable, module)?)?;
    module.add_function(wrap_pyfunction!(gamma::scale_gamma, module)?)?;
    module.add_function(wrap_pyfunction!(generate::checkerboard, module)?)?;
    module.add_function(wrap_pyfunction!(generate::waveform, module)?)?;
    module.add_function(wrap_pyfunction!(memory_limit::set_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(combine::combine, module)?)?;
    module.add_function(wrap_pyfunction!(call_length::learns_in_copy, module)?)?;
    module.add_class::<native_model::NativeModel>()?;
    // The base class reads models of both classes.
    for name in ["load", "from_bytes"] {
        module.add(name, module.getattr("NativeModel")?.getattr(name)?)?;
    }
    module.add_class::<classifier::Classifier>()?;
    module.add_class::<regressor::Regressor>()?;
    module.add_class::<keyed::PyKeyedModels>()?;
    module.add_class::<reader::Reader>()?;
    module.add_function(wrap_pyfunction!(reader::sample_csv, module)?)?;
    module.add_function(wrap_pyfunction!(reader::libsvm_width, module)?)?;
    module.add_class::<atomic_file::PyAtomicFile>()?;
    Ok(())
}

/// The names of the strategies for which `has` is true.
fn strategies(has: impl Fn(&MaintenanceEntry) -> bool) -> Vec<&'static str> {
    let entries = params::Maintenance::ALL.map(params::Maintenance::entry).into_iter();
    entries.filter(|entry| has(entry)).map(|entry| entry.name).collect()
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
fn isa() -> &'static str {
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
fn parameters_of<'py>(py: Python<'py>, algorithm: &str) -> PyResult<Bound<'py, PyDict>> {
    let spec = Spec::named(algorithm).map_err(error::to_python)?;
    parameters::to_dict(py, &spec)
}
