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
mod dict_row;
mod error;
mod explanation;
mod float_type;
mod functions;
mod generate;
mod keyed;
mod keys;
mod labels;
mod metadata;
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

use pyo3::prelude::*;

/// Models of many keys come and go, which fragments the heap of other allocators. Development builds use the system's
/// allocator, whose blocks valgrind knows.
#[cfg(not(debug_assertions))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
#[pyo3(name = "_core", gil_used = true)]
mod extension {
    #[pymodule_export]
    use crate::{
        atomic_file::PyAtomicFile, call_length::should_copy, classifier::Classifier, functions::combine,
        functions::isa, functions::parameters_of, functions::scale_gamma, functions::set_memory_limit,
        generate::checkerboard, generate::waveform, keyed::PyKeyedModels, native_model::NativeModel,
        parameter_table::applicable, parameter_table::choices, parameter_table::reject_unknown,
        parameter_table::table, reader::Reader, reader::libsvm_width, reader::sample_csv,
        regressor::Regressor,
    };
    use budgetrs::params::MaintenanceEntry;
    use budgetrs::{ALGORITHMS, ops, params};
    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;
    use pyo3::types::{IntoPyDict, PyTuple};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        ops::check_forced().map_err(|error| PyImportError::new_err(error.to_string()))?;
        let losses = params::Loss::ALL.into_iter().filter(|loss| loss.has_probabilities());
        for (name, names) in [
            ("ALGORITHMS", ALGORITHMS.iter().map(|algorithm| algorithm.name).collect()),
            ("PROBABILISTIC_LOSSES", losses.map(params::Loss::name).collect()),
            ("UNBOUNDED_STRATEGIES", strategies(|entry| entry.may_be_unbounded)),
            ("MARGIN_STRATEGIES", strategies(|entry| entry.needs_margins)),
            ("RANDOM_STRATEGIES", strategies(|entry| entry.draws_at_random)),
        ] {
            module.add(name, PyTuple::new(module.py(), names)?)?;
        }
        module.add("COVERAGES", PyTuple::new(module.py(), budgetrs::learner::COVERAGES)?)?;
        let required = ALGORITHMS.iter().filter(|algorithm| algorithm.requires_rate);
        let required = required.map(|algorithm| (algorithm.name, ("rate",)));
        module.add("REQUIRED", required.into_py_dict(module.py())?)?;
        let kernels = params::KernelName::ALL.map(|kernel| (kernel.name(), kernel.accumulated()));
        module.add("KERNELS", kernels.into_py_dict(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let base = module.getattr("model")?;
        module.delattr("model")?;
        // The base class reads models of both classes.
        for name in ["load", "from_bytes"] {
            module.add(name, base.getattr(name)?)?;
        }
        module.add("NativeModel", base)?;
        Ok(())
    }

    /// The names of the strategies for which `has` is true.
    fn strategies(has: impl Fn(&MaintenanceEntry) -> bool) -> Vec<&'static str> {
        let entries = params::Maintenance::ALL.map(params::Maintenance::entry).into_iter();
        entries.filter(|entry| has(entry)).map(|entry| entry.name).collect()
    }
}
