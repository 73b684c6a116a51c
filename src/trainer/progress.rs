//! What a learner has counted: rows, classes and their weights, random numbers.

use super::class_weights::ClassWeights;
use crate::batch::{Label, Task};
use crate::monitor::Counts;
use crate::rng::Rng;

/// What a learner has counted so far.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    pub(super) counts: Counts,
    /// The counts per class, if classes are balanced.
    pub(super) class_weights: Option<ClassWeights>,
    pub(super) rng: Rng,
    pub(super) task: Task,
    /// The number of classes seen so far (open class set), or of all classes (closed set).
    pub(super) n_seen_classes: usize,
}

impl Progress {
    /// The number of the next row, from 1 on.
    #[inline(always)]
    pub(super) fn next(&self) -> u64 {
        self.counts.n_seen + 1
    }

    /// The weight that row `t` is learned with, and an upper bound of it that the check of rows knew.
    #[inline(always)]
    pub(super) fn class_weight(&mut self, t: u64, label: Label, weight: f64) -> (f64, f64) {
        match (&mut self.class_weights, label.class()) {
            (Some(weights), Some(class)) => {
                (weights.weight(t, class, weight), ClassWeights::upper_bound(weight))
            }
            _ => (weight, weight),
        }
    }

    /// Counts a row whose label matters to the rule.
    #[inline(always)]
    pub(super) fn asked(&mut self, needs_label: bool) {
        self.counts.queries += u64::from(needs_label);
    }
}
