//! The pipeline as a component of the learner.

use super::{Bandwidth, InputMap, Metric, RowTransform, Scaler};
use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::float::Real;
use crate::persist::Tensors;

impl<T: Real> InputMap<T> {
    /// The components, in the order in which files are read.
    fn all_components(&self) -> [&dyn Component<T>; 5] {
        let Self { row_transform, bandwidth, metric, frozen: _ } = self;
        let RowTransform { hasher, scaler, categories, missing_values: _ } = row_transform;
        [hasher, bandwidth, scaler, categories, metric]
    }

    /// The components for changes, in the order of [`InputMap::all_components`].
    fn all_components_mut(&mut self) -> [&mut dyn Component<T>; 5] {
        let Self { row_transform, bandwidth, metric, frozen: _ } = self;
        let RowTransform { hasher, scaler, categories, missing_values: _ } = row_transform;
        [hasher, bandwidth, scaler, categories, metric]
    }

    /// Whether gamma does not change any more.
    pub(crate) fn has_final_gamma(&self) -> bool {
        self.bandwidth.is_final()
    }

    /// The source of gamma.
    pub(crate) fn bandwidth(&self) -> &Bandwidth {
        &self.bandwidth
    }

    /// Feature hashing and standardisation.
    pub(crate) fn row_transform(&self) -> &RowTransform<T> {
        &self.row_transform
    }

    /// The number of columns of raw rows for a model of `features` features.
    pub(crate) fn n_columns(&self, features: usize) -> usize {
        self.row_transform.hasher.as_ref().map_or(features, |hasher| hasher.columns)
    }

    /// Whether rows may have any number of columns.
    pub(crate) fn accepts_any_columns(&self) -> bool {
        self.row_transform.hasher.is_some()
    }

    /// Removes the feature hasher, for comparisons.
    #[cfg(test)]
    pub(crate) fn remove_hasher(&mut self) {
        self.row_transform.hasher = None;
    }

    /// Sets the number of columns of hashed rows. Returns false, and changes nothing, if rows are not hashed.
    pub(crate) fn set_columns(&mut self, columns: usize) -> bool {
        self.row_transform.hasher.as_mut().map(|hasher| hasher.columns = columns).is_some()
    }

    /// Whether gamma, scaler and metric were copied from another model.
    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Whether rows are standardised by given means and standard deviations.
    pub(crate) fn has_given_scaling(&self) -> bool {
        matches!(self.row_transform.scaler, Some(Scaler::Fixed(_)))
    }

    /// The first step in which two pipelines differ, if any.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let equal_scalers = match (&self.row_transform.scaler, &other.row_transform.scaler) {
            (Some(a), Some(b)) => a.is_equal(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let steps = [
            ("scaling", equal_scalers && self.row_transform.has_equal_factors(&other.row_transform)),
            ("metric", self.metric_entries() == other.metric_entries()),
            ("hash of columns", self.row_transform.hasher == other.row_transform.hasher),
        ];
        steps.into_iter().find(|(_, equal)| !equal).map(|(step, _)| step)
    }

    /// The largest `|x|^2` for which `|z|^2` stays below `limit`.
    pub(crate) fn max_squared_norm(&self, limit: f64) -> f64 {
        self.metric.as_ref().map_or(f64::INFINITY, |metric| limit / metric.max_stretch())
    }

    /// The entries of the learned metric.
    pub(crate) fn metric_entries(&self) -> Option<Vec<T>> {
        self.metric.as_ref().map(Metric::entries)
    }
}

impl<T: Real> Component<T> for InputMap<T> {
    fn add_features(&mut self, features: usize) {
        self.all_components_mut().into_iter().for_each(|component| component.add_features(features));
    }

    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        self.all_components_mut().into_iter().for_each(|component| component.add_outputs(added, task));
    }

    fn save(&self, out: &mut Tensors) {
        if self.frozen {
            out.set("frozen", true);
        }
        self.all_components().into_iter().for_each(|component| component.save(out));
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        self.all_components_mut().into_iter().try_for_each(|component| component.load(from, head))
    }
}
