//! Weights that balance classes of unequal frequency, from running counts.

use crate::added_outputs::AddedOutputs;
use crate::batch::Task;
use crate::component::{Component, Loading};
use crate::count::MAX_WEIGHT;
use crate::error::{Result, check_model};
use crate::float::Real;
use crate::params::{CheckedSpec, ClassWeight};
use crate::persist::Tensors;

/// Prior rows per class, so that the first row of a rare class does not outweigh all other rows.
const PRIOR_ROWS: f64 = 10.0;

/// The largest factor of a weight.
const MAX_FACTOR: f64 = 100.0;

/// Balanced class weights. Row t is the n-th row of its class, and K classes were seen so far: its weight is multiplied
/// by `(t + K a) / (K (n + a))` with the prior a, which is about `t / (K n)`, scikit-learn's balanced weight of the
/// rows so far. The counts do not include sample weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClassWeights {
    /// The number of rows of each class.
    rows: Vec<u64>,
    /// The number of classes with rows.
    classes: usize,
}

impl ClassWeights {
    /// The counts before the first row; None if classes are not balanced.
    pub(super) fn new(spec: &CheckedSpec, task: Task) -> Option<Self> {
        match &spec.spec().class_weight {
            ClassWeight::Balanced if task != Task::Regression => {
                Some(Self { rows: vec![0; task.classes()], classes: 0 })
            }
            ClassWeight::None | ClassWeight::Balanced | ClassWeight::ByLabel(_) => None,
        }
    }

    /// Counts row `t`, and returns its balanced weight.
    #[inline(always)]
    pub(super) fn weight(&mut self, t: u64, class: usize, weight: f64) -> f64 {
        self.classes += usize::from(self.rows[class] == 0);
        self.rows[class] += 1;
        let classes = self.classes as f64;
        let factor = (t as f64 + classes * PRIOR_ROWS) / (classes * (self.rows[class] as f64 + PRIOR_ROWS));
        (weight * factor.min(MAX_FACTOR)).min(MAX_WEIGHT)
    }

    /// An upper bound of the balanced weight, for any distribution of the classes.
    #[inline(always)]
    pub(super) fn upper_bound(weight: f64) -> f64 {
        (weight * MAX_FACTOR).min(MAX_WEIGHT)
    }
}

impl<T: Real> Component<T> for ClassWeights {
    fn add_outputs(&mut self, _: AddedOutputs, task: Task) {
        self.rows.resize(task.classes(), 0);
    }

    fn save(&self, out: &mut Tensors) {
        let rows = self.rows.iter().map(|rows| *rows as f64);
        out.scope_mut("balance").put("rows", &[self.rows.len()], rows);
    }

    fn load(&mut self, from: &Tensors, head: &Loading) -> Result<()> {
        let rows: Vec<f64> = from.scope("balance")?.get("rows", &[self.rows.len()])?;
        let are_counts =
            rows.iter().all(|rows| rows.fract() == 0.0 && (0.0..=head.n_seen as f64).contains(rows));
        self.rows = rows.iter().map(|rows| *rows as u64).collect();
        self.classes = self.rows.iter().filter(|rows| **rows > 0).count();
        check_model(
            are_counts
                && self.rows.iter().try_fold(0, |sum: u64, rows| sum.checked_add(*rows)) == Some(head.n_seen),
            "the rows per class do not sum to the number of rows learned",
        )
    }
}
