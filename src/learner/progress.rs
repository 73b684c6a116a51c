//! The progress of a learner: counters, baselines, class weights, the random generator, and the classes.

use super::class_weights::ClassWeights;
use crate::added_outputs::AddedOutputs;
use crate::batch::{Example, Label, Task};
use crate::component::{Component, Loading};
use crate::error::Result;
use crate::float::Real;
use crate::monitor::{Baselines, Counts};
use crate::ops::starts_block;
use crate::params::CheckedSpec;
use crate::persist::Tensors;
use crate::rng::Rng;

/// The part of a learner that counts: counters, baselines, class weights and their counts, the random generator, the
/// task, and the number of classes seen.
#[derive(Debug, Clone)]
pub(super) struct LearnProgress {
    pub(super) counts: Counts,
    pub(super) baselines: Baselines,
    /// The balanced class weights; None if classes are not balanced.
    class_weights: Option<ClassWeights>,
    pub(super) rng: Rng,
    /// Regression, or the number of classes that the model has outputs for: at least 2.
    pub(super) task: Task,
    /// Closed class set: the number of classes of `task`. Open class set: the number of classes with learned rows,
    /// which may be 0 or 1 although `task` has 2 classes.
    pub(super) n_seen_classes: usize,
    /// Whether the rows of the session were learned before.
    pub(super) repeated: bool,
}

impl LearnProgress {
    /// The progress before the first row.
    pub(super) fn new(spec: &CheckedSpec, task: Task) -> Self {
        Self {
            counts: Counts::default(),
            baselines: Baselines::new(task),
            class_weights: ClassWeights::new(spec, task),
            rng: Rng::new(spec.seed()),
            task,
            n_seen_classes: task.classes(),
            repeated: false,
        }
    }

    /// The upper bound of the balanced weight of a row.
    pub(super) fn max_weight(&self, weight: f64) -> f64 {
        self.class_weights.as_ref().map_or(weight, |_| ClassWeights::upper_bound(weight))
    }

    /// The number of the next row, from 1 on.
    #[inline(always)]
    pub(super) fn next_row(&self) -> u64 {
        self.counts.n_seen + 1
    }

    /// The next row, with its weight before classes are balanced.
    #[inline(always)]
    pub(super) fn example(&self, label: Label, weight: f64) -> Example {
        let (t, repeated) = (self.next_row(), self.repeated);
        Example {
            t,
            label,
            weight,
            max_weight: weight,
            repeated,
            starts_block: starts_block(t),
            effective_n_before: 0.0,
            effective_n: 0.0,
        }
    }

    /// Counts the class of the row, and balances its weight.
    #[inline(always)]
    pub(super) fn balance(&mut self, example: &mut Example) {
        if let (Some(weights), Some(class)) = (&mut self.class_weights, example.label.class()) {
            example.max_weight = ClassWeights::upper_bound(example.weight);
            example.weight = weights.weight(example.t, class, example.weight);
        }
    }

    /// Adds the errors of the baselines for a row that is counted already, and counts its label if the rule needs it.
    #[inline(always)]
    pub(super) fn observe(&mut self, example: &Example, needs_label: bool) {
        if !example.repeated {
            self.baselines.observe(example.label, self.counts.n_new - 1);
        }
        self.counts.queries += u64::from(needs_label);
    }
}

impl<T: Real> Component<T> for LearnProgress {
    fn add_outputs(&mut self, added: AddedOutputs, task: Task) {
        self.task = task;
        Component::<T>::add_outputs(&mut self.baselines, added, task);
        Component::<T>::add_outputs(&mut self.class_weights, added, task);
    }

    fn save(&self, out: &mut Tensors) {
        out.set("classes", self.task.classes());
        out.set("generator", self.rng.state());
        self.counts.save(out.scope_mut("counts"));
        self.baselines.save(out.scope_mut("baselines"));
        Component::<T>::save(&self.class_weights, out);
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        self.rng = Rng::new(from.u64("generator")?);
        self.counts = Counts::load(from.scope("counts")?, self.task)?;
        self.baselines.load(from.scope("baselines")?, self.counts.n_new)?;
        Component::<T>::load(&mut self.class_weights, from, head)
    }
}
