//! The components of a learner. A new mechanism belongs to one of them, usually to the input or the monitors, and
//! does not change this list: "Adding a mechanism" in CONTRIBUTING.md lists the steps. A new component also needs a
//! line in `combine.rs` if a combined model takes it over from its main part.

use super::Learner;
use crate::component::Component;
use crate::float::Real;

impl<T: Real> Learner<T> {
    /// All components, in the order in which files are read.
    pub(super) fn parts(&self) -> [&dyn Component<T>; 6] {
        let Self { input, expansion, rule, budget, monitors, progress, spec: _, buffers: _ } = self;
        [progress, input, rule, budget, expansion, monitors]
    }

    /// All components for changes, in the order of [`Learner::parts`].
    pub(super) fn parts_mut(&mut self) -> [&mut dyn Component<T>; 6] {
        let Self { input, expansion, rule, budget, monitors, progress, spec: _, buffers: _ } = self;
        [progress, input, rule, budget, expansion, monitors]
    }
}
