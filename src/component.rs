//! The protocol of every component of a learner. Appending features, adding classes, saving and loading are
//! loops over the components.

use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;

/// The values of a model file that are known before the components are loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loading {
    pub(crate) task: Task,
    pub(crate) features: usize,
    /// Rows learned.
    pub(crate) n_seen: u64,
    /// The maximum number of support vectors.
    pub(crate) max_size: usize,
}

/// A part of a learner that has state. The default of each method does nothing. "Adding a mechanism" in CONTRIBUTING.md
/// lists the steps that a new input step or monitor needs.
pub(crate) trait Component<T: Real> {
    /// Appends features that were zero in every row.
    fn add_features(&mut self, _features: usize) {}

    /// Adds outputs; `task` has the new number of classes.
    fn add_outputs(&mut self, _added: AddedOutputs, _task: Task) {}

    /// Writes all state that later behaviour depends on, into a separate scope.
    fn save(&self, _out: &mut Tensors) {}

    /// Restores the state that [`Component::save`] wrote.
    fn load(&mut self, _from: &Tensors, _head: &Loading) -> Result<()> {
        Ok(())
    }
}

/// A part that a learner may lack.
impl<T: Real, C: Component<T>> Component<T> for Option<C> {
    fn add_features(&mut self, features: usize) {
        if let Some(component) = self {
            component.add_features(features);
        }
    }

    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        if let Some(component) = self {
            component.add_outputs(added, task);
        }
    }

    fn save(&self, out: &mut Tensors) {
        if let Some(component) = self {
            component.save(out);
        }
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        self.iter_mut().try_for_each(|component| component.load(from, head))
    }
}
