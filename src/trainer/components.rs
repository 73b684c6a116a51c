//! The components of a learner.
//!
//! To add a mechanism with state: implement [`Component`] in a file of its folder, and add it to the two lists of parts
//! of that folder (`input/component.rs` for what changes rows, `monitor/monitoring.rs` for what observes them). Then it
//! is widened, gets classes, is saved and is loaded. If it changes rows or observes them, `InputMap::is_identity` or
//! `Monitoring::is_plain` must say so: they choose the instantiation of the loop. A part that a combined model takes
//! over from its main part needs a line in `combine.rs`.

use super::Learner;
use crate::component::Component;
use crate::float::Real;

impl<T: Real> Learner<T> {
    /// All components, in the order in which files are read.
    pub(super) fn components(&self) -> [&dyn Component<T>; 6] {
        let Self { input, model, rule, budget, monitoring, progress, .. } = self;
        [progress, input, rule, budget, model, monitoring]
    }

    /// All components for changes, in the order of [`Learner::components`].
    pub(super) fn components_mut(&mut self) -> [&mut dyn Component<T>; 6] {
        let Self { input, model, rule, budget, monitoring, progress, .. } = self;
        [progress, input, rule, budget, model, monitoring]
    }
}
