//! The components of a learner.

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
