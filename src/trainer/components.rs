//! The components of a learner.

use super::Learner;
use crate::component::Component;
use crate::float::Real;
use crate::input::{InputMap, Preprocessor};
use crate::monitor::Monitoring;

/// A component that a learner may do without.
fn optional<T: Real, C: Component<T>>(part: Option<&C>) -> Option<&dyn Component<T>> {
    part.map(|part| part as &dyn Component<T>)
}

/// A component that a learner may do without, to change.
fn optional_mut<T: Real, C: Component<T>>(part: &mut Option<C>) -> Option<&mut dyn Component<T>> {
    part.as_mut().map(|part| part as &mut dyn Component<T>)
}

impl<T: Real> Learner<T> {
    /// Every component.
    pub(super) fn components(&self) -> Vec<&dyn Component<T>> {
        let Self { input, model, rule, budget, monitoring, progress, .. } = self;
        let InputMap { rows: Preprocessor { hasher, scaler }, bandwidth, metric, .. } = input;
        let Monitoring { averaging, online } = monitoring;
        let all = [
            optional(hasher.as_ref()),
            optional(progress.class_weights.as_ref()),
            Some(bandwidth),
            optional(scaler.as_ref()),
            optional(metric.as_ref()),
            Some(rule),
            Some(budget),
            Some(model),
            optional(averaging.as_ref()),
            optional(online.as_ref()),
        ];
        all.into_iter().flatten().collect()
    }

    /// Every component, to change: the list of [`Learner::components`].
    pub(super) fn components_mut(&mut self) -> Vec<&mut dyn Component<T>> {
        let Self { input, model, rule, budget, monitoring, progress, .. } = self;
        let InputMap { rows: Preprocessor { hasher, scaler }, bandwidth, metric, .. } = input;
        let Monitoring { averaging, online } = monitoring;
        let all = [
            optional_mut(hasher),
            optional_mut(&mut progress.class_weights),
            Some(bandwidth),
            optional_mut(scaler),
            optional_mut(metric),
            Some(rule),
            Some(budget),
            Some(model),
            optional_mut(averaging),
            optional_mut(online),
        ];
        all.into_iter().flatten().collect()
    }
}
