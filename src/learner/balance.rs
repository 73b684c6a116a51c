//! Weights that balance classes of unequal frequency, from running counts.

use crate::error::{Error, Result};
use crate::label::{Label, Task};
use crate::params::{CheckedSpec, ClassWeight};
use crate::persist::Tensors;

/// The largest weight of a row.
pub(super) const MAX_WEIGHT: f64 = 1e9;

/// Rows that each class counts for beside its own, so that the first row of a rare class does not outweigh all others.
const PRIOR: f64 = 10.0;

/// The largest factor.
const MOST: f64 = 100.0;

/// The rows of each class. At row t, of a class of which it is the n-th row, with K classes seen so far, the weight is
/// multiplied by `(t + K a) / (K (n + a))`, a being the prior: about `t / (K n)`, scikit-learn's weight of the rows so
/// far. Rows are counted, not their weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClassWeights {
    rows: Vec<u64>,
    /// Classes with rows.
    classes: usize,
}

/// The most that the `t`-th row may be learned with, which the check of rows reckons with, and what it is learned with.
#[inline(always)]
pub(super) fn weighed(balance: &mut Option<ClassWeights>, t: u64, label: Label, weight: f64) -> (f64, f64) {
    let Some(balance) = balance else { return (weight, weight) };
    match label.class() {
        Some(class) => (ClassWeights::most(weight), balance.weigh(t, class, weight)),
        None => (weight, weight),
    }
}

impl ClassWeights {
    /// Before the first row, where classes are to be balanced.
    pub(super) fn new(spec: &CheckedSpec, task: Task) -> Option<Self> {
        match spec.spec().class_weight {
            ClassWeight::Balanced if task != Task::Regression => {
                Some(Self { rows: vec![0; task.classes()], classes: 0 })
            }
            ClassWeight::None | ClassWeight::Balanced => None,
        }
    }

    /// There are so many classes now, more than before.
    pub(super) fn add_classes(&mut self, classes: usize) {
        self.rows.resize(classes, 0);
    }

    /// Counts a row as the `t`-th and returns the weight that it is learned with.
    #[inline(always)]
    fn weigh(&mut self, t: u64, class: usize, weight: f64) -> f64 {
        self.classes += usize::from(self.rows[class] == 0);
        self.rows[class] += 1;
        let classes = self.classes as f64;
        let factor = (t as f64 + classes * PRIOR) / (classes * (self.rows[class] as f64 + PRIOR));
        (weight * factor.min(MOST)).min(MAX_WEIGHT)
    }

    /// The largest weight that a row of this weight may be learned with, however the classes are distributed.
    #[inline(always)]
    pub(super) fn most(weight: f64) -> f64 {
        (weight * MOST).min(MAX_WEIGHT)
    }

    pub(super) fn save(&self, out: &mut Tensors) {
        out.put("rows", &[self.rows.len()], self.rows.iter().map(|rows| *rows as f64));
    }

    /// Reads it, after `seen` rows.
    pub(super) fn load(&mut self, from: &Tensors, seen: u64) -> Result<()> {
        let rows: Vec<f64> = from.get("rows", &[self.rows.len()])?;
        let whole = rows.iter().all(|rows| rows.fract() == 0.0 && (0.0..=seen as f64).contains(rows));
        self.rows = rows.iter().map(|rows| *rows as u64).collect();
        self.classes = self.rows.iter().filter(|rows| **rows > 0).count();
        if whole && self.rows.iter().try_fold(0, |sum: u64, rows| sum.checked_add(*rows)) == Some(seen) {
            Ok(())
        } else {
            Err(Error::Model("the rows of the classes are not those that were seen".into()))
        }
    }
}
