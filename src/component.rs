//! The protocol of everything with state: what happens to a learner as a whole is a loop over its components.

use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;

/// The head of a model file, which is known when the components are loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loading {
    pub(crate) task: Task,
    pub(crate) features: usize,
    /// Rows learned.
    pub(crate) n_seen: u64,
    /// The most support vectors.
    pub(crate) max_size: usize,
}

/// A part of a learner that has state. A new mechanism implements what concerns it in its own file, and is one line in
/// the learner's list of components.
pub(crate) trait Component<T: Real> {
    /// Appends features that were zero in every row.
    fn widen(&mut self, _features: usize) {}

    /// Adds outputs for the classes of `task`.
    fn add_outputs(&mut self, _added: AddedOutputs, _task: Task) {}

    /// Writes everything that later behaviour depends on, under a name of its own.
    fn save(&self, _out: &mut Tensors) {}

    /// Restores what [`Component::save`] wrote.
    fn load(&mut self, _from: &Tensors, _head: &Loading) -> Result<()> {
        Ok(())
    }
}

/// A component that a model may do without.
pub(crate) fn optional<T: Real, C: Component<T>>(part: Option<&C>) -> Option<&dyn Component<T>> {
    part.map(|part| part as &dyn Component<T>)
}

/// A component that a model may do without, to change.
pub(crate) fn optional_mut<T: Real, C: Component<T>>(part: &mut Option<C>) -> Option<&mut dyn Component<T>> {
    part.as_mut().map(|part| part as &mut dyn Component<T>)
}
