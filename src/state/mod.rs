//! State derived from the expansion and kept up to date with its edits. Each strategy owns the state that it uses.

mod gram;
mod margins;
mod neighbours;
mod norm;
mod with_norm;

pub(crate) use gram::Gram;
pub(crate) use margins::Margins;
pub(crate) use neighbours::Neighbours;
pub(crate) use norm::Norm;
pub(crate) use with_norm::WithNorm;

use crate::added_outputs::AddedOutputs;
use crate::error::Result;
use crate::expansion::{OnEdit, SupportSet};
use crate::float::Real;
use crate::persist::Tensors;

/// State derived from the expansion: updated by every edit, saved and loaded with the model.
pub(crate) trait DerivedState<T: Real>: OnEdit<T> {
    /// Adds outputs for more classes; state without outputs has nothing to do.
    fn add_outputs(&mut self, _added: AddedOutputs) {}

    /// Writes the part of the state that the expansion does not determine.
    fn save(&self, _support: &SupportSet<T>, _out: &mut Tensors) {}

    /// Restores the state after the model is loaded: reads the saved part and computes the rest.
    fn load(&mut self, from: &Tensors, support: &SupportSet<T>) -> Result<()>;
}
