//! What a model has warned of: each warning is raised once.

use crate::squared_errors::SquaredErrors;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// The warnings that a model has raised, each once.
pub(crate) struct Warnings {
    /// The features with a repeated outlier.
    pub(crate) features: Mutex<BTreeSet<usize>>,
    /// The columns with too many categories.
    pub(crate) columns: Mutex<BTreeSet<String>>,
    /// The columns whose rows had mostly unseen categories.
    pub(crate) unseen: Mutex<BTreeSet<String>>,
    /// Whether the labels were checked, as soon as they are many.
    pub(crate) has_checked_labels: AtomicBool,
    /// Whether there was a warning about labels in long runs.
    pub(crate) has_warned_of_runs: AtomicBool,
    /// The errors from which the model is compared with the previous target; None after the warning.
    pub(crate) compared: Mutex<Option<SquaredErrors>>,
    /// Whether the kernel values of rows were checked.
    pub(crate) has_checked_kernel: AtomicBool,
}

impl Warnings {
    /// A model that has learned needs no check of its labels, their order, its targets and kernel values.
    pub(crate) fn new(has_learned: bool) -> Self {
        Self {
            features: Mutex::default(),
            columns: Mutex::default(),
            unseen: Mutex::default(),
            has_checked_labels: AtomicBool::new(has_learned),
            has_warned_of_runs: AtomicBool::new(has_learned),
            compared: Mutex::new((!has_learned).then(SquaredErrors::default)),
            has_checked_kernel: AtomicBool::new(has_learned),
        }
    }
}
