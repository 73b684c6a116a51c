//! The learner: checked parameters, the components of the model, and the training loop.

mod add_features;
mod basis;
mod buffers;
mod build;
mod class_weights;
mod classes;
mod combine;
mod compiled_loops;
mod components;
mod explain;
mod inspect;
mod memory;
mod memory_estimate;
mod persist;
mod predict;
mod predict_one;
mod predict_uncertain;
mod preprocessing;
mod progress;
mod refit;
mod run;
mod session;
mod step;
mod validate;

#[cfg(test)]
mod tests;

pub use crate::batch::{Rows, Target, Targets};
pub use crate::input::scale_gamma;
pub use crate::monitor::{Baselines, COVERAGES, Counts};
pub use components::Learner;
pub use explain::Explanation;
pub use memory::set_memory_limit;
pub use predict_one::ScoreBuffers;
pub use session::{LearnSession, ScoreSession};

use buffers::LearnBuffers;
pub(crate) use combine::Part;
pub(crate) use refit::{FitRows, MAX_ROWS as MAX_REFIT_ROWS};
